/**
 * A tab whose process is stopped, beside a watch over the socket that nobody reads: what either costs the daemon.
 */
import { openWatch, startAgentd } from './agentd.mjs'
import { rendererPids } from './chromium.mjs'
import { compete, ratioLine, stopAll } from './contest.mjs'
import { measureThroughput, sendFrames } from './load.mjs'
import { readResidentBytes } from './machine.mjs'
import { openPassing } from './page.mjs'
import { startSeat } from './seat.mjs'

const WINDOW = 256

/** Before anything is measured: all that the sockets in between take although nobody reads is full. */
const FILLING_FRAMES = 20_000

/** One session of its own is sent to, so that the person's counts no more than that of a watch without one. */
const SCOPE = '~alice/target@t1'

const FROZEN = 'frozen tab'
const SLOW = 'slow reader'

const MEBIBYTE = 1024 * 1024

/** @returns server CPU per accepted frame and memory of the daemon with a frozen tab, of those with a slow reader */
export async function frozenTabLines(context, browser) {
  const servers = []
  try {
    const start = async (name) => {
      const daemon = await startAgentd({ scope: SCOPE })
      servers.push(daemon)
      return { ...daemon, name }
    }
    const contenders = [await start(FROZEN), await start(SLOW)]
    const seat = await startSeat(contenders[0])
    servers.push(seat)
    const load = { subscribers: 0, window: WINDOW, ...context.scale.load }
    for (const contender of contenders) await measureThroughput(contender, { ...load, ...context.scale.heat })
    const samples = await compete(context, contenders, async (contender) => {
      const stalled = await (contender.name === FROZEN ? freezeTab(browser, seat) : stopReading(contender))
      try {
        await sendFrames(contender, { count: FILLING_FRAMES })
        const { cpuMicros, perSecond } = await measureThroughput(contender, load)
        return {
          cpu: cpuMicros ?? 1e6 / perSecond,
          memory: (readResidentBytes(contender.pid) ?? NaN) / MEBIBYTE,
        }
      } finally {
        await stalled.end()
      }
    })
    return [
      lineOf(samples, 'cpu', 'server CPU per accepted frame', 'µs'),
      lineOf(samples, 'memory', 'RSS of the daemon', 'MiB'),
    ]
  } finally {
    await stopAll(servers)
  }
}

function lineOf(samples, member, name, unit) {
  const read = (contender) => samples.get(contender).map((sample) => sample[member])
  return ratioLine({
    what: `${name}, beside a ${FROZEN}`,
    unit,
    own: read(FROZEN),
    peer: { name: SLOW, values: read(SLOW) },
    target: { atMost: 1.1 },
  })
}

async function stopReading(daemon) {
  const watch = await openWatch(daemon)
  watch.pause()
  return { end: async () => watch.close() }
}

async function freezeTab(browser, seat) {
  const page = await openPassing(browser, seat)
  const pids = await rendererPids(browser)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return {
    async end() {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
      await page.context().close()
    },
  }
}
