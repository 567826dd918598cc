/**
 * P-01, P-02 and S-01 are one measurement: the daemon and its peers take turns, and each row reads its own.
 */
import { startAgentd } from './agentd.mjs'
import { compete, ratioLine, stopAll } from './contest.mjs'
import { contestLines } from './curve.mjs'
import { measureThroughput } from './load.mjs'
import { hasNats, startNatsPubSub } from './nats.mjs'
import { hasRedis, startRedisPubSub } from './redis.mjs'
import { median } from './statistics.mjs'

const SUBSCRIBERS = [1, 10, 100]
const CURVE = [1, 3, 10, 30, 100]
const WINDOW = 256

/** @returns the lines of one peer, `redis` or `nats` */
export async function fanOutLines(context, { peer, missing, targets }) {
  const measured = await measureOnce(context)
  return SUBSCRIBERS.flatMap((subscribers, i) => {
    const samples = measured.get(subscribers)
    const own = samples.get('agentd')
    const other = samples.get(peer)
    const read = (name) => ({
      own: own.map((sample) => sample[name]),
      peer: other && { name: peer, values: other.map((sample) => sample[name]) },
      missing,
    })
    const busy = [own, ...(other === undefined ? [] : [other])].map((one) =>
      Math.round(100 * median(one.map(({ clientShare }) => clientShare))),
    )
    const reach = reachOf(subscribers)
    const rates = { what: `deliveries, window ${WINDOW}, ${reach}`, unit: '/s', ...read('perSecond') }
    const lines = [ratioLine({ ...rates, target: targets[i], note: `client ${busy.join(' % / ')} % busy` })]
    if (own.some(({ cpuMicros }) => cpuMicros === null)) return lines
    const costs = { what: `server CPU per delivery, ${reach}`, unit: 'µs', ...read('cpuMicros') }
    return [...lines, ratioLine(costs)]
  })
}

/** @returns the lines of every peer, at more places */
export async function fanOutCurve(context) {
  const measured = await measureOnce(context)
  return CURVE.flatMap((subscribers) => {
    const samples = measured.get(subscribers)
    const reach = reachOf(subscribers)
    const rates = contestLines(samples, {
      what: `deliveries, ${reach}`,
      unit: '/s',
      point: { panel: 'deliveries', x: subscribers },
      read: ({ perSecond }) => perSecond,
    })
    if (samples.get('agentd').some(({ cpuMicros }) => cpuMicros === null)) return rates
    const costs = contestLines(samples, {
      what: `server CPU per delivery, ${reach}`,
      unit: 'µs',
      point: { panel: 'cpu', x: subscribers },
      read: ({ cpuMicros }) => cpuMicros,
    })
    return [...rates, ...costs]
  })
}

function reachOf(subscribers) {
  return `${subscribers} subscriber${subscribers === 1 ? '' : 's'}`
}

/** Peers and places are those of the rows that run, so that nothing is measured for nobody. */
function measureOnce(context) {
  const { shared } = context
  if (!shared.has('fan-out')) shared.set('fan-out', measure(context))
  return shared.get('fan-out')
}

async function measure(context) {
  const { scale, wants } = context
  const servers = []
  try {
    servers.push(await startAgentd({ config: { ring: { enabled: false } } }))
    if ((wants('P-01') || wants('S-01')) && hasRedis()) servers.push(await startRedisPubSub())
    if ((wants('P-02') || wants('S-01')) && hasNats()) servers.push(await startNatsPubSub())
    // Compiled code and full windows of memory first, for everybody.
    for (const server of servers)
      await measureThroughput(server, { subscribers: 10, window: WINDOW, ...scale.heat })
    const measured = new Map()
    for (const subscribers of wants('S-01') ? CURVE : SUBSCRIBERS) {
      const settings = { subscribers, window: WINDOW, ...scale.load }
      measured.set(
        subscribers,
        await compete(context, servers, (server) => measureThroughput(server, settings)),
      )
    }
    return measured
  } finally {
    await stopAll(servers)
  }
}
