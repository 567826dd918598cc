/**
 * A link in words (FED-32, FED-65).
 */
import { expect, test } from 'vitest'
import { linkLines, stateInWords } from '../../../src/cli/link/link-lines.ts'
import { PLAIN } from '../../../src/core/display/palette.ts'
import { linkIn } from './link-in.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')

const readingOf = (changes: Parameters<typeof linkIn>[0]) =>
  linkLines(linkIn(changes), NOW, PLAIN).filter((line) => line.includes('reading'))

test.each([
  ['up', {}],
  ['up, 3 waiting', { waiting: 3 }],
  [
    'away 3m, 120 waiting: The hub does not answer',
    { state: 'away', waiting: 120, why: 'The hub does not answer.' },
  ],
  ['away 3m', { state: 'away' }],
  ['fenced: Somebody else writes here', { state: 'fenced', why: 'Somebody else writes here.' }],
  ['refused: credential', { state: 'refused', why: 'credential' }],
  ['starting', { state: 'starting' }],
] as const)('it is said to be %s', (words, changes) => {
  expect(stateInWords(linkIn(changes), NOW)).toBe(words)
})

test('the other nodes are told, a clock that is off, and what is odd; this machine is not its own neighbour (FED-34, FED-53)', () => {
  const at = (state: 'here' | 'away' | 'left', node: string, offset_ms: number | null) => ({
    node,
    state,
    as_of: new Date(NOW - 300_000).toISOString(),
    sessions: 2,
    offset_ms,
  })
  const { figures } = linkIn()
  const link = linkIn({
    nodes: [
      at('here', 'laptop', 0),
      at('here', 'devbox', -120_000),
      at('away', 'ci', null),
      at('left', 'old', 0),
      { ...at('here', 'quiet', 0), sessions: 0, untold: true as const },
    ],
    figures: { ...figures, records_out: 7, records_in: 9, refused: 1, holes: 1, reconnects: 2 },
    is_durable: false,
  })

  expect(linkLines(link, NOW, PLAIN)).toEqual([
    'home up',
    '  as       laptop in p.alice',
    '  leaves   frames of every kind; who is here (full)',
    '  carried  7 out, 9 in, 1 refused, 1 hole, 2 reconnects',
    '  devbox   here, 2 sessions, its clock is off by -2m',
    '  ci       away, seen 5m ago',
    '  old      left 5m ago',
    '  quiet    here, and does not say who is there',
    '  note     no replay: memory ring',
  ])
})

test('what the hub has and was not read yet is one line, with how old it is (FED-65)', () => {
  expect(readingOf({ behind: 12, behind_ms: 3_000 })).toEqual(['  reading  12 behind, 3s'])
  expect(readingOf({ behind: 1, behind_ms: 40 })).toEqual(['  reading  1 behind'])
  expect(readingOf({ behind: 0, behind_ms: 0 })).toEqual([])
})

test('how long the oldest waits that leaves stands beside what was carried (FED-65)', () => {
  const lines = linkLines(linkIn({ waiting: 3, lag_ms: 61_000 }), NOW, PLAIN)

  expect(lines).toContain('  carried  0 out, 0 in, the oldest waits 1m 1s')
})

test('what a hub says is made safe for a terminal', () => {
  const lines = linkLines(linkIn({ state: 'refused', why: 'a\u001b[31mb' }), NOW, PLAIN)

  expect(lines.join('\n')).not.toContain('\u001b')
})
