/** P-01: deliveries per second against Redis pub/sub on a Unix socket, the ring off. */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-01',
  reason:
    'Before its first delivery a frame is validated, compared with those before it, retained and answered: ' +
    'by the profile the largest shares are reading it, the events of a turn as octets, its place in the ring, its ' +
    "answer and its fingerprint. Redis forwards octets it does not look into. With a hundred subscribers the kernel's " +
    'copies are the other half.',
  run: (context) =>
    fanOutLines(context, {
      peer: 'redis',
      missing: 'redis-server is not installed: ratio not taken',
      targets: [{ atLeast: 0.6 }, { atLeast: 1 }, { atLeast: 1.5 }],
    }),
}
