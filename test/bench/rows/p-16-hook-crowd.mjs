/** P-16: the round trip of a hook among a hundred sessions that work, against that of one alone. */
import { startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { afterTool, openHookClient, registerSession } from '../support/hooks.mjs'
import { quantile } from '../support/statistics.mjs'
import { sleep } from '../support/waiting.mjs'

const SESSIONS = 100
const EVENTS_PER_SECOND = 20

export const row = {
  id: 'P-16',
  reason:
    'Two thousand events a second are a third of a core; whoever comes while another is answered waits for it.',
  async run({ quiet, scale }) {
    const daemon = await startAgentd()
    try {
      for (let i = 0; i < SESSIONS; i += 1) await registerSession(daemon, `s${i}`)
      const [crowd, alone] = [[], []]
      for (let round = 0; round < scale.rounds; round += 1) {
        await quiet()
        alone.push(quantile(await play(daemon, 1, scale), 0.99))
        crowd.push(quantile(await play(daemon, SESSIONS, scale), 0.99))
      }
      const peer = { name: 'one session', values: alone }
      const what = `p99 of a hook with ${SESSIONS} sessions at ${EVENTS_PER_SECOND} events a second each`
      return [ratioLine({ what, unit: 'ms', own: crowd, peer, target: { atMost: 3 } })]
    } finally {
      await daemon.stop()
    }
  },
}

/** @returns milliseconds of every event but those of the first half second */
async function play(daemon, sessions, { hookSeconds }) {
  const times = []
  const startMs = performance.now()
  const endMs = startMs + hookSeconds * 1_000
  await Promise.all(
    Array.from({ length: sessions }, async (_, i) => {
      const client = openHookClient(daemon)
      await sleep((i / sessions) * (1_000 / EVENTS_PER_SECOND))
      for (let n = 0; performance.now() < endMs; n += 1) {
        const beganMs = performance.now()
        await client.ask(afterTool(`s${i}`, n))
        const tookMs = performance.now() - beganMs
        if (beganMs - startMs > 500) times.push(tookMs)
        await sleep(Math.max(0, 1_000 / EVENTS_PER_SECOND - tookMs))
      }
    }),
  )
  return times
}
