/**
 * What hooks remember of a session, as text: whole, bounded, and read member by member.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatHookState, parseHookState } from '../../../src/hooks/memory/hook-state-text.ts'
import { newHookState, type HookState } from '../../../src/hooks/memory/hook-state.ts'

const FULL: HookState = {
  ...newHookState('codex', 's1', 1),
  heir: 's2',
  endedMs: 3,
  address: '~alice/codex@s1',
  token: 'token',
  registration: { instrument: 'codex' },
  pid: 42,
  pidStart: 'boot:1',
  repository: '/r/.git',
  worktree: '/r',
  branch: 'main',
  isBusy: true,
  wokenWith: '[agentd 1] Messages from other sessions.',
  isHeadless: true,
  isUnplaced: true,
  said: { state: 'waiting', reason: 'question', text: 'Which one?' },
  formers: ['~alice/codex@s0'],
  edits: new Map([['/r\0a', [1, 2]]]),
  reads: new Map([['/r\0b', 1]]),
  shown: new Map([['__proto__', 1]]),
  recent: new Map([['k', 1]]),
  wakes: [1],
  wakeChannels: { claudeSocket: '/s', claudeToken: 't' },
}

test('what is written is read again', () => {
  expect(parseHookState(formatHookState(FULL))).toEqual(FULL)
})

test('no text whatsoever is an error, and what is read keeps its shape', () => {
  const members = fc.constantFrom(...Object.keys(JSON.parse(formatHookState(FULL))))
  const damaged = fc
    .dictionary(members, fc.jsonValue())
    .map((changes) => JSON.stringify({ ...JSON.parse(formatHookState(FULL)), ...changes }))
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string(), fc.json()), (text) => {
      const state = parseHookState(text)
      if (state !== undefined) expect(parseHookState(formatHookState(state))).toEqual(state)
    }),
    { numRuns: 1_000 },
  )
})

function many(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

/** More of everything than is kept, by one. */
function tooMuch(padding = ''): HookState {
  return {
    ...FULL,
    formers: many(65).map((i) => `f${i}`),
    edits: new Map(many(257).map((i) => [`${padding}e${i}`, [i, i]])),
    reads: new Map(many(257).map((i) => [`${padding}d${i}`, i])),
    shown: new Map(many(257).map((i) => [`s${i}`, i])),
    recent: new Map(many(33).map((i) => [`r${i}`, i])),
    wakes: many(17),
  }
}

test('a list is kept to its newest', () => {
  const read = parseHookState(formatHookState(tooMuch()))

  expect([read?.formers.length, read?.edits.size, read?.reads.size]).toEqual([64, 256, 256])
  expect([read?.shown.size, read?.recent.size, read?.wakes.length]).toEqual([256, 32, 16])
  expect([read?.formers[0], read?.wakes[0]]).toEqual(['f1', 1])
  expect([read?.edits.has('e0'), read?.reads.has('d0'), read?.recent.has('r0')]).toEqual([
    false,
    false,
    false,
  ])
})

test('what is beyond a bound of length is left out, and nothing else', () => {
  const text = formatHookState({ ...FULL, branch: 'x'.repeat(4_097), address: '' })

  expect(parseHookState(text)).toEqual({ ...FULL, branch: undefined, address: undefined })
})

test('a token that could end a header is none', () => {
  for (const token of ['x\r\nx-evil: 1', 'with space', 'é', ''])
    expect(parseHookState(formatHookState({ ...FULL, token }))).toEqual({ ...FULL, token: undefined })
})

test('ways to wake are at most eight, of names and contents within bounds', () => {
  const doors = {
    ...Object.fromEntries(many(20).map((i) => [`door${i}`, '/s'])),
    [`n${'x'.repeat(64)}`]: '/s',
    long: 'x'.repeat(4_097),
  }

  expect(
    Object.keys(
      parseHookState(JSON.stringify({ ...newHookState('codex', 's1', 1), doors }))?.wakeChannels ?? {},
    ),
  ).toEqual(many(8).map((i) => `door${i}`))
})

test('a text of an earlier version is read alike: what it has no use for is left, holders of its leases are its own (OP-05)', () => {
  const { formers: _, reads: __, ...earlier } = JSON.parse(formatHookState(FULL))
  const text = JSON.stringify({
    ...earlier,
    handle: '~alice',
    hasBoard: true,
    boardAt: 'e-1',
    ownFrames: ['f1'],
    leases: [
      ['l1 ~alice/codex@s0', 'src/a.ts'],
      ['l2 ~alice/codex@s0', 'src/b.ts'],
    ],
    board: [{ frameId: 'f2', leaseId: 'l2', resource: 'a', from: '~alice/cc@s2', sinceMs: 1, untilMs: 2 }],
    waiter: { pid: 7, kind: 'rewake' },
  })

  expect(parseHookState(text)).toEqual({ ...FULL, reads: new Map() })
})

test.each([
  '',
  'null',
  '[]',
  '{',
  '{"runtime":"codex"}',
  '{"sessionId":"s1"}',
  '{"runtime":1,"sessionId":"s1"}',
])('of %j nothing is known: it does not say whose it is', (text) => {
  expect(parseHookState(text)).toBeUndefined()
})
