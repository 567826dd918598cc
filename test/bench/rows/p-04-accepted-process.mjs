/** P-04: frames accepted with the ring on, `ack: process`, against Redis Streams and NATS JetStream. */
import { acceptingLines } from '../support/accepting.mjs'
import { hasNats, startJetStream } from '../support/nats.mjs'
import { hasRedis, startRedisStream } from '../support/redis.mjs'

export const row = {
  id: 'P-04',
  reason:
    'Of 19 µs a frame, 12 are as in P-01 and 7 the ring: 4.5 SQLite (2.2 its write-ahead log, 0.9 ' +
    'trimming), 0.9 the check of the row. XADD appends to memory and lets a log of its own follow once a ' +
    'second.',
  run: (context) =>
    acceptingLines(context, {
      ack: 'process',
      peers: [
        {
          label: 'redis',
          start: hasRedis() ? () => startRedisStream('everysec') : undefined,
          missing: 'redis-server is not installed: ratio not taken',
          target: { atLeast: 1 },
        },
        {
          label: 'nats',
          start: hasNats() ? () => startJetStream() : undefined,
          missing: 'nats-server is not installed: ratio not taken',
          target: { atLeast: 1.5 },
        },
      ],
    }),
}
