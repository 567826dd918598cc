import { expect, test } from 'vitest'
import type { BoardEntry } from '../../../../src/protocol/board/board-frame.ts'
import { ADVISORY_COUNTS_MS, findCollisions } from '../../../../src/ui/seat/here/collisions.ts'
import { listHere } from '../../../../src/ui/seat/here/here-list.ts'
import { reachOf } from '../../../../src/ui/seat/here/reach.ts'
import { folderOf, readSession, type SeatSession } from '../../../../src/ui/seat/here/session.ts'
import { iso, NOON_MS, session } from '../../support/wire.ts'

function sessionOf(address: string, more: Parameters<typeof session>[1] = {}): SeatSession {
  const found = readSession(session(address, more))
  if (found === undefined) throw new Error(`${address} was not read`)
  return found
}

const activity = (state: string, more: object = {}) => ({
  activity: { state, reason: null, text: null, since: iso(NOON_MS - 60_000), ...more },
})

const PLACE = { repository: '/r/.git', worktree: '/r' }

const ALL = [
  sessionOf('~alice/cc-opus@s1', { name: 'api-refactor', ...PLACE, ...activity('working') }),
  sessionOf('~alice/codex@k2', {
    ...PLACE,
    ...activity('waiting', { reason: 'permission', text: 'run npm' }),
  }),
  sessionOf('~alice/cursor@w7', { repository: '/r/.git', worktree: '/r2', ...activity('idle') }),
  sessionOf('~alice/human@p1', { tool: 'human' }),
]

const byAddress = (sessions: readonly SeatSession[]): ReadonlyMap<string, SeatSession> =>
  new Map(sessions.map((one) => [one.address, one]))

test('a session is called by its name, and by its address within the handle where it has none (SEAT-20)', () => {
  expect(ALL.map(({ called }) => called)).toEqual(['api-refactor', 'codex@k2', 'cursor@w7', 'human@p1'])
  expect(readSession({ title: 'nobody' })).toBeUndefined()
})

test('who waits stands first, then who works, then who is idle, and the person apart (SEAT-20)', () => {
  const words = new Map([['~alice/cc-opus@s1', { text: 'editing src/auth.ts', atMs: NOON_MS }]])

  const { lines, seats, waiting } = listHere(ALL, (address) => words.get(address))

  expect(lines.map(({ mark, session, doing }) => [mark, session.called, doing])).toEqual([
    ['▲', 'codex@k2', 'run npm'],
    ['●', 'api-refactor', 'editing src/auth.ts'],
    ['○', 'cursor@w7', undefined],
  ])
  expect(seats.map(({ called }) => called)).toEqual(['human@p1'])
  expect(waiting).toBe(1)
})

test('idle is never called waiting, and who says nothing is idle until it announces something (SEAT-10)', () => {
  const silent = sessionOf('~alice/gemini@g1')
  const word = { text: 'reading', atMs: NOON_MS }

  expect(listHere([silent], () => undefined).lines[0]?.mark).toBe('○')
  expect(listHere([silent], () => word).lines[0]).toMatchObject({
    mark: '●',
    doing: 'reading',
    sinceMs: NOON_MS,
  })
})

test('a folder is the last part of the worktree, the start or the repository (SEAT-21)', () => {
  expect(folderOf(sessionOf('~a/b@c', { worktree: '/w/agentd/' }))).toBe('agentd')
  expect(folderOf(sessionOf('~a/b@c', { repository: '/w/agentd/.git' }))).toBe('agentd')
  expect(folderOf(sessionOf('~a/b@c'))).toBeUndefined()
})

test.for([
  ['~alice', 3],
  ['~alice/*', 3],
  ['~alice/c*', 3],
  ['~alice/cc*', 1],
  ['~alice/codex@k2', 1],
  ['~alice/human*', 0],
  ['~bob/*', 0],
  ['nobody', 0],
] as const)('%s reaches %i of the agents here (SEAT-23)', ([scope, count]) => {
  expect(reachOf(scope, '~alice', ALL)).toHaveLength(count)
})

const entry = (from: string, resource: string, more: Partial<BoardEntry> = {}): BoardEntry => ({
  frameId: `${from}${resource}`,
  leaseId: undefined,
  resource,
  worktree: undefined,
  branch: undefined,
  from,
  sinceMs: NOON_MS - 60_000,
  untilMs: NOON_MS + 600_000,
  ...more,
})

const found = (entries: readonly BoardEntry[], nowMs = NOON_MS) =>
  findCollisions(entries, byAddress(ALL), nowMs).map(({ path, worktree, parties }) => [
    path,
    worktree,
    ...parties.map(({ session, by }) => `${session.called} ${by}`),
  ])

test('two sessions at one file of one worktree collide, however they name it, the newest first (SEAT-24)', () => {
  const collisions = found([
    entry('~alice/cc-opus@s1', 'src/auth.ts', { leaseId: 'l1' }),
    entry('~alice/codex@k2', '/r/src/auth.ts', { sinceMs: NOON_MS - 1_000 }),
    entry('~alice/cc-opus@s1', './src/auth.ts'),
  ])

  expect(collisions).toEqual([['src/auth.ts', 'same', 'codex@k2 edit', 'api-refactor lease']])
})

test('two worktrees of one repository come behind those of one worktree (SEAT-24)', () => {
  const collisions = found([
    entry('~alice/cc-opus@s1', 'notes/api.md'),
    entry('~alice/cursor@w7', 'notes/api.md', { sinceMs: NOON_MS }),
    entry('~alice/cc-opus@s1', 'src/a.ts'),
    entry('~alice/codex@k2', 'src/a.ts'),
  ])

  expect(collisions.map(([path, worktree]) => [path, worktree])).toEqual([
    ['src/a.ts', 'same'],
    ['notes/api.md', 'other'],
  ])
})

test('one session, another repository, who has left and the person collide with nobody (SEAT-24)', () => {
  const elsewhere = sessionOf('~alice/gemini@g1', { repository: '/q/.git', worktree: '/q' })
  const entries = [
    entry('~alice/cc-opus@s1', 'src/a.ts'),
    entry('~alice/cc-opus@s1', 'src/a.ts', { leaseId: 'l1' }),
    entry('~alice/gemini@g1', 'src/a.ts'),
    entry('~alice/left@x', 'src/a.ts'),
    entry('~alice/human@p1', 'src/a.ts'),
  ]

  expect(findCollisions(entries, byAddress([...ALL, elsewhere]), NOON_MS)).toEqual([])
})

test('an announcement of an hour ago counts no more, and a lease does as long as it lives (SEAT-24)', () => {
  const long = { untilMs: NOON_MS + 10 * ADVISORY_COUNTS_MS }
  const edits = [entry('~alice/cc-opus@s1', 'a', long), entry('~alice/codex@k2', 'a', long)]
  const leases = edits.map((one, i) => ({ ...one, leaseId: `l${i}` }))
  const atEnd = NOON_MS - 60_000 + ADVISORY_COUNTS_MS

  expect(found(edits, atEnd - 1)).toHaveLength(1)
  expect(found(edits, atEnd)).toHaveLength(0)
  expect(found(leases, atEnd)).toHaveLength(1)
})

test.each([
  ['flaky-tests', 'flaky tests', undefined],
  ['mobile', 'Mobile', undefined],
  ['api-refactor', 'API refactor, part two', 'API refactor, part two'],
  ['cc-otter', 'docs', 'docs'],
  ['überblick', 'Überblick!', undefined],
])(
  '%s with the title "%s" is shown beside %s: what a name was made of is not said twice',
  (name, title, shown) => {
    expect(readSession(session('~alice/cc@s1', { name, title }))?.title).toBe(shown)
  },
)
