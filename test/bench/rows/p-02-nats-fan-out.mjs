/** P-02: deliveries per second against NATS on loopback, the ring off. */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-02',
  reason: 'As P-01: a frame is validated, remembered and answered, where NATS forwards the octets.',
  run: (context) =>
    fanOutLines(context, {
      peer: 'nats',
      missing: 'nats-server is not installed: ratio not taken',
      targets: [{ atLeast: 0.6 }, { atLeast: 1.5 }, { atLeast: 3 }],
    }),
}
