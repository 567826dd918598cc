/** A session whose process is gone is not there (OP-27). */
import { expect, test } from 'vitest'
import { MAX_GLANCES, MAX_LOOKS, ROUND_MS } from '../../../src/broker/kinship/lifelines.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import { Workbench } from '../workbench.ts'

const RUNTIME_PID = 4_242
const ADDRESS = '~alice/cc@s1'

/** A workbench on which the kernel shows every process as a forebear, and counts how often it is asked. */
function benchOfProcesses(): Workbench {
  return new Workbench({ isForebear: () => true })
}

/** A session that hangs on a process of its own. */
function sessionOf(bench: Workbench, pid = RUNTIME_PID, more: Record<string, unknown> = {}): Session {
  bench.processes.set(pid, `life of ${pid}`)
  return bench.session('cc', 's1', { pid, mailbox: true, ...more })
}

function addressesOn(bench: Workbench): readonly string[] {
  return bench.broker.sessions.roster('~alice', { limit: 100 }).sessions.map(({ address }) => address)
}

test('a session ends with its process, unasked, and what waited for it is kept for who carries it on (OP-27)', () => {
  const bench = benchOfProcesses()
  sessionOf(bench)
  const { frame_id } = bench.publish({ scope: ADDRESS })

  bench.processes.delete(RUNTIME_PID)
  bench.clock.advance(ROUND_MS)

  expect(bench.broker.sessions.count).toBe(0)
  const heir = bench.session('cc', 's2', { mailbox: true, successor_of: 'cc@s1' })
  expect(bench.drain(heir).items.map(({ frame }) => frame.frame_id)).toEqual([frame_id])
})

test.each([
  ['its mailbox', () => undefined],
  ['its stream', (bench: Workbench, session: Session) => bench.open(session)],
])('nothing is sent to %s from the moment its process is gone (OP-27)', (_, prepare) => {
  const bench = benchOfProcesses()
  prepare(bench, sessionOf(bench))
  const before = bench.publish({ scope: ADDRESS })
  bench.clock.advance(20)

  bench.processes.delete(RUNTIME_PID)
  const after = bench.publish({ scope: ADDRESS })

  expect(before.recipient_count + before.queued_count).toBe(1)
  expect(after).toMatchObject({ recipient_count: 0, queued_count: 0 })
  expect(bench.broker.receipts.describe(bench.broker.receipts.require(after.frame_id)).receipts).toEqual([])
})

test('who asks for the roster, or for one session of it, is told of no dead one (OP-27)', () => {
  const bench = benchOfProcesses()
  sessionOf(bench)
  bench.processes.set(7, 'living')
  bench.session('codex', 's2', { pid: 7 })

  bench.processes.delete(RUNTIME_PID)

  expect(bench.broker.sessions.findLiving(ADDRESS)).toBeUndefined()
  expect(addressesOn(bench)).toEqual(['~alice/codex@s2'])
})

test('a process that got the number of the dead one keeps nobody alive (OP-27)', () => {
  const bench = benchOfProcesses()
  sessionOf(bench)

  bench.processes.set(RUNTIME_PID, 'a later life')

  expect(addressesOn(bench)).toEqual([])
})

test('a number that nobody proved ends no session within its lease (HD-04, OP-27)', () => {
  const bench = new Workbench()
  sessionOf(bench)

  bench.processes.delete(RUNTIME_PID)
  bench.clock.advance(10 * ROUND_MS)

  expect(addressesOn(bench)).toEqual([ADDRESS])
})

test('an update that takes its process back hangs on none, one that is silent of it on the same (docs/http.md §4)', () => {
  const bench = benchOfProcesses()
  bench.processes.set(RUNTIME_PID, 'life')
  const request = { instrument: 'cc', session_id: 's1' }
  const held = bench.register({ ...request, pid: RUNTIME_PID })
  const other = bench.register({ ...request, session_id: 's2', pid: RUNTIME_PID })
  bench.register({ ...request, pid: null }, held)
  bench.register({ ...request, session_id: 's2' }, other)

  bench.processes.delete(RUNTIME_PID)
  bench.clock.advance(10 * ROUND_MS)

  expect(addressesOn(bench)).toEqual([ADDRESS])
})

test('a system that cannot look just now makes nobody dead (OP-27)', () => {
  const bench = benchOfProcesses()
  sessionOf(bench)
  bench.processes.get = () => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  }

  bench.clock.advance(3 * ROUND_MS)

  expect(addressesOn(bench)).toEqual([ADDRESS])
})

test('the end of a session is told once, and whether somebody carries it on (OP-27)', () => {
  const bench = benchOfProcesses()
  const ends: (readonly [string, boolean])[] = []
  const stop = bench.broker.sessions.observeEnds((address, isCarriedOn) => ends.push([address, isCarriedOn]))
  sessionOf(bench)
  const held = bench.register({ instrument: 'cc', session_id: 's3', mailbox: true })
  bench.session('cc', 's4', { mailbox: true, successor_of: 'cc@s3' })

  bench.processes.delete(RUNTIME_PID)
  bench.clock.advance(2 * ROUND_MS)
  bench.broker.sessions.close(held.session)
  stop()
  bench.broker.sessions.close(bench.session('cc', 's5'))

  expect(ends).toEqual([
    [ADDRESS, false],
    ['~alice/cc@s3', true],
  ])
})

test('however many processes there are, a second costs so many looks and no more, and each has its turn (P-12, OP-27)', () => {
  const bench = benchOfProcesses()
  const count = 3 * MAX_GLANCES
  for (let i = 0; i < count; i += 1) {
    bench.processes.set(10_000 + i, `life of ${i}`)
    bench.session('cc', `s${i}`, { pid: 10_000 + i })
  }
  const asked = { looks: 0, glances: 0 }
  const { get, has } = {
    get: bench.processes.get.bind(bench.processes),
    has: bench.processes.has.bind(bench.processes),
  }
  bench.processes.get = (pid) => ((asked.looks += 1), get(pid))
  bench.processes.has = (pid) => ((asked.glances += 1), has(pid))

  bench.clock.advance(ROUND_MS)
  const ofOneRound = { ...asked }
  for (let i = 0; i < count; i += 1) bench.processes.delete(10_000 + i)
  bench.clock.advance(3 * ROUND_MS)

  expect(ofOneRound).toEqual({ looks: MAX_LOOKS, glances: MAX_GLANCES })
  expect(bench.broker.sessions.count).toBe(0)
})

test('many frames to one session in a moment are one look (OP-27)', () => {
  const bench = benchOfProcesses()
  sessionOf(bench)
  let looks = 0
  const get = bench.processes.get.bind(bench.processes)
  bench.processes.get = (pid) => ((looks += 1), get(pid))

  for (let i = 0; i < 100; i += 1) bench.publish({ scope: ADDRESS })

  expect(looks).toBe(1)
})
