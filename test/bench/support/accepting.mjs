/**
 * Frames accepted and acknowledged, with a ring on the disk, against peers that keep them as well.
 */
import { newestPlace, startAgentd } from './agentd.mjs'
import { compete, ratioLine, stopAll } from './contest.mjs'
import { measureThroughput, sendFrames } from './load.mjs'

const WINDOW = 256

/** What every store holds before it is measured: from then on each has to drop the oldest. */
const KEPT_FRAMES = 100_000

/**
 * @param options.ack - the daemon's
 * @param options.peers - `{label, start, missing, target}`; `start` is absent when there is no such server
 */
export async function acceptingLines(context, { ack, peers }) {
  const { scale } = context
  const servers = []
  try {
    const daemon = await startAgentd({ config: { ack } })
    servers.push(daemon)
    const present = new Map()
    for (const { label, start } of peers.filter((peer) => peer.start !== undefined)) {
      const server = await start()
      servers.push(server)
      present.set(label, server.name)
    }
    for (const server of servers)
      await sendFrames(server, { count: scale.fill(ack, KEPT_FRAMES), window: WINDOW })
    const before = await newestPlace(daemon)
    const settings = { subscribers: 0, window: WINDOW, ...scale.load }
    const samples = await compete(context, servers, (server) => measureThroughput(server, settings))
    // A refusal is an answer as well.
    if ((await newestPlace(daemon)) <= before) throw new Error('the daemon answered and accepted nothing')
    return peers.flatMap(({ label, missing, target }, i) => {
      const [rates, cost] = linesOf(samples, { ack, name: present.get(label), missing, target })
      // What the daemon alone costs is said once.
      return cost === undefined || (cost.peer === null && i > 0) ? [rates] : [cost, rates]
    })
  } finally {
    await stopAll(servers)
  }
}

function linesOf(samples, { ack, name, missing, target }) {
  const own = samples.get('agentd')
  const other = samples.get(name)
  const read = (member) => ({
    own: own.map((sample) => sample[member]),
    peer: other && { name, values: other.map((sample) => sample[member]) },
    missing,
  })
  const rates = ratioLine({
    what: `accepted, ack ${ack}, window ${WINDOW}`,
    unit: '/s',
    ...read('perSecond'),
    target,
  })
  if (own.some(({ cpuMicros }) => cpuMicros === null)) return [rates]
  return [
    rates,
    ratioLine({ what: `server CPU per accepted frame, ack ${ack}`, unit: 'µs', ...read('cpuMicros') }),
  ]
}
