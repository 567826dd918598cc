/** L-02: what the way between two machines adds to a frame, one at a time, against plain Redis Streams (XADD → XREAD BLOCK). */
import { latencyLines } from '../support/link/latency.mjs'

export const row = {
  id: 'L-02',
  reason:
    'A frame passes two bridges, a hub with TLS and a second daemon: five processes that are woken one after another, a ' +
    'signature that is made and one that is checked, and a second commit. A message of the peer passes one server, without ' +
    'TLS. Where others use the cores, each waking waits.',
  run: (context) =>
    latencyLines(context, {
      peer: 'redis streams',
      missing: 'redis-server is not installed: ratio not taken',
      target: { atMost: 7 },
    }),
}
