/** Whose announcement is about this very file, and what of it holds an edit back. */
import { describe, expect, test } from 'vitest'
import { ADVISORY_DENIES_MS, holdsBack, holdsUntilMs } from '../../../src/protocol/board/holding.ts'
import { placeEntries, type PlaceFacts, type PlacedEntry } from '../../../src/protocol/board/placed.ts'
import { START_MS, advises, asks, boardOf, type Said } from './said.ts'

const FILE = { path: 'src/a.ts', absolute: '/w1/src/a.ts', worktree: '/w1', repository: '/w1/.git' }
const SENDER = '~alice/cc@s1'
const ID = '8f4e1c9a-0000-4000-8000-00000000000a'

/** A machine with two worktrees of one repository, another repository, and a folder without git. */
const FACTS: PlaceFacts = {
  locate(path) {
    if (path === '/slow') return undefined
    const real = path.replace(/^\/link/, '/w1')
    const worktree = /^\/(?:w1|w2|other)(?=\/|$)/.exec(real)?.[0]
    const repository = worktree === '/other' ? '/other/.git' : '/w1/.git'
    return { real, worktree, repository: worktree && repository }
  },
  placeOf: (from) => (from === SENDER ? { worktree: '/w2', repository: '/w1/.git' } : undefined),
}

/** Where the file is, as one who says this has it. */
function wheresOf(said: readonly Said[]): readonly string[] {
  return placeEntries(boardOf(said).naming(FILE), FILE, FACTS).map(({ where }) => where)
}

describe('a file of that name', () => {
  test.each([
    ['in the worktree that is named', advises(SENDER, ['src/a.ts'], { worktree: '/w1' }), ['here']],
    ['by a way over links', advises(SENDER, ['src/a.ts'], { worktree: '/link' }), ['here']],
    ['in another worktree', advises(SENDER, ['./src/a.ts'], { worktree: '/w2' }), ['elsewhere']],
    ['in another repository', advises(SENDER, ['src/a.ts'], { worktree: '/other' }), []],
    ['in a folder without git', advises(SENDER, ['src/a.ts'], { worktree: '/tmp' }), []],
    ['where nothing is known of', advises(SENDER, ['src/a.ts'], { worktree: '/slow' }), []],
    ['by its absolute path', advises(SENDER, ['/w1/src/a.ts']), ['here']],
    ['by its address', advises(SENDER, ['file:///w1/src/a.ts']), ['here']],
    ['by the absolute path of another worktree', advises(SENDER, ['/w2/src/a.ts']), ['elsewhere']],
    ['by that of another repository', advises(SENDER, ['/other/src/a.ts']), []],
    ['by that of a folder with the same names below', advises(SENDER, ['/w2/lib/src/a.ts']), []],
    ['by that of no repository', advises(SENDER, ['/tmp/src/a.ts']), []],
    ['by a path whose sender is placed', asks(SENDER, ID), ['elsewhere']],
    ['by a path whose sender is not', asks('~alice/cc@s2', ID), ['unknown']],
    ['under another name', advises(SENDER, ['a.ts', 'src/a.tsx', 'lib/src/a.ts']), []],
  ])('%s', (_, said, wheres) => {
    expect(wheresOf([said])).toEqual(wheres)
  })
})

test('of one sender and one place the newest counts, and leases stand for themselves', () => {
  const said = [
    advises(SENDER, ['/w2/src/a.ts']),
    advises(SENDER, ['src/a.ts'], { atMs: START_MS + 1 }),
    asks(SENDER, ID, { atMs: START_MS + 2 }),
    asks(SENDER, ID.replace(/a$/, 'b'), { atMs: START_MS + 3 }),
  ]

  const placed = placeEntries(boardOf(said).naming(FILE), FILE, FACTS)

  expect(placed.map(({ entry }) => entry.sinceMs - START_MS)).toEqual([1, 2, 3])
})

describe('an edit is held back (HD-08)', () => {
  const nowMs = START_MS + ADVISORY_DENIES_MS
  const held = (said: Said, ownSinceMs: number | undefined, atMs = nowMs - 1) => {
    const placed: readonly PlacedEntry<unknown>[] = placeEntries(boardOf([said]).naming(FILE), FILE, FACTS)
    return placed.map((one) => holdsBack(one, { ownSinceMs, nowMs: atMs }))
  }
  const advised = advises(SENDER, ['src/a.ts'], { worktree: '/w1' })
  const leased = asks(SENDER, ID, { resource: '/w1/src/a.ts', ttlMs: 2 * ADVISORY_DENIES_MS })

  test('by an announcement for some minutes, and by a lease for as long as it lasts', () => {
    expect([held(advised, undefined), held(advised, undefined, nowMs)]).toEqual([[true], [false]])
    expect([held(leased, undefined, nowMs), held(leased, START_MS - 1)]).toEqual([[true], [true]])
    expect(boardOf([leased]).entries().map(holdsUntilMs)).toEqual([START_MS + 2 * ADVISORY_DENIES_MS])
  })

  test('by nobody who came second, and by nothing in another worktree', () => {
    expect([held(advised, START_MS), held(advised, START_MS + 1)]).toEqual([[false], [true]])
    expect(held(advises(SENDER, ['src/a.ts'], { worktree: '/w2' }), undefined)).toEqual([false])
    expect(held(asks('~alice/cc@s2', ID), undefined)).toEqual([false])
  })
})
