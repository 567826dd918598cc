/** P-12: what an idle daemon with a hundred streams costs: keep-alives, and nothing else. */
import { startAgentd } from '../support/agentd.mjs'
import { figureLine } from '../support/contest.mjs'
import { openCrowd } from '../support/crowd.mjs'
import { readFineCpuSeconds } from '../support/machine.mjs'
import { sleep } from '../support/waiting.mjs'

const STREAMS = 100

/** How long the daemon rests before it is looked at, in milliseconds: compilers and collectors have work left. */
const REST_MS = 2_000

export const row = {
  id: 'P-12',
  async run({ scale }) {
    const daemon = await startAgentd()
    try {
      await openCrowd(daemon, STREAMS)
      await sleep(REST_MS)
      const startedMs = performance.now()
      const before = readFineCpuSeconds(daemon.pid)
      await sleep(scale.idleMs)
      const after = readFineCpuSeconds(daemon.pid)
      const seconds = (performance.now() - startedMs) / 1_000
      const figure = before === undefined ? null : ((after - before) / seconds) * 100
      const what = `CPU of an idle daemon with ${STREAMS} streams, over ${Math.round(seconds)} s`
      return [figureLine({ what, unit: '% of a core', figure, target: { atMost: 0.2 } })]
    } finally {
      await daemon.stop()
    }
  },
}
