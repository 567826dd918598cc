/** A process that nobody proved, and whose beginning who registered knew: its session ends with it (HD-04, OP-27). */
import { expect, test } from 'vitest'
import { MAX_UNPROVEN_LEASES } from '../../../src/broker/session/leases.ts'
import { ROUND_MS } from '../../../src/broker/kinship/lifelines.ts'
import { ROOMY_LIMITS } from '../../support/broker-limits.ts'
import { Workbench } from '../workbench.ts'

const PROGRAM_PID = 4_242
const STRANGER_PID = 2_000
const BEGAN = 'boot:17'

const refusedToCarryOn: unknown = expect.objectContaining({ code: 'session-exists', field: 'successor_of' })

/** A workbench on which the kernel is not asked, with a program's session on it. */
function benchWith(
  pidStart: string | undefined,
  options: ConstructorParameters<typeof Workbench>[0] = {},
): Workbench {
  const bench = new Workbench(options)
  bench.processes.set(PROGRAM_PID, BEGAN).set(STRANGER_PID, 'boot:99')
  bench.register({ instrument: 'cc', session_id: 's1', mailbox: true, pid: PROGRAM_PID }, undefined, {
    pidStart,
  })
  return bench
}

function heir(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { instrument: 'cc', session_id: 'heir', mailbox: true, successor_of: 'cc@s1', ...more }
}

test('it ends with the process, at once, and what waited is kept (OP-27)', () => {
  const bench = benchWith(BEGAN)
  const { frame_id } = bench.publish({ scope: '~alice/cc@s1' })

  bench.processes.delete(PROGRAM_PID)
  bench.clock.advance(ROUND_MS)

  expect(bench.broker.sessions.count).toBe(0)
  const { session } = bench.register(heir())
  expect(bench.drain(session).items.map(({ frame }) => frame.frame_id)).toEqual([frame_id])
})

test('a number given out anew ends it as well, and nothing reaches it from then on (OP-27)', () => {
  const bench = benchWith(BEGAN)

  bench.processes.set(PROGRAM_PID, 'boot:18')

  expect(bench.publish({ scope: '~alice/cc@s1' })).toMatchObject({ recipient_count: 0, queued_count: 0 })
})

test.each([
  ['of which nothing was said', undefined],
  ['that began at another time, as in a container of its own', 'boot:16'],
  ['of an earlier life of the machine', 'tin:17'],
])('the end of a process %s ends nothing: the lease does (HD-04)', (_, pidStart) => {
  const bench = benchWith(pidStart)

  bench.processes.delete(PROGRAM_PID)
  bench.clock.advance(ROUND_MS)

  expect(bench.broker.sessions.count).toBe(1)
  expect(() => bench.register(heir())).toThrow(refusedToCarryOn)
  bench.clock.advance(ROOMY_LIMITS.leaseMs)
  expect(bench.broker.sessions.count).toBe(0)
})

test('who names the same process, with the time it began, carries nothing on while it lives (HD-01)', () => {
  const bench = benchWith(BEGAN)
  const proof = { pidStart: BEGAN }

  expect(() => bench.register(heir({ pid: PROGRAM_PID }), undefined, proof)).toThrow(refusedToCarryOn)

  expect(bench.broker.sessions.count).toBe(1)
})

test('who hangs a session of its own on the process of another one loses its own with it, and no more (HD-04)', () => {
  const bench = benchWith(undefined)
  const own = { instrument: 'cc', session_id: 's2', pid: PROGRAM_PID }
  bench.register(own, undefined, { peerPid: STRANGER_PID, pidStart: BEGAN })

  bench.processes.delete(PROGRAM_PID)
  bench.clock.advance(ROUND_MS)

  const { sessions } = bench.broker.sessions.roster('~alice', { limit: 100 })
  expect(sessions.map(({ address }) => address)).toEqual(['~alice/cc@s1'])
})

test('an update without the time keeps what was known, and another process has to be told anew (HD-04)', () => {
  const bench = new Workbench()
  bench.processes.set(PROGRAM_PID, BEGAN).set(7, 'boot:21')
  const wish = { instrument: 'cc', pid: PROGRAM_PID }
  const kept = bench.register({ ...wish, session_id: 'kept' }, undefined, { pidStart: BEGAN })
  const moved = bench.register({ ...wish, session_id: 'moved' }, undefined, { pidStart: BEGAN })

  bench.register({ ...wish, session_id: 'kept', title: 'on' }, kept, {})
  bench.register({ ...wish, session_id: 'moved', pid: 7 }, moved, {})
  bench.processes.clear()
  bench.clock.advance(ROUND_MS)

  const { sessions } = bench.broker.sessions.roster('~alice', { limit: 100 })
  expect(sessions.map(({ address }) => address)).toEqual(['~alice/cc@moved'])
})

test('one that runs keeps a silent session no longer than any other that nobody proved (HD-04)', () => {
  const bench = benchWith(BEGAN, { limits: { leaseMs: 1_000 } })

  bench.clock.advance(MAX_UNPROVEN_LEASES * 1_000 - 500)
  expect(bench.broker.sessions.count).toBe(1)
  bench.clock.advance(2_000)

  expect(bench.broker.sessions.count).toBe(0)
})

test('where the kernel is asked, the word of who registers counts for nothing (HD-04)', () => {
  const bench = benchWith(BEGAN, { isForebear: () => false })

  bench.processes.delete(PROGRAM_PID)
  bench.clock.advance(ROUND_MS)

  expect(bench.broker.sessions.count).toBe(1)
})
