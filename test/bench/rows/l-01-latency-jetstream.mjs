/** L-01: what the way between two machines adds to a frame, one at a time, against plain JetStream (publish → ordered consumer). */
import { latencyLines } from '../support/link/latency.mjs'

export const row = {
  id: 'L-01',
  reason:
    'A frame passes two bridges, a hub with TLS and a second daemon: five processes that are woken one after another, a ' +
    'signature that is made and one that is checked, and a second commit. A message of the peer passes one server. Where others use the cores, each waking waits.',
  async run(context) {
    const missing = 'nats-server is not installed: ratio not taken'
    return [
      ...(await latencyLines(context, { peer: 'jetstream', missing, target: { atMost: 4 } })),
      ...(await latencyLines(context, { peer: 'jetstream tls', missing })),
    ]
  },
}
