/** P-04: frames accepted with the ring on, `ack: process`, against Redis Streams and NATS JetStream. */
import { acceptingLines } from '../support/accepting.mjs'
import { hasNats, startJetStream } from '../support/nats.mjs'
import { hasRedis, startRedisStream } from '../support/redis.mjs'

export const row = {
  id: 'P-04',
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
