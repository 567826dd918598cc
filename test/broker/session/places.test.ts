/** Places cannot be taken for ever (HD-04). */
import { expect, test } from 'vitest'
import { HEARD_LATELY_MS, MAX_FAIR_PLACES } from '../../../src/broker/session/places.ts'
import { MAX_UNPROVEN_LEASES } from '../../../src/broker/session/leases.ts'
import { BENCH_PID, Workbench } from '../workbench.ts'

const LEASE_MS = 1_800_000
const PLACES = MAX_FAIR_PLACES * 2

const refusedAsFull: unknown = expect.objectContaining({ code: 'busy', retryAfterMs: HEARD_LATELY_MS })

/** A workbench whose every process is its own and its child's forebear only. */
function benchOf(places: number): Workbench {
  const bench = new Workbench({
    limits: { sessions: places },
    isForebear: (pid, of) => pid === of || pid === 1,
  })
  bench.processes.set(1, 'init')
  return bench
}

/** A session from a process of its own. */
function loner(bench: Workbench, peerPid: number) {
  bench.processes.set(peerPid, 'loner')
  return bench.register({ instrument: 'cc', session_id: `p${peerPid}` }, undefined, { peerPid })
}

function namesOn(bench: Workbench): readonly string[] {
  return bench.broker.sessions.roster('~alice', { limit: 10_000 }).sessions.map(({ sessionId }) => sessionId)
}

test('the first process of the machine keeps nobody alive, nor does one that is no forebear (HD-04)', () => {
  const bench = benchOf(10)
  bench.processes.set(7, 'somebody else')
  bench.session('cc', 'squatter', { pid: 1 })
  bench.session('cc', 'other', { pid: 7 })
  bench.session('cc', 'honest', { pid: BENCH_PID })

  bench.clock.advance(LEASE_MS)

  expect(namesOn(bench)).toEqual(['honest'])
})

test('a process proved once counts for whoever updates the session with its token (HD-04)', () => {
  const bench = benchOf(10)
  bench.processes.set(7, 'waiter')
  const request = { instrument: 'cc', session_id: 's1', pid: BENCH_PID }
  const held = bench.register(request)

  bench.register(request, held, { peerPid: 7 })
  bench.clock.advance(LEASE_MS)

  expect(namesOn(bench)).toEqual(['s1'])
})

test('where nobody can be asked, a running process keeps a silent session for a bounded number of leases (HD-04)', () => {
  const bench = new Workbench()
  bench.processes.set(7, 'any')
  bench.session('cc', 's1', { pid: 7 })

  bench.clock.advance((MAX_UNPROVEN_LEASES - 1) * LEASE_MS)
  const before = namesOn(bench)
  bench.clock.advance(LEASE_MS)

  expect([before, namesOn(bench)]).toEqual([['s1'], []])
})

test('a crowd of one process gives way to whoever comes, longest silent first, and nobody else does (HD-04)', () => {
  const bench = benchOf(PLACES)
  const early = loner(bench, 500)
  bench.clock.advance(HEARD_LATELY_MS)
  const crowd = Array.from({ length: PLACES - 1 }, (_, i) =>
    bench.register({ instrument: 'cc', session_id: `c${i}`, pid: BENCH_PID }),
  )
  bench.clock.advance(1)
  bench.broker.sessions.authenticate(crowd[0]?.token ?? '')

  const late = loner(bench, 501)

  expect(namesOn(bench)).toContain(early.session.sessionId)
  expect(namesOn(bench)).toContain(late.session.sessionId)
  expect(bench.broker.sessions.authenticate(crowd[0]?.token ?? '')).toBeDefined()
  expect(bench.broker.sessions.authenticate(crowd[1]?.token ?? '')).toBeUndefined()
  expect(bench.broker.sessions.count).toBe(PLACES)
})

test('without a crowd the longest silent gives way, once it was silent for a while (HD-04)', () => {
  const bench = benchOf(3)
  const [one, two] = [loner(bench, 501), loner(bench, 502), loner(bench, 503)]
  bench.clock.advance(HEARD_LATELY_MS - 1)
  bench.broker.sessions.authenticate(one.token)

  expect(() => loner(bench, 504)).toThrow(refusedAsFull)
  bench.clock.advance(1)
  loner(bench, 504)

  expect(bench.broker.sessions.authenticate(two.token)).toBeUndefined()
  expect(namesOn(bench)).toEqual(['p501', 'p503', 'p504'])
})

test('who holds a stream keeps its place, however silent it is (HD-04)', () => {
  const bench = benchOf(2)
  for (const pid of [501, 502]) bench.open(loner(bench, pid).session)
  bench.clock.advance(HEARD_LATELY_MS * 10)

  expect(() => loner(bench, 503)).toThrow(refusedAsFull)
})

test('what waits for one that gave way is there when it comes back (HD-04)', () => {
  const bench = benchOf(1)
  const request = { instrument: 'cc', session_id: 's1', mailbox: true }
  bench.register(request)
  const { frame_id } = bench.publish()
  bench.clock.advance(HEARD_LATELY_MS)
  loner(bench, 501)
  bench.clock.advance(HEARD_LATELY_MS)

  const { session } = bench.register(request)

  expect(bench.drain(session).items.map(({ frame }) => frame.frame_id)).toEqual([frame_id])
})

test('a house full of sessions that named the first process is open to a hundred others (HD-04)', () => {
  const bench = benchOf(1_000)
  for (let i = 0; i < 1_000; i += 1) bench.session('cc', `squatter-${i}`, { pid: 1 })

  for (let pid = 2_000; pid < 2_100; pid += 1) loner(bench, pid)

  expect(namesOn(bench).filter((name) => name.startsWith('p'))).toHaveLength(100)
})
