/**
 * The workflows of envelopes in a terminal: which there are, and one of them from top to bottom.
 */
import { describe, expect, test } from 'vitest'
import { widthOf } from '../../../src/core/display/width.ts'
import type { ThreadView } from '../../../src/ui/seat/threads/thread-view.ts'
import { refreshThreads } from '../../../src/ui/top/state/threads.ts'
import { iso, NOON_MS } from '../support/wire.ts'
import { busyModel, draw, sit, type MadeUpThreads, type Sat } from './support.ts'

const HOSTILE = '\u001b[2Jops\u202e語👩'

const hop = (event: string, depth: number, more: Partial<ThreadView['hops'][number]> = {}) => ({
  event,
  depth,
  at: NOON_MS,
  type: 'task',
  intent: 'ops.backup.check',
  from: 'human.alice',
  to: 'agent.auditor',
  after: depth === 0 ? '' : '412ms',
  notes: [],
  ...more,
})

const NIGHTLY: ThreadView = {
  corr: 'nightly-audit',
  says: '3 envelopes, 1 task open, 3.4s from first to last',
  hops: [
    hop('e1-1', 0, { notes: [{ ours: 'open', theirs: '' }] }),
    hop('e1-2', 1, { type: 'error', notes: [{ ours: 'failed: ', theirs: HOSTILE }] }),
    ...Array.from({ length: 30 }, (_, at) => hop(`e1-${at + 3}`, at, { intent: HOSTILE })),
  ],
  sequence: {
    lanes: ['human.alice', 'agent.auditor', HOSTILE],
    arrows: [
      { hop: 0, lane: 0, lanes: 2, goes: '→' },
      { hop: 1, lane: 0, lanes: 3, goes: '←' },
      { hop: 2, lane: 1, lanes: 1, goes: '↻' },
    ],
  },
  more: true,
  mermaid: 'sequenceDiagram\n  participant p0 as human.alice\n',
}

const line = (corr: string, openTasks: number) => ({
  corr,
  intent: 'ops.backup.check',
  participants: ['human.alice'],
  first_at: iso(NOON_MS - 60_000),
  last_at: iso(NOON_MS - 60_000),
  envelopes: 3,
  open_tasks: openTasks,
  last_type: 'task',
})

/** Two workflows, and how often each thing was asked for. */
function stage(): { readonly sat: Sat; readonly asked: string[] } {
  const asked: string[] = []
  const items = [line('nightly-audit', 1), line(HOSTILE, 0)]
  const threads: MadeUpThreads = {
    list: () => {
      asked.push('list')
      return { kind: 'done', body: { items, next: null }, version: '1' }
    },
    one: (corr) => {
      asked.push(corr)
      return corr === 'nightly-audit' ? NIGHTLY : { kind: 'unanswered' }
    },
  }
  return { sat: sit(busyModel(), undefined, threads), asked }
}

test('g t lists them, that with an open task marked, and Enter opens the chosen one as a tree (SEAT-25, SEAT-38)', async () => {
  const { sat } = stage()
  sat.press('g', 't')
  await sat.settled()

  expect(sat.screen()).toMatch(/▸ ?● nightly-audit {2}ops\.backup\.check .*3 envelopes · 1 task open · 1m/)
  sat.press('Enter')
  await sat.settled()

  const screen = sat.screen()
  expect(screen).toContain('3 envelopes, 1 task open, 3.4s from first to last')
  expect(screen).toMatch(/└ human\.alice → agent\.auditor {2}error ops\.backup\.check \+412ms/)
  expect(screen).toMatch(/\n +open\n/)
  sat.press('Escape')
  expect(sat.screen()).toContain('THREADS')
})

test('Tab draws it as a sequence by who is in it, as the Mermaid diagram, and as a tree again (SEAT-25, SEAT-38)', async () => {
  const { sat } = stage()
  sat.press('g', 't')
  await sat.settled()
  sat.press('Enter')
  await sat.settled()
  expect(sat.screen()).toMatch(/TREE ─[^]*Tab sequence/)
  sat.press('Tab')

  const sequence = sat.screen(80)
  expect(sequence).toMatch(/SEQUENCE ─[^]*\n {2}1 human\.alice\n {2}2 agent\.auditor\n {2}3 ‹U\+001B›/)
  expect(sequence).toMatch(/\n +1 +2 +3\n [\d:]{8} {2}├─+>│ +│ {2}task ops\.backup\.check · open\n/)
  expect(sequence).toMatch(/\n [\d:]{8} {2}│<─+┤ {2}error .*\+412ms · failed: ‹U\+001B/)
  expect(sequence).toMatch(/\n [\d:]{8} {2}│ +↻ +│ {2}task/)
  sat.press('Tab')
  expect(sat.screen()).toMatch(/MERMAID ─[^]*agentd envelope thread <corr> --mermaid\n │ sequenceDiagram\n/)
  sat.press('Tab')
  expect(sat.screen()).toContain('└ human.alice → agent.auditor')
})

test('with none there is a sentence, and with a daemon that does not answer one as well (SEAT-26)', async () => {
  const none = sit(busyModel())
  none.press('g', 't')
  await none.settled()
  expect(none.screen()).toContain('There are no threads of envelopes yet.')

  const { sat } = stage()
  sat.press('g', 't')
  await sat.settled()
  sat.press('ArrowDown', 'Enter')
  await sat.settled()
  expect(sat.screen()).toMatch(/answer/i)
})

test('it is read again when an envelope has passed, and not otherwise (SEAT-25)', async () => {
  const { sat, asked } = stage()
  sat.press('g', 't')
  await sat.settled()
  refreshThreads(sat.seat)
  expect(asked).toEqual(['list'])

  sat.seat.model.versions.threads += 1
  refreshThreads(sat.seat)
  refreshThreads(sat.seat)
  await sat.settled()
  sat.press('Enter')
  await sat.settled()
  sat.seat.model.versions.threads += 1
  refreshThreads(sat.seat)
  await sat.settled()

  expect(asked).toEqual(['list', 'list', 'nightly-audit', 'nightly-audit'])
})

describe.each([
  [40, 10],
  [60, 15],
  [80, 24],
  [300, 100],
] as const)('at %d×%d (SEAT-39)', (columns, rows) => {
  test('neither the list nor a workflow is wider or longer than the terminal, and nothing in it is obeyed', async () => {
    const { sat } = stage()
    const screens: string[][] = []
    for (const keys of [['g', 't'], ['Enter'], ['PageDown', 'PageDown'], ['Tab'], ['Tab']]) {
      sat.press(...keys)
      await sat.settled()
      screens.push([...draw(sat.seat, columns, rows)])
    }

    for (const lines of screens) {
      expect(lines).toHaveLength(rows)
      expect(lines.filter((text) => widthOf(text) > columns)).toEqual([])
      for (const obeyed of ['\u001b', '\u202e']) expect(lines.join('\n')).not.toContain(obeyed)
    }
  })
})
