/** P-01: deliveries per second against Redis pub/sub on a Unix socket, the ring off. */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-01',
  reason:
    'Before its first delivery a frame costs the daemon 12 µs: 1.3 JSON.parse, 2.4 the rest of its ' +
    'validation, 0.8 its digest, 1.3 the window of used ids, 3 records, ring and answer, 2 the collection ' +
    'of what is retained, 1.5 HTTP and sockets. Redis forwards octets it does not look into for 0.9. A ' +
    'worker thread that reads and validates would free 5 of them on the main thread, for 0.9 more ' +
    "altogether and a core that the server does not have here. With a hundred subscribers the kernel's " +
    'copies are the other half.',
  run: (context) =>
    fanOutLines(context, {
      peer: 'redis',
      missing: 'redis-server is not installed: ratio not taken',
      targets: [{ atLeast: 0.6 }, { atLeast: 1 }, { atLeast: 1.5 }],
    }),
}
