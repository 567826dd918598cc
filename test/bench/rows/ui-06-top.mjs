/** UI-06: `agentd top` in a terminal, and as one screen of text, beside `node -e 0` (SEAT-40). */
import { startAgentd } from '../support/agentd.mjs'
import { figureLine, ratioLine } from '../support/contest.mjs'
import { COMMAND } from '../support/root.mjs'
import { median } from '../support/statistics.mjs'
import { ENDS, HAS_TERMINALS, timeInTerminal } from '../support/terminal.mjs'
import { timeProcesses } from '../support/whole-process.mjs'

/** The end of a painting that a terminal shows in one piece: of the first, something is on the screen. */
const PAINTED = '\u001b[?2026l'

/** Stands at the end of the first line once the daemon has said how everything is. */
const LIVE = 'live'

export const row = {
  id: 'UI-06',
  boundMs: 400_000,
  async run(context) {
    const daemon = await startAgentd()
    try {
      const { env } = daemon
      const bare = { name: 'node -e 0', argv: [process.execPath, '-e', '0'], env }
      return [...(await liveLines(context, bare, env)), await onceLine(context, bare, env)]
    } finally {
      await daemon.stop()
    }
  },
}

/** Both are started by the same shell in the same kind of terminal. */
async function liveLines({ scale, quiet }, bare, env) {
  const what = 'agentd top, from its start to the first painting'
  if (!HAS_TERMINALS) return [figureLine({ what, figure: null, note: '"script" is not installed' })]
  const top = { argv: [COMMAND, 'top'], env, leave: 'q' }
  const rounds = { first: [], live: [], bare: [] }
  for (let round = 0; round < scale.rounds; round += 1) {
    await quiet()
    const times = { first: [], live: [], bare: [] }
    for (let i = 0; i < scale.processes; i += 1) {
      const [firstMs, liveMs] = await timeInTerminal(top, [PAINTED, LIVE])
      times.first.push(firstMs)
      times.live.push(liveMs)
      times.bare.push(...(await timeInTerminal(bare, [ENDS])))
    }
    for (const [name, samples] of Object.entries(times)) rounds[name].push(median(samples))
  }
  const peer = { name: `${bare.name} in a terminal`, values: rounds.bare }
  return [
    ratioLine({ what, unit: 'ms', own: rounds.first, peer, target: { atMost: 1.5 } }),
    ratioLine({ what: 'to what the daemon says', unit: 'ms', own: rounds.live, peer }),
  ]
}

async function onceLine(context, bare, env) {
  const once = { name: 'agentd top --once', argv: [COMMAND, 'top', '--once'], env }
  const times = await timeProcesses(context, [bare, once])
  return ratioLine({
    what: `${once.name}, whole process`,
    unit: 'ms',
    own: times.get(once.name),
    peer: { name: bare.name, values: times.get(bare.name) },
  })
}
