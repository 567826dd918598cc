/** E-04: what others wait for while a workflow as long as the ring is fetched page by page. */
import { randomUUID } from 'node:crypto'
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { askBeside } from '../support/beside.mjs'
import { figureLine } from '../support/contest.mjs'
import { makeThread, measureEnvelopes } from '../support/envelopes.mjs'
import { request } from '../support/http.mjs'
import { readLoopCpuSeconds } from '../support/machine.mjs'
import { quantile } from '../support/statistics.mjs'
import { timeThread } from '../support/thread.mjs'

/** Of what the ring holds, so that none of it is trimmed. */
const PART = 0.95

const LIMIT = 1_000
const WINDOW = 256

const AT_MOST = { atMost: 10 }

export const row = {
  id: 'E-04',
  reason: 'The first page is read by code that has not run before, and the collector works in between.',
  async run({ scale, quiet }) {
    const envelopes = Math.floor(scale.ringFrames * PART)
    const corr = randomUUID()
    const place = prepareDaemon()
    try {
      const first = await startAgentd({ place })
      await measureEnvelopes(first, makeThread(corr, envelopes), WINDOW)
      await first.halt()
      // One that has not seen them itself.
      const daemon = await startAgentd({ place })
      await quiet()
      const { cpu, clock } = await watch(
        daemon,
        timeThread(daemon.socketPath, { corr, envelopes, limit: LIMIT }),
      )
      await daemon.halt()
      const note = `of ${cpu.length} questions; p99 ${quantile(cpu, 0.99).toFixed(1)} ms of CPU, longest ${Math.round(Math.max(...clock))} ms by the clock`
      const what = `CPU before somebody else is answered, longest, beside a workflow of ${envelopes}`
      return [figureLine({ what, unit: 'ms', figure: Math.max(...cpu), target: AT_MOST, note })]
    } finally {
      place.dir.remove()
    }
  },
}

/** Asks for the least there is until the workflow is there. @returns milliseconds of the daemon's CPU and of the clock */
async function watch(daemon, fetched) {
  const cpu = []
  const clock = []
  await askBeside(fetched, async () => {
    const startedMs = performance.now()
    const before = readLoopCpuSeconds(daemon.pid)
    await request(daemon.socketPath, '/v1/health')
    cpu.push((readLoopCpuSeconds(daemon.pid) - before) * 1_000)
    clock.push(performance.now() - startedMs)
  })
  return { cpu, clock }
}
