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

const sealedWith = (changes: Parameters<typeof linkIn>[0]) =>
  linkLines(linkIn({ seal: 'realm', unsealed_for: [], authority_epoch: 3, ...changes }), NOW, PLAIN)

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

test('what is sealed names its estate where the machine is let in, and no key that a revoked one was not given (FED-46)', () => {
  expect(sealedWith({})).toContain('  sealed   with the key of estate 3, which the hub has not')
  expect(sealedWith({ state: 'refused' })).toContain(
    '  sealed   with a key of your estate, which the hub has not',
  )
  expect(sealedWith({ unsealed_for: ['ci'] }).join('')).toContain('the hub has not; no key for ci')
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
    '  frames of every kind leave; nothing waits here, nor at the hub',
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

test.each([
  [{ waiting: 120, lag_ms: 180_000 }, 'frames of every kind leave; the hub is 120 behind (3m)'],
  [{ behind: 12, behind_ms: 3_000 }, 'frames of every kind leave; this machine is 12 behind (3s)'],
  [
    { waiting: 120, lag_ms: 180_000, behind: 12, behind_ms: 3_000 },
    'frames of every kind leave; the hub is 120 behind (3m), here 12 behind (3s)',
  ],
  [{ state: 'away', waiting: 3, lag_ms: 40, behind: 12 }, 'frames of every kind leave; the hub is 3 behind'],
  [{ state: 'away' }, 'frames of every kind leave'],
  [{ what_leaves: 'no frame; nobody is told who is here' }, 'no frame leaves'],
  [
    { what_leaves: 'frames of agent_advisory, agent_query, agent_response; who is here (full)', waiting: 1 },
    'the frames named below leave; the hub is 1 behind',
  ],
] as const)(
  'the second line says what leaves and how far behind the other side is: %o (FED-61, FED-65)',
  (changes, words) => {
    const [, line = ''] = linkLines(linkIn(changes), NOW, PLAIN)

    expect(line).toBe(`  ${words}`)
    // At 80 columns it stays one.
    expect(line.length).toBeLessThanOrEqual(80)
  },
)

test('where there are several lanes and readings, each that is behind is named, the longest first (FED-65)', () => {
  const ways = ['all', 'r-dev', 'r-ops', 'm-bob', 'm-carol', 'm-dan', 'm-eve', 'm-fred']
  const lanes = ways.map((whom, i) => ({ lane: whom, for: whom, waiting: i, lag_ms: i * 500 }))
  const readings = [
    { filter: 'all', for: 'all', behind: 2, behind_ms: 40 },
    { filter: 'r-dev', for: 'r-dev', behind: 10, behind_ms: 3_000 },
  ]

  const lines = linkLines(linkIn({ waiting: 28, behind: 12, behind_ms: 3_000, lanes, readings }), NOW, PLAIN)

  expect(lines).toContain(
    '  waiting  m-fred 7 (3s), m-eve 6 (3s), m-dan 5 (2s), m-carol 4 (2s), m-bob 3 (1s), 2 more',
  )
  expect(lines).toContain('  reading  12 behind, 3s: r-dev 10 (3s), all 2')
})

test.each(['refused', 'fenced', 'starting'] as const)(
  'a link that is %s says nothing of who is behind (FED-65)',
  (state) => {
    expect(linkLines(linkIn({ state }), NOW, PLAIN).join('\n')).not.toMatch(/leave;|behind/)
  },
)

test('what a hub says is made safe for a terminal', () => {
  const lines = linkLines(linkIn({ state: 'refused', why: 'a\u001b[31mb' }), NOW, PLAIN)

  expect(lines.join('\n')).not.toContain('\u001b')
})
