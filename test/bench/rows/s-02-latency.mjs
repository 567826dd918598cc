/** S-02: from when a frame was due to its arrival at one subscriber, over the load; the ring off. */
import { startAgentd } from '../support/agentd.mjs'
import { compete, stopAll } from '../support/contest.mjs'
import { contestLines, spell } from '../support/curve.mjs'
import { measureThroughput } from '../support/load.mjs'
import { hasNats, startNatsPubSub } from '../support/nats.mjs'
import { measureOpenLoop } from '../support/open-loop.mjs'
import { hasRedis, startRedisPubSub } from '../support/redis.mjs'
import { formatNumber } from '../support/report.mjs'
import { median } from '../support/statistics.mjs'

const QUANTILES = ['p50', 'p99']

export const row = {
  id: 'S-02',
  boundMs: 600_000,
  async run(context) {
    const { scale } = context
    const servers = []
    try {
      servers.push(await startAgentd({ config: { ring: { enabled: false } } }))
      if (hasRedis()) servers.push(await startRedisPubSub())
      if (hasNats()) servers.push(await startNatsPubSub())
      for (const server of servers)
        await measureThroughput(server, { subscribers: 1, window: 256, ...scale.heat })
      return await climb(context, servers)
    } finally {
      await stopAll(servers)
    }
  },
}

/** Who does not reach a load is not asked for more: what it would show is how long the run was. */
async function climb(context, servers) {
  const { loads, openLoop } = context.scale
  const lines = []
  let contenders = servers
  for (const framesPerSecond of loads) {
    if (contenders.length === 0) break
    const settings = { framesPerSecond, ...openLoop }
    const samples = await compete(context, contenders, (server) => measureOpenLoop(server, settings))
    const missed = contenders.map(({ name }) => name).filter((name) => !isReached(samples.get(name)))
    lines.push(...QUANTILES.flatMap((name) => linesOf(samples, { framesPerSecond, name, missed })))
    contenders = contenders.filter(({ name }) => !missed.includes(name))
  }
  return lines
}

/** In more than half of its rounds. */
function isReached(samples) {
  return samples.filter((sample) => sample.isReached).length * 2 > samples.length
}

function linesOf(samples, { framesPerSecond, name, missed }) {
  return contestLines(samples, {
    what: `due → received at ${spell(framesPerSecond)}/s, ${name}`,
    unit: 'µs',
    point: { panel: name, x: framesPerSecond, missed },
    read: (sample) => sample[`${name}Micros`],
    noteOf: (one) => noteOf(one, samples.get(one), missed),
  })
}

/** How late the client wrote is part of the latency, and says how much of it is the client's. */
function noteOf(name, samples, missed) {
  const late = `${name} written p99 ${formatNumber(middle(samples, 'lateMicros'))} µs late`
  return missed.includes(name) ? `${late}, reached ${formatNumber(middle(samples, 'perSecond'))}/s` : late
}

function middle(samples, member) {
  return median(samples.map((sample) => sample[member]))
}
