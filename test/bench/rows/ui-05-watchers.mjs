/** UI-05: what who looks on costs the daemon, and everybody else (SEAT-07). */
import { openWatch, startAgentd } from '../support/agentd.mjs'
import { compete, ratioLine, stopAll } from '../support/contest.mjs'
import { measureThroughput, sendFrames } from '../support/load.mjs'
import { measureOpenLoop } from '../support/open-loop.mjs'

const WINDOW = 256
const MANY = 16

const NOBODY = 'nobody'
const GONE = 'one that has gone'
const STOPPED = 'one that has stopped'

/** Before anything is measured: what a Unix socket takes from the daemon although nobody reads is full. */
const FILLING_FRAMES = 2_000

/** A load at which a daemon has time left: what is late then is somebody's fault. */
const FRAMES_PER_SECOND = 2_000

/** How many times as many rounds: of a p99 a few frames decide, and of three of them one. */
const MORE_ROUNDS = 5

export const row = {
  id: 'UI-05',
  boundMs: 600_000,
  async run(context) {
    return [...(await costLines(context)), ...(await latencyLines(context))]
  },
}

/** Server CPU per accepted frame. */
async function costLines(context) {
  const servers = []
  const start = async (name, prepare) => {
    const daemon = await startAgentd()
    servers.push(daemon)
    await prepare?.(daemon)
    return { ...daemon, name }
  }
  try {
    const contenders = [
      await start(NOBODY),
      await start(GONE, async (daemon) => (await openWatch(daemon)).close()),
      await start('one', openWatch),
      await start(`${MANY}`, (daemon) => Promise.all(Array.from({ length: MANY }, () => openWatch(daemon)))),
    ]
    for (const contender of contenders)
      await measureThroughput(contender, { subscribers: 0, window: WINDOW, ...context.scale.heat })
    const samples = await compete(context, contenders, (contender) =>
      measureThroughput(contender, { subscribers: 0, window: WINDOW, ...context.scale.load }),
    )
    const targets = { [GONE]: { atMost: 1.05 }, one: { atMost: 1.2 } }
    const peer = { name: NOBODY, values: costOf(samples.get(NOBODY)) }
    return contenders.slice(1).map(({ name }) =>
      ratioLine({
        what: `server CPU per accepted frame, watched by ${name}`,
        unit: 'µs',
        own: costOf(samples.get(name)),
        peer,
        target: targets[name],
      }),
    )
  } finally {
    await stopAll(servers)
  }
}

/** Where CPU time cannot be read, time has to do. */
function costOf(samples) {
  return samples.map(({ cpuMicros, perSecond }) => cpuMicros ?? 1e6 / perSecond)
}

/** From when a frame was due to its arrival at somebody who reads, beside a watcher that does not. */
async function latencyLines({ scale, ...context }) {
  const servers = []
  try {
    for (const name of [NOBODY, STOPPED]) servers.push({ ...(await startAgentd()), name })
    const load = { framesPerSecond: FRAMES_PER_SECOND, ...scale.openLoop }
    const measure = async (daemon) => {
      const watch = daemon.name === STOPPED ? await openWatch(daemon) : undefined
      watch?.pause()
      await sendFrames(daemon, { count: FILLING_FRAMES })
      try {
        return await measureOpenLoop(daemon, load)
      } finally {
        watch?.close()
      }
    }
    for (const daemon of servers) await measure(daemon)
    const rounds = { ...context, scale: { ...scale, rounds: scale.rounds * MORE_ROUNDS } }
    const samples = await compete(rounds, servers, measure)
    return ['p50', 'p99'].map((name) => {
      const read = (one) => samples.get(one).map((sample) => sample[`${name}Micros`])
      return ratioLine({
        what: `due → received at ${FRAMES_PER_SECOND}/s, ${name}, watched by ${STOPPED}`,
        unit: 'µs',
        own: read(STOPPED),
        peer: { name: NOBODY, values: read(NOBODY) },
        target: { atMost: 1.2 },
      })
    })
  } finally {
    await stopAll(servers)
  }
}
