/** What sessions say they do: who says it, since when, and who takes it over (W-4, SEAT-10). */
import { expect, test } from 'vitest'
import { ActivityRequest } from '../../../src/protocol/http/requests.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import { BENCH_PID, Workbench } from '../workbench.ts'

const LEASE_MS = 1_800_000

const ASKING = { state: 'waiting', reason: 'permission', text: 'May I?' }

function say(bench: Workbench, session: Session, said: object): void {
  bench.broker.setActivity(session, ActivityRequest.parse(said))
}

test('a session does what it said last, and nothing is known of it before that (W-4)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  const before = session.activity

  say(bench, session, ASKING)
  bench.clock.advance(5)
  say(bench, session, { state: 'working' })

  expect(before).toBeUndefined()
  expect(session.activity).toEqual({
    state: 'working',
    reason: null,
    text: null,
    sinceMs: bench.clock.nowMs(),
  })
})

test('the same again is as it was, and since when (W-4)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  say(bench, session, ASKING)
  const first = session.activity

  bench.clock.advance(60_000)
  say(bench, session, ASKING)
  const again = session.activity
  say(bench, session, { ...ASKING, text: 'May I do something else?' })

  expect(again).toBe(first)
  expect(session.activity?.sinceMs).toBe((first?.sinceMs ?? 0) + 60_000)
})

test('an empty text is none (W-4)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')

  say(bench, session, { state: 'idle', text: '' })

  expect(session.activity?.text).toBeNull()
})

test('an update of the registration leaves it alone, a new holder of the address begins without (W-4)', () => {
  const bench = new Workbench()
  const request = { instrument: 'cc', session_id: 's1' }
  const holder = bench.register(request)
  say(bench, holder.session, ASKING)

  const updated = bench.register({ ...request, title: 'new' }, holder).session.activity
  bench.clock.advance(LEASE_MS)
  const later = bench.register(request)

  expect(updated).toMatchObject(ASKING)
  expect(later.session.activity).toBeUndefined()
})

test.each([
  ['works', { state: 'working' }, 'working'],
  ['rests', { state: 'idle' }, 'idle'],
  ['waits at a prompt that goes with it', ASKING, undefined],
])('who carries on a living session that %s takes over what holds on (W-4)', (_, said, expected) => {
  const bench = new Workbench()
  const former = bench.session('cc', 'former', { mailbox: true })
  say(bench, former, said)
  const heir = { instrument: 'cc', session_id: 'heir', mailbox: true, successor_of: 'cc@former' }

  bench.clock.advance(7)
  const { session } = bench.register(heir, undefined, { peerPid: BENCH_PID })

  expect(session.activity?.state).toBe(expected)
  if (expected !== undefined) expect(session.activity).toEqual(former.activity)
})

test('of a dead session nothing is taken over: nobody knows what it does (W-4)', () => {
  // Shorter than the broker looks: it is dead before it is gone.
  const bench = new Workbench({ limits: { leaseMs: 400 } })
  say(bench, bench.session('cc', 'former', { mailbox: true }), { state: 'working' })
  bench.clock.advance(500)

  const { session } = bench.register({
    instrument: 'cc',
    session_id: 'heir',
    mailbox: true,
    successor_of: 'cc@former',
  })

  expect(session.activity).toBeUndefined()
})

test('what an heir has said itself stands (W-4)', () => {
  const bench = new Workbench()
  say(bench, bench.session('cc', 'former', { mailbox: true }), { state: 'working' })
  const request = { instrument: 'cc', session_id: 'heir', mailbox: true }
  const heir = bench.register(request)
  say(bench, heir.session, { state: 'idle' })

  bench.register({ ...request, successor_of: 'cc@former' }, heir)

  expect(heir.session.activity?.state).toBe('idle')
})

test('those that wait are counted, and not those that rest or work (SEAT-10)', () => {
  const bench = new Workbench()
  const sessions = ['a', 'b', 'c', 'd'].map((id) => bench.session('cc', id))
  const [one, two, three] = sessions
  if (one === undefined || two === undefined || three === undefined) throw new Error('four are there')

  say(bench, one, ASKING)
  say(bench, two, { state: 'waiting' })
  say(bench, three, { state: 'idle' })
  const waiting = bench.broker.sessions.waitingCount
  say(bench, two, { state: 'working' })

  expect(waiting).toBe(2)
  expect(bench.broker.sessions.waitingCount).toBe(1)
})

test('when a session sent last is when its last frame or envelope was accepted (W-4)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1', { entities: ['agent.a'] })
  const other = bench.session('codex', 's2')
  bench.publish({ from: session })
  const afterFrame = session.lastSentAtMs

  bench.clock.advance(3)
  bench.tell({ from: 'agent.a', to: 'bus.ops' }, session)

  expect(afterFrame).toBe(bench.clock.nowMs() - 3)
  expect(session.lastSentAtMs).toBe(bench.clock.nowMs())
  expect(other.lastSentAtMs).toBeUndefined()
})
