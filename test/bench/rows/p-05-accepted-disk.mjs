/** P-05: frames accepted with the ring on, `ack: disk`, against peers that flush before they acknowledge. */
import { acceptingLines } from '../support/accepting.mjs'
import { canSyncAlways, hasNats, natsVersion, startJetStream } from '../support/nats.mjs'
import { hasRedis, startRedisStream } from '../support/redis.mjs'

export const row = {
  id: 'P-05',
  reason: "As P-04; the flush itself is shared by a turn's frames on both sides.",
  run: (context) =>
    acceptingLines(context, {
      ack: 'disk',
      peers: [
        {
          label: 'redis',
          start: hasRedis() ? () => startRedisStream('always') : undefined,
          missing: 'redis-server is not installed: ratio not taken',
          target: { atLeast: 1.5 },
        },
        {
          label: 'nats',
          start: hasNats() && canSyncAlways() ? () => startJetStream('always') : undefined,
          missing: hasNats()
            ? `JetStream of ${natsVersion()} cannot sync always: ratio not taken`
            : 'nats-server is not installed: ratio not taken',
          target: { atLeast: 1.5 },
        },
      ],
    }),
}
