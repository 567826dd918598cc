import { expect, test } from 'vitest'
import { readNeed, type SeatNeed } from '../../../src/ui/seat/needs/need.ts'
import { readSession } from '../../../src/ui/seat/here/session.ts'
import { listHere } from '../../../src/ui/seat/here/here-list.ts'
import {
  BUTTONS,
  HEADINGS,
  STATES,
  askerName,
  cannotAnswer,
  closedWords,
  collisionWords,
  deliveredWords,
  foldedWords,
  forgotWords,
  headline,
  hereSince,
  hereWords,
  needTimes,
  newRowsWords,
  openedWords,
  partyWords,
  reachWords,
  refusedWords,
  seenWords,
  sentWords,
  signedWords,
  signingWords,
} from '../../../src/ui/seat/words.ts'
import { iso, need, NOON_MS, session } from '../support/wire.ts'

const needOf = (more: Parameters<typeof need>[1] = {}): SeatNeed => {
  const found = readNeed(need('q1', more))
  if (found === undefined) throw new Error('the need was not read')
  return found
}

test.for([
  [{ here: 0, waiting: 0, you: 0 }, '0 here'],
  [{ here: 5, waiting: 1, you: 2 }, '5 here · 1 waiting · 2 need you'],
  [{ here: 1, waiting: 0, you: 1 }, '1 here · 1 needs you'],
] as const)('%j is told as "%s" (SEAT-20)', ([counts, says]) => {
  expect(headline(counts)).toBe(says)
})

test.for([
  [{ until: iso(NOON_MS + 41_000) }, '1m ago · 41s left'],
  [{ until: null }, '1m ago'],
  [{ asked_at: iso(NOON_MS), until: null }, 'just now'],
  [{ state: 'late' }, '1m ago · late: its time is over, and an answer still reaches it'],
  [{ until: iso(NOON_MS) }, '1m ago · late: its time is over, and an answer still reaches it'],
  [{ until: iso(NOON_MS + 1) }, '1m ago · 1s left'],
] as const)('a need with %j says "%s" (SEAT-21)', ([more, says]) => {
  expect(needTimes(needOf(more), NOON_MS)).toBe(says)
})

test.for([
  ['waiting', { text: 'run npm', reason: 'permission' }, 'waits at its own prompt:', 'run npm'],
  ['waiting', { text: null, reason: 'permission' }, 'waits at its own prompt:', 'permission'],
  ['waiting', { text: null, reason: null }, 'waits at its own prompt', undefined],
  ['working', {}, 'working', undefined],
  ['idle', {}, 'idle', undefined],
] as const)('a session that is %s with %j says "%s" (SEAT-10)', ([state, more, says, doing]) => {
  const since = iso(NOON_MS - 60_000)
  const one = readSession(session('~alice/cc@s1', { activity: { state, since, ...more } }))
  const [line] = listHere(one === undefined ? [] : [one], () => undefined).lines

  expect(line && [hereWords(line), line.doing, hereSince(line, NOON_MS)]).toEqual([says, doing, '1m'])
})

test('a session that says what it is doing is shown by its own words alone (SEAT-20)', () => {
  const one = readSession(session('~alice/cc@s1'))
  const sessions = one === undefined ? [] : [one]
  const [busy] = listHere(sessions, () => ({ text: 'editing', atMs: NOON_MS })).lines
  const [silent] = listHere(sessions, () => undefined).lines

  expect(busy && [hereWords(busy), busy.doing]).toEqual(['', 'editing'])
  expect(silent && [hereWords(silent), hereSince(silent, NOON_MS)]).toEqual(['', ''])
})

test('a lease is announced, and nothing is ever called locked (SEAT-24)', () => {
  const one = readSession(session('~alice/cc@s1'))
  const party = { sinceMs: NOON_MS - 12_000, untilMs: NOON_MS + 180_000 }
  const said = one && [
    partyWords({ ...party, session: one, by: 'lease' }, NOON_MS),
    partyWords({ ...party, session: one, by: 'edit' }, NOON_MS),
    partyWords({ ...party, sinceMs: NOON_MS, session: one, by: 'edit' }, NOON_MS),
    collisionWords({ worktree: 'same' }),
    collisionWords({ worktree: 'other' }),
  ]

  expect(said?.slice(0, 3)).toEqual([
    'lease announced, 3m left',
    'edit announced 12s ago',
    'edit announced just now',
  ])
  expect(said?.join(' ')).not.toMatch(/lock/)
})

test.each([
  [2, 4, 0, '2 reached, 4 wait'],
  [2, 0, 0, '2 reached'],
  [0, 1, 0, '1 wait'],
  [0, 0, 0, 'nobody'],
  [2, 4, 1, 'seen by 1'],
])(
  '%d reached, %d that wait and %d who have seen it are "%s" on a row (SEAT-23)',
  (recipients, queued, seen, says) => {
    expect(deliveredWords({ recipients, queued }, seen)).toBe(says)
  },
)

test('what was sent is told with its numbers (SEAT-23)', () => {
  expect(sentWords({ recipientCount: 2, queuedCount: 1 })).toBe(
    'Sent to 3 sessions (1 waiting in a mailbox).',
  )
  expect(sentWords({ recipientCount: 0, queuedCount: 0 })).toBe('Sent; nobody is listening just now.')
  expect(reachWords(0)).toBe('reaches nobody just now')
  expect(reachWords(1)).toBe('reaches 1 session')
  expect(seenWords(1, 2)).toBe('Seen by 1 of 2.')
  expect(forgotWords(3)).toBe('Forgot 3 items.')
  expect(newRowsWords(12)).toBe('12 new')
  expect(foldedWords(1)).toBe('1 more character')
  expect(refusedWords('No such session.')).toBe('Not sent. No such session.')
})

test('who asks is called by name, else by address, and the person is you (SEAT-21)', () => {
  const from = { address: '~alice/cc@s1', present: true }

  expect(askerName(needOf({ from: { ...from, name: 'api' } }))).toBe('api')
  expect(askerName(needOf({ from }))).toBe('cc@s1')
  expect(askerName(needOf({ from: { present: false } }))).toBe('you')
  expect(openedWords(needOf({ from }))).toBe('Question from cc@s1')
})

test('what cannot be answered here says so, and what is settled says by what (SEAT-10, SEAT-22)', () => {
  expect(cannotAnswer(needOf({ type: 'prompt' }))).toContain('only where that session runs')
  expect(cannotAnswer(needOf())).toBeUndefined()
  expect(closedWords(undefined)).toBe('This is settled.')
  expect(closedWords('left')).toBe('This is settled: who asked has left.')
  expect(closedWords('sunspots')).toBe('This is settled.')
})

test('every state with nothing to show has a sentence that ends, and a command where one helps (SEAT-26)', () => {
  for (const [name, state] of Object.entries(STATES)) expect(state.says, name).toMatch(/[.:…]$/)
  expect(STATES.daemonGone.command).toBe('agentd start')
  expect(STATES.nobodyHere.command).toBe('agentd setup')
  expect(STATES.signedOut.command).toBe('agentd ui')
})

test('no two buttons and no two headings say the same (SEAT-31)', () => {
  for (const named of [BUTTONS, HEADINGS]) {
    const words = Object.values<string>(named)

    expect(new Set(words.map((word) => word.toLowerCase())).size).toBe(words.length)
  }
})

test('an approval says before and after whether it is signed (SEAT-05)', () => {
  expect([true, false].map(signingWords)).toEqual([
    'Your answer will be signed.',
    'Your answer will not be signed.',
  ])
  expect([true, false].map(signedWords)).toEqual(['It is signed.', 'It is not signed.'])
})
