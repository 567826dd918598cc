/** P-01: deliveries per second against Redis pub/sub on a Unix socket, the ring off. */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-01',
  run: (context) =>
    fanOutLines(context, {
      peer: 'redis',
      missing: 'redis-server is not installed: ratio not taken',
      targets: [{ atLeast: 0.6 }, { atLeast: 1 }, { atLeast: 1.5 }],
    }),
}
