import { expect, test } from 'vitest'
import { SeatModel } from '../../../src/ui/seat/seat-model.ts'
import { readWatchEvent } from '../../../src/ui/seat/watch-event.ts'
import { advisory, iso, need, NOON_MS, read, session, snapshot } from '../support/wire.ts'

const PLACE = { repository: '/r/.git', worktree: '/r' }
const SESSIONS = [session('~alice/cc@s1', PLACE), session('~alice/codex@k2', PLACE)]

function seat(): { readonly model: SeatModel; readonly tick: (ms: number) => void } {
  let nowMs = NOON_MS
  const model = new SeatModel({ nowMs: () => nowMs }, 100)
  return { model, tick: (ms) => (nowMs += ms) }
}

test('a snapshot is how it is now: who is here, what needs the person, and that it is live (W-1)', () => {
  const { model } = seat()

  expect(model.link.state).toBe('connecting')
  model.feed(read('snapshot', snapshot({ sessions: SESSIONS, needs: [need('q1')] })))

  expect(model.link.state).toBe('live')
  expect(model.principal).toBe('~alice')
  expect(model.here().lines).toHaveLength(2)
  expect(model.needs().map(({ needId }) => needId)).toEqual(['q1'])
})

test('what a new connection no longer tells of is gone, and what it closed can still be asked about (SEAT-19)', () => {
  const { model } = seat()
  model.feed(read('snapshot', snapshot({ sessions: SESSIONS, needs: [need('q1')] })))

  model.feed(read('snapshot', snapshot({ sessions: [SESSIONS[0]], needs: [] })))

  expect(model.sessions.size).toBe(1)
  expect(model.needs()).toEqual([])
  expect(model.findNeed('q1')?.needId).toBe('q1')
})

test('needs open, change and close, and a closed one says by what (SEAT-08)', () => {
  const { model } = seat()
  model.feed(read('need', { change: 'opened', need: need('q1') }))
  model.feed(read('need', { change: 'changed', need: need('q1', { state: 'late' }) }))

  expect(model.needs()[0]?.state).toBe('late')
  model.feed(read('need', { change: 'closed', need: need('q1', { state: 'closed', closed_by: 'answer' }) }))

  expect(model.needs()).toEqual([])
  expect(model.findNeed('q1')?.closedBy).toBe('answer')
  expect(model.versions.needs).toBe(3)
})

test('an item passes once, whatever a new connection says again (SEAT-19)', () => {
  const { model } = seat()
  for (const id of ['e1-1', 'e1-2', 'e1-1', 'e1-2', 'e1-3']) {
    model.feed(read('passed', advisory('~alice/cc@s1', ['a']), id))
  }

  expect([0, 1, 2, 3].map((place) => model.rows.get(place)?.eventId)).toEqual([
    'e1-1',
    'e1-2',
    'e1-3',
    undefined,
  ])
  expect(model.newestEventId).toBe('e1-3')
})

test('an item of another life of the counter passes whatever its number (ACQ-21)', () => {
  const { model } = seat()
  for (const id of ['e1-900', 'e2-1']) model.feed(read('passed', advisory('~alice/cc@s1', ['a']), id))

  expect(model.rows.end).toBe(2)
})

test('two edits of one file are a collision until one of the sessions goes (SEAT-24)', () => {
  const { model } = seat()
  model.feed(read('snapshot', snapshot({ sessions: SESSIONS })))
  model.feed(read('passed', advisory('~alice/cc@s1', ['src/a.ts']), 'e1-1'))
  model.feed(read('passed', advisory('~alice/codex@k2', ['src/a.ts']), 'e1-2'))

  expect(model.collisions().map(({ path, worktree }) => [path, worktree])).toEqual([['src/a.ts', 'same']])
  expect(model.announcedBy('~alice/cc@s1')).toHaveLength(1)
  expect(model.here().lines.map(({ doing }) => doing)).toEqual(Array(2).fill('editing src/a.ts'))

  model.feed(read('session', { change: 'went', session: SESSIONS[1] }))

  expect(model.collisions()).toEqual([])
  expect(model.here().lines).toHaveLength(1)
})

test('a session that changes is told anew (SEAT-10)', () => {
  const { model } = seat()
  model.feed(read('snapshot', snapshot({ sessions: SESSIONS })))
  const waiting = { activity: { state: 'waiting', reason: 'permission', text: 'npm', since: iso(NOON_MS) } }

  model.feed(read('session', { change: 'changed', session: session('~alice/cc@s1', waiting) }))

  expect(model.here()).toMatchObject({ waiting: 1, lines: [{ mark: '▲' }, { mark: '○' }] })
})

test('a gap is a row that says what is missing, and why (SEAT-19)', () => {
  const { model } = seat()
  model.feed(read('gap', { reason: 'trimmed', missed: 23 }))
  model.feed(read('gap', { reason: 'sunspots', missed: null }))

  expect(model.rows.get(0)?.gap).toBe('-- 23 frames missing here: no longer retained')
  expect(model.rows.get(1)?.gap).toContain('frames may be missing here')
})

test('what was forgotten has no row any more, whoever had it forgotten, and another life keeps its own (SEAT-23)', () => {
  const { model } = seat()
  for (const id of ['e1-1', 'e1-2', 'e1-3']) model.feed(read('passed', advisory('~alice/cc@s1', ['a']), id))
  const { rows, threads } = model.versions

  model.feed(read('forgotten', { epoch: 'e1', runs: [{ first: 2, last: 3 }, { first: 'x' }, null] }))
  model.feed(read('forgotten', { epoch: 'e2', runs: [{ first: 1, last: 1 }] }))
  model.feed(read('forgotten', {}))

  expect([0, 1, 2].map((place) => model.rows.get(place)?.eventId)).toEqual(['e1-1', undefined, undefined])
  expect([model.versions.rows - rows, model.versions.threads - threads]).toEqual([3, 3])
})

test('a link that is lost says why and since when, and says the same only once (SEAT-19)', () => {
  const { model, tick } = seat()
  model.feed(read('snapshot', snapshot()))
  tick(5_000)
  model.feed(read('bye', { reason: 'shutdown' }))
  const { link: first } = model.versions
  tick(5_000)
  model.setLink('lost', 'shutdown')

  expect(model.link).toEqual({ state: 'lost', reason: 'shutdown', sinceMs: NOON_MS + 5_000 })
  expect(model.versions.link).toBe(first)
})

test('receipts of what the person sent are kept by recipient, the newest of each (SEAT-23)', () => {
  const { model } = seat()
  for (const [address, state] of [
    ['~alice/cc@s1', 'emitted'],
    ['~alice/codex@k2', 'queued'],
    ['~alice/cc@s1', 'seen'],
  ]) {
    model.feed(read('receipt', { event_id: 'e1-1', address, state, at: iso(NOON_MS) }))
  }

  const states = [...(model.outcomeOf('e1-1') ?? [])].map(([address, { state }]) => [address, state])
  expect(states).toEqual([
    ['~alice/cc@s1', 'seen'],
    ['~alice/codex@k2', 'queued'],
  ])
  expect(model.outcomeOf('e1-2')).toBeUndefined()
})

test('receipts are remembered of a thousand items, and the oldest go (SEAT-35)', () => {
  const { model } = seat()
  for (let i = 0; i <= 1_000; i += 1) {
    model.feed(read('receipt', { event_id: `e1-${i}`, address: 'a', state: 'seen', at: iso(NOON_MS) }))
  }

  expect(model.outcomeOf('e1-0')).toBeUndefined()
  expect(model.outcomeOf('e1-1')?.size).toBe(1)
})

test.for([
  ['agentd_song', {}],
  ['agentd_need', { change: 'opened', need: {} }],
  ['agentd_session', {}],
  ['agentd_passed', {}],
  ['agentd_receipt', { event_id: 'e1-1' }],
] as const)('%s with %j says nothing that can be read, and is passed over (W-1)', ([name, data]) => {
  expect(readWatchEvent(name, data, undefined)).toBeUndefined()
})
