/** Who may carry a living session on (HD-01). */
import { expect, test } from 'vitest'
import { BENCH_PID, Workbench } from '../workbench.ts'

const LEASE_MS = 1_800_000

/** Another process than the one that registers on a workbench. */
const STRANGER = { peerPid: 2_000 }

/** A runtime whose children are all but the stranger. */
function isRuntimeOf(pid: number, of: number): boolean {
  return pid === 4_242 && of !== STRANGER.peerPid
}

function heirOf(name: string): Record<string, unknown> {
  return { instrument: 'cc', session_id: 'heir', mailbox: true, successor_of: `cc@${name}` }
}

const refusedToCarryOn: unknown = expect.objectContaining({ code: 'session-exists', field: 'successor_of' })

/** A workbench on which a session has mail, and where the stranger runs. */
function withVictim(options: ConstructorParameters<typeof Workbench>[0] = {}, pid?: number) {
  const bench = new Workbench(options)
  bench.processes.set(STRANGER.peerPid, 'stranger')
  if (pid !== undefined) bench.processes.set(pid, 'runtime')
  const request = { instrument: 'cc', session_id: 'victim', mailbox: true, pid }
  const victim = bench.register(request)
  const waiting = bench.publish({ scope: '~alice/cc@victim' })
  return { bench, victim, waiting }
}

test('naming a living session takes nothing from it: it keeps its mailbox, and nobody was registered (HD-01)', () => {
  const { bench, victim, waiting } = withVictim()

  for (const proof of [STRANGER, {}, { ...STRANGER, predecessorToken: 'x'.repeat(43) }]) {
    expect(() => bench.register(heirOf('victim'), undefined, proof)).toThrow(refusedToCarryOn)
  }

  expect(bench.broker.sessions.count).toBe(1)
  expect(bench.drain(victim.session).items.map(({ frame }) => frame.frame_id)).toEqual([waiting.frame_id])
})

test('neither does an update that names one (HD-01)', () => {
  const { bench, victim } = withVictim()
  const request = { instrument: 'cc', session_id: 'heir', mailbox: true }
  const heir = bench.register(request, undefined, STRANGER)

  expect(() => bench.register(heirOf('victim'), heir, STRANGER)).toThrow(refusedToCarryOn)

  expect(victim.session.mailbox?.unread).toBe(1)
})

test("nobody carries on another's stream without a token: a visitor has none to show (HD-01)", () => {
  const bench = new Workbench()
  const facts = { handle: '~alice', instrument: 'cc', sessionId: 'visitor', tool: 'cli' }
  bench.open(bench.broker.sessions.visit(facts))

  expect(() => bench.register(heirOf('visitor'))).toThrow(refusedToCarryOn)
})

test.each([
  ['its token', (token: string) => ({ ...STRANGER, predecessorToken: token })],
  ['the process that registered it', () => ({ peerPid: BENCH_PID })],
])('a living session is carried on by %s (HD-01)', (_, proofOf) => {
  const { bench, victim } = withVictim()

  const { session } = bench.register(heirOf('victim'), undefined, proofOf(victim.token))

  expect(session.mailbox?.unread).toBe(1)
  expect(victim.session.mailbox).toBeUndefined()
})

test('so it is by a child of the process that both name, as a hook is one (HD-01)', () => {
  const { bench } = withVictim({ isForebear: isRuntimeOf }, 4_242)
  bench.processes.set(4_243, 'another hook')

  expect(() => bench.register({ ...heirOf('victim'), pid: 4_242 }, undefined, STRANGER)).toThrow(
    refusedToCarryOn,
  )
  expect(() => bench.register(heirOf('victim'), undefined, { peerPid: 4_243 })).toThrow(refusedToCarryOn)
  const { session } = bench.register({ ...heirOf('victim'), pid: 4_242 }, undefined, { peerPid: 4_243 })

  expect(session.mailbox?.unread).toBe(1)
})

test('a process that took the number of the one that registered it proves nothing (HD-01)', () => {
  const { bench } = withVictim()
  bench.processes.set(BENCH_PID, 'a later one')

  expect(() => bench.register(heirOf('victim'))).toThrow(refusedToCarryOn)
})

test('a dead session is carried on by whoever names it, as ever (HD-01)', () => {
  const { bench } = withVictim()
  bench.clock.advance(LEASE_MS)

  expect(bench.register(heirOf('victim'), undefined, STRANGER).session.mailbox?.unread).toBe(1)
})

test("what comes to a former address after the hand-over is not the heir's to call seen (HD-01)", () => {
  const { bench, victim } = withVictim()
  const from = bench.session('codex', 'sender')
  bench.open(victim.session)
  const before = bench.publish({ from, scope: '~alice/cc@victim' })
  const proof = { ...STRANGER, predecessorToken: victim.token }
  const { session: heir } = bench.register(heirOf('victim'), undefined, proof)
  const after = bench.publish({ from, scope: '~alice/cc@victim' })

  bench.broker.receipts.markSeen(heir, { event_ids: [before.event_id, after.event_id], via: 'stream' })

  const statesOf = ({ frame_id }: { frame_id: string }): readonly unknown[] =>
    bench.broker.receipts.describe(bench.broker.receipts.require(frame_id)).receipts.map(({ state }) => state)
  expect([statesOf(before), statesOf(after)]).toEqual([['seen'], ['emitted']])
})
