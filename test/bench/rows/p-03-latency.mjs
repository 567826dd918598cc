/** P-03: from the publish to the last subscriber, one frame at a time, against Redis pub/sub; the ring off. */
import { startAgentd } from '../support/agentd.mjs'
import { compete, ratioLine, stopAll } from '../support/contest.mjs'
import { measureLatency, measureThroughput } from '../support/load.mjs'
import { hasRedis, startRedisPubSub } from '../support/redis.mjs'
import { quantile } from '../support/statistics.mjs'

const QUANTILES = [
  ['p50', 0.5],
  ['p99', 0.99],
]

export const row = {
  id: 'P-03',
  reason:
    'Between the read and the write lie 20 µs of JavaScript, 12 of them as in P-01; p99 moves with the ' +
    'rounds, as one collection of young garbage is in a hundred frames or is not.',
  async run(context) {
    const servers = []
    try {
      servers.push(await startAgentd({ config: { ring: { enabled: false } } }))
      if (hasRedis()) servers.push(await startRedisPubSub())
      // As for P-01: compiled code first, for everybody.
      for (const server of servers)
        await measureThroughput(server, { subscribers: 10, window: 256, ...context.scale.heat })
      const lines = []
      for (const subscribers of [1, 10]) {
        const samples = await compete(context, servers, (server) =>
          measureLatency(server, { subscribers, ...context.scale.latency }),
        )
        lines.push(...QUANTILES.map(([name, q]) => lineOf(samples, { subscribers, name, q })))
      }
      return lines
    } finally {
      await stopAll(servers)
    }
  },
}

function lineOf(samples, { subscribers, name, q }) {
  const read = (server) => samples.get(server)?.map((micros) => quantile(micros, q))
  const redis = read('redis')
  return ratioLine({
    what: `publish → received, ${subscribers} subscriber${subscribers === 1 ? '' : 's'}, ${name}`,
    unit: 'µs',
    own: read('agentd'),
    peer: redis && { name: 'redis', values: redis },
    missing: 'redis-server is not installed: ratio not taken',
    target: { atMost: 1.25 },
  })
}
