/** P-14: what one event of a hook costs the daemon, by its own processor time. */
import { startAgentd } from '../support/agentd.mjs'
import { figureLine } from '../support/contest.mjs'
import { afterTool, beforeEdit, openHookClient, registerSession } from '../support/hooks.mjs'
import { readFineCpuSeconds } from '../support/machine.mjs'
import { median } from '../support/statistics.mjs'

/** Announced files among which an edit is looked for. */
const BOARD_ENTRIES = 1_000

const MICROSECONDS = 1e6

export const row = {
  id: 'P-14',
  reason:
    'An event comes over a connection of its own, as curl makes one: accepting, reading and answering it is most of it.',
  async run({ quiet, scale }) {
    const daemon = await startAgentd()
    try {
      await registerSession(daemon, 'own')
      await registerSession(daemon, 'other')
      await fillBoard(daemon)
      const cases = [
        { what: 'after a tool with nothing waiting', payload: (i) => afterTool('own', i), atMost: 150 },
        {
          what: `before an edit among ${BOARD_ENTRIES} announced files`,
          payload: (i) => beforeEdit('own', i),
          atMost: 300,
        },
      ]
      // What is compiled once is no part of an event.
      for (const { payload } of cases) await askOften(daemon, payload, scale.hookEvents)
      const lines = []
      for (const { what, payload, atMost } of cases) {
        const figures = []
        for (let round = 0; round < scale.rounds; round += 1) {
          await quiet()
          figures.push(await costOf(daemon, payload, scale))
        }
        lines.push(figureLine({ what, unit: 'µs of CPU', figure: median(figures), target: { atMost } }))
      }
      return lines
    } finally {
      await daemon.stop()
    }
  },
}

async function costOf(daemon, payload, { hookEvents }) {
  const before = readFineCpuSeconds(daemon.pid)
  await askOften(daemon, payload, hookEvents)
  const after = readFineCpuSeconds(daemon.pid)
  return before === undefined ? null : ((after - before) / hookEvents) * MICROSECONDS
}

async function askOften(daemon, payload, count) {
  const client = openHookClient(daemon)
  for (let i = 0; i < count; i += 1) await client.ask(payload(i))
}

async function fillBoard(daemon) {
  const client = openHookClient(daemon)
  for (let i = 0; i < BOARD_ENTRIES; i += 50) {
    const file_refs = Array.from({ length: 50 }, (_, j) => `src/part-${i + j}.ts`)
    await client.post('/v1/verbs/agent_advise', { text: `at part ${i}`, file_refs, worktree: '/tmp' })
  }
}
