/** P-09: memory of an idle daemon, resident and its own alone, and of each idle subscription. */
import { startAgentd } from '../support/agentd.mjs'
import { figureLine } from '../support/contest.mjs'
import { openCrowd } from '../support/crowd.mjs'
import { readPrivateBytes, readResidentBytes } from '../support/machine.mjs'
import { sleep } from '../support/waiting.mjs'

/** How long the daemon rests before it is looked at, in milliseconds. */
const REST_MS = 3_000

const MEBIBYTE = 1024 * 1024

export const row = {
  id: 'P-09',
  async run({ scale }) {
    // All of the subscriptions are one process, which has a part of them otherwise.
    const daemon = await startAgentd({ config: { limits: { share_percent: 100 } } })
    try {
      await sleep(REST_MS)
      const idle = readResidentBytes(daemon.pid)
      const missing = { note: 'there is no /proc here' }
      if (idle === undefined) return [figureLine({ what: 'memory', figure: null, ...missing })]
      const own = readPrivateBytes(daemon.pid)
      const { length } = await openCrowd(daemon, scale.idleSubscriptions)
      await sleep(REST_MS)
      const each = (readResidentBytes(daemon.pid) - idle) / length / 1024
      return [
        figureLine({
          what: 'RSS of an idle daemon',
          unit: 'MiB',
          figure: idle / MEBIBYTE,
          target: { atMost: 70 },
        }),
        figureLine({
          what: 'private memory of an idle daemon',
          unit: 'MiB',
          figure: own === undefined ? null : own / MEBIBYTE,
          target: { atMost: 50 },
          note: 'beside another process of Node, which shares its program',
        }),
        figureLine({
          what: `RSS per idle subscription, ${length}`,
          unit: 'KiB',
          figure: each,
          target: { atMost: 20 },
        }),
      ]
    } finally {
      await daemon.stop()
    }
  },
}
