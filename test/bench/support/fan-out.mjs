/**
 * P-01, P-02, P-17, P-18, P-18r and S-01 are one measurement: the daemon and its peers take turns, and each row reads its
 * own.
 */
import { startAgentd } from './agentd.mjs'
import { compete, ratioLine, stopAll } from './contest.mjs'
import { contestLines } from './curve.mjs'
import { measureThroughput } from './load.mjs'
import { hasNats, startNatsPubSub } from './nats.mjs'
import { hasNchan, startNchan } from './nchan.mjs'
import { hasRedisLibraries, startRedisLua } from './redis-lua.mjs'
import { hasRedis, startRedisPubSub } from './redis.mjs'
import { median } from './statistics.mjs'

const SUBSCRIBERS = [1, 10, 100]
const CURVE = [1, 3, 10, 30, 100]
const WINDOW = 256

/** The daemon with its ring on the disk, as it is installed. */
const KEEPING = 'agentd, ring on'

/** Who else takes part, for which rows, and whether it can here. The curve has those that forward what they do not read. */
const PEERS = [
  { rows: ['P-01', 'S-01'], isThere: hasRedis, start: startRedisPubSub },
  { rows: ['P-02', 'S-01'], isThere: hasNats, start: startNatsPubSub },
  { rows: ['P-17'], isThere: hasNchan, start: startNchan },
  { rows: ['P-18'], isThere: hasRedisLibraries, start: startRedisLua },
  { rows: ['P-18r'], isThere: hasRedisLibraries, start: () => startRedisLua({ keeps: true }) },
]

const ON_THE_CURVE = ['agentd', 'redis', 'nats']

/**
 * The lines of one peer: what a delivery costs, then how many there are.
 *
 * @param options.peer - its name
 * @param options.targets - of the deliveries, one for each number of subscribers; `costTargets`, of what one costs
 * @param options.keeps - whether it is the daemon with its ring on that is compared
 */
export async function fanOutLines(context, { peer, missing, targets, costTargets, keeps = false }) {
  const measured = await measureOnce(context)
  return SUBSCRIBERS.flatMap((subscribers, i) => {
    const samples = measured.get(subscribers)
    const own = samples.get(keeps ? KEEPING : 'agentd')
    const other = samples.get(peer)
    const read = (name) => ({
      own: own.map((sample) => sample[name]),
      peer: other && { name: peer, values: other.map((sample) => sample[name]) },
      missing,
    })
    const busy = [own, ...(other === undefined ? [] : [other])].map((one) =>
      Math.round(100 * median(one.map(({ clientShare }) => clientShare))),
    )
    const reach = `${reachOf(subscribers)}${keeps ? ', ring on' : ''}`
    const rates = { what: `deliveries, window ${WINDOW}, ${reach}`, unit: '/s', ...read('perSecond') }
    const line = ratioLine({ ...rates, target: targets?.[i], note: `client ${busy.join(' % / ')} % busy` })
    if (own.some(({ cpuMicros }) => cpuMicros === null)) return [line]
    const costs = { what: `server CPU per delivery, ${reach}`, unit: 'µs', ...read('cpuMicros') }
    return [ratioLine({ ...costs, target: costTargets?.[i] }), line]
  })
}

/** @returns the lines of every peer, at more places */
export async function fanOutCurve(context) {
  const measured = await measureOnce(context)
  return CURVE.flatMap((subscribers) => {
    const all = measured.get(subscribers)
    const samples = new Map([...all].filter(([name]) => ON_THE_CURVE.includes(name)))
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
    return [...costs, ...rates]
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
    if (wants('P-18r')) servers.push({ ...(await startAgentd()), name: KEEPING })
    for (const { rows, isThere, start } of PEERS)
      if (rows.some(wants) && isThere()) servers.push(await start())
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
