/**
 * What stands on the screen, at every size that it fits on.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { widthOf } from '../../../src/core/display/width.ts'
import { SeatModel } from '../../../src/ui/seat/seat-model.ts'
import { advisory, need, NOON_MS, read, session, snapshot } from '../support/wire.ts'
import { busyModel, draw, sit } from './support.ts'

const SIZES = [
  [40, 10],
  [60, 15],
  [80, 24],
  [100, 30],
  [300, 100],
] as const

/** Ways to each thing that can stand on the screen. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  now: [],
  passing: ['g', 'p'],
  'a chosen row': ['g', 'p', 'ArrowUp', 'ArrowUp'],
  'a filter': ['/', 'a', 'u', 't', 'h'],
  help: ['?'],
  'a decision': ['ArrowDown', 'Enter'],
  'a decision being answered': ['ArrowDown', 'o', 'x', 'Alt+Enter', 'y'],
  'an option asked about': ['ArrowDown', '1'],
  'a question': ['Enter'],
  'an approval': ['ArrowDown', 'ArrowDown', 'y'],
  'a session': ['PageDown', 'PageDown', 'Enter'],
  'a recipient': ['s', '~'],
  'a text': ['s', '*', 'Enter', 'h', 'i'],
}

describe.each(SIZES)('at %d×%d (SEAT-39)', (columns, rows) => {
  test.each(Object.keys(WAYS))('%s has a line for each row, and none is wider than the terminal', (way) => {
    const sat = sit(busyModel())
    sat.press(...(WAYS[way] ?? []))

    const lines = draw(sat.seat, columns, rows)

    expect(lines).toHaveLength(rows)
    expect(lines.filter((line) => widthOf(line) > columns)).toEqual([])
    expect(lines[0]).toContain('agentd')
    expect(lines.at(-1)?.trim()).not.toBe('')
  })
})

/** What senders may write: letters of many widths, marks, and everything that a terminal obeys. */
const PIECES = [
  'a',
  ' ',
  '語',
  '👩',
  '🇩',
  '🇪',
  'é',
  'e\u0301',
  '\u0301',
  'ﷺ',
  'अ',
  '한',
  '│',
  '▸',
  '─',
  '\t',
  '\n',
  '\r',
]
const OBEYED = [
  '\u001b[2J',
  '\u001b]52;c;x\u0007',
  '\u009b31m',
  '\u202e',
  '\u200d',
  '\ufe0f',
  '\u0000',
  '\u{e0041}',
  '\u2028',
]

const HOSTILE = fc.string({ unit: fc.constantFrom(...PIECES, ...OBEYED), maxLength: 120 })

const RAW = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/u

test('whatever senders write, no line is wider than the terminal and no control of theirs is in it (R-38, SEAT-40)', () => {
  fc.assert(
    fc.property(
      HOSTILE,
      fc.constantFrom(...SIZES),
      fc.constantFrom(...Object.keys(WAYS)),
      (text, size, way) => {
        const [columns, rows] = size
        const model = new SeatModel({ nowMs: () => NOON_MS }, 100)
        const from = {
          address: '~alice/cc@s1',
          name: text,
          title: text,
          repository: `/${text}`,
          branch: text,
          present: true,
        }
        const needs = [
          need('q1', { text, from }),
          need('d1', { type: 'decision', text, from, frame: decisionOf(text) }),
          need('a1', { type: 'approval', text, from, envelope: approvalOf(text) }),
        ]
        const sessions = [session('~alice/cc@s1', { name: text, title: text, branch: text, cwd: text })]
        model.feed(read('snapshot', snapshot({ sessions, needs })))
        model.feed(read('passed', advisory('~alice/cc@s1', [text], { text }), 'e1-1'))
        const sat = sit(model)
        sat.press(...(WAYS[way] ?? []))

        const lines = draw(sat.seat, columns, rows)

        expect(lines).toHaveLength(rows)
        expect(lines.filter((line) => widthOf(line) > columns || RAW.test(line))).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
})

function decisionOf(text: string): object {
  const question = { stem: text, options: [{ label: text, reasoning: text }] }
  return {
    kind: 'agent_binding_moment',
    payload: { synopsis: text, findings: [text], offer: text, question },
  }
}

function approvalOf(text: string): object {
  return { payload: { summary: text, task: { id: 'task-0001', intent: text, from: text, hash: text } } }
}

test('on opening it says who is here, who waits, what needs the person and which files collide (SEAT-20, SEAT-38)', () => {
  const screen = sit(busyModel()).screen()

  expect(screen).toContain('~alice   5 here · 1 waiting · 3 need you')
  expect(screen).toMatch(/▸ question +flaky-tests +May I force-push fix\/flaky after the rebase\? +41s/)
  expect(screen).toMatch(/decision +api-refactor +The migration drops a column/)
  expect(screen).toMatch(/▲ flaky-tests +⎇ fix\/flaky +waits at its own prompt: run "npm test"/)
  expect(screen).toMatch(/⚠ README\.md with (?:api-refactor|docs)/)
  expect(screen).toMatch(/\d\d:\d\d:\d\d api-refactor → all +advisory +rewriting the token refresh/)
})

test('a card has who asks, the whole text behind the rule, and every way to answer (SEAT-21, SEAT-28)', () => {
  const sat = sit(busyModel())
  sat.press('ArrowDown', 'Enter')

  const screen = sat.screen()

  expect(screen).toContain(' Decision from api-refactor')
  expect(screen).toContain(' │ The migration drops a column that mobile still reads')
  expect(screen).toMatch(/1 +Keep it one release +recommended/)
  expect(screen).toMatch(/o +something else/)
  expect(screen).toMatch(/r +the question is not the right one/)
})

test('below the least size it says what it needs (SEAT-39)', () => {
  const sat = sit(busyModel())

  expect(draw(sat.seat, 39, 10).join('').replaceAll(/\s+/g, ' ')).toContain(
    'agentd top needs 40×10; this is 39×10.',
  )
  expect(draw(sat.seat, 100, 9).join(' ')).toContain('this is 100×9')
  expect(draw(sat.seat, 8, 3)).toHaveLength(3)
  expect(draw(sat.seat, 8, 3).every((line) => widthOf(line) <= 8)).toBe(true)
})

test('what is left out of a list is counted in its heading', () => {
  const model = busyModel()
  for (let n = 0; n < 20; n += 1) model.feed(read('need', { change: 'opened', need: need(`more${n}`) }))

  expect(sit(model).screen(80, 24)).toMatch(/NEEDS YOU \(1\d more\)/)
})

test('a daemon that is gone is told, with the command that starts it, and what is known stays (SEAT-19)', () => {
  const model = busyModel()
  model.setLink('lost', 'lost')

  const screen = sit(model).screen()

  expect(screen).toContain('○ not connected')
  expect(screen).toContain('The daemon is gone')
  expect(screen).toContain('agentd start')
  expect(screen).toContain('flaky-tests')
})

test('what is missing stands as a line where it is missing (SEAT-19)', () => {
  const model = busyModel()
  model.feed(read('gap', { reason: 'trimmed', missed: 23 }))

  expect(sit(model).screen()).toMatch(/── .*23.* ──/)
})
