/**
 * What one process, session or principal may take of what all share (HD-05, R-47).
 */
import { describe, expect, test } from 'vitest'
import { LEAST_SHARE_FRAMES } from '../../../src/broker/quota/ring-shares.ts'
import { RECIPIENTS_PER_SUBMISSION, RESERVED_RATE } from '../../../src/broker/quota/quota.ts'
import type { Source } from '../../../src/broker/quota/source.ts'
import type { Caller } from '../../../src/broker/session/caller.ts'
import { LEAST_SHARE_STREAMS } from '../../../src/broker/streams.ts'
import { parseSubmission } from '../../../src/protocol/frame/submission.ts'
import { refusalOf } from '../../support/refusals.ts'
import { ALICE, Workbench } from '../workbench.ts'

/** Submits one frame as a caller. @throws AgentdError when it is refused */
function submit(bench: Workbench, caller: Caller): void {
  const frame = bench.frame({ from: caller.session })
  bench.broker.submit(parseSubmission({ frame }), caller, () => {})
}

/** As {@link submit}, and ends the turn. */
function send(bench: Workbench, caller: Caller): void {
  submit(bench, caller)
  bench.turn()
}

/** Submits until it is refused. @returns how many were not */
function flood(bench: Workbench, callers: readonly Caller[], most = 100_000): number {
  for (let i = 0; i < most; i += 1) {
    const refused = refusalOf(() => send(bench, callers[i % callers.length]!))
    if (refused !== undefined) return i
  }
  return most
}

/** Who sends no token, from a process. */
function shellOf(peerPid: number): Caller {
  return { principal: ALICE, session: undefined, peerPid }
}

function sessionsOf(bench: Workbench, peerPid: number | undefined, count: number): Caller[] {
  return Array.from({ length: count }, (_, i) => ({
    principal: ALICE,
    session: bench.session('flood', `p${peerPid ?? 0}-${i}`),
    peerPid,
  }))
}

describe('rates', () => {
  test('ten sessions of one process are no more quota than one of them (HD-05)', () => {
    const bench = new Workbench({ limits: { submissionsPerSecond: 1, submissionBurst: 20 } })

    expect(flood(bench, sessionsOf(bench, 7, 10))).toBe(20)
    expect(flood(bench, sessionsOf(bench, 8, 1))).toBe(20)
  })

  test('without a token each process is a sender of its own (HD-05)', () => {
    const bench = new Workbench({ limits: { submissionsPerSecond: 1, submissionBurst: 20 } })
    flood(bench, [shellOf(7)])

    expect(flood(bench, [shellOf(8)])).toBe(20)
  })

  test('all of them together have a bound, and beyond it each has a little left (HD-05)', () => {
    const limits = { submissionsPerSecond: 1, submissionBurst: 100, sendersAtOnce: 3 }
    const bench = new Workbench({ limits })
    const processes = Array.from({ length: 8 }, (_, i) => sessionsOf(bench, 100 + i, 1))
    const taken = processes.map((callers) => flood(bench, callers))

    expect(taken.slice(0, 3)).toEqual([100, 100, 100])
    expect(taken.slice(3)).toEqual(Array.from({ length: 5 }, () => RESERVED_RATE.burst))
    const [last = []] = processes.slice(-1)
    bench.clock.advance(1_000 / RESERVED_RATE.perSecond)
    expect(flood(bench, last, 1)).toBe(1)
  })

  test('what reaches many costs as much as many frames (HD-05)', () => {
    const bench = new Workbench({ limits: { submissionsPerSecond: 1, submissionBurst: 10 } })
    for (let i = 0; i < 2 * RECIPIENTS_PER_SUBMISSION; i += 1) bench.open(bench.session('reader', `s${i}`))

    // One for itself and two for whom it reaches; the tenth token pays for no fourth.
    expect(flood(bench, sessionsOf(bench, 7, 1))).toBe(3)
  })
})

const RING = 4 * LEAST_SHARE_FRAMES

describe('the ring', () => {
  test('whoever holds more than its share of a full one pushes out nothing of the others (HD-05)', () => {
    const bench = new Workbench({ retention: { maxFrames: RING } })
    const [polite] = sessionsOf(bench, 8, 1)
    send(bench, polite!)
    const taken = flood(bench, sessionsOf(bench, 7, 10), 3 * RING)

    expect(taken).toBeLessThan(RING)
    expect(bench.ring.firstSeq).toBe(1)
    expect(() => send(bench, { principal: ALICE, session: undefined, peerPid: 7 })).toThrow(
      expect.objectContaining({ code: 'rate-limited', retryAfterMs: 3_600_000 }),
    )
    expect(refusalOf(() => send(bench, polite!))).toBeUndefined()
  })

  test('nor does it in one turn, however much of it comes at once (HD-05)', () => {
    const bench = new Workbench({ retention: { maxFrames: RING } })
    send(bench, sessionsOf(bench, 8, 1)[0]!)
    const callers = sessionsOf(bench, 7, 10)
    const refused = Array.from({ length: 3 * RING }, (_, i) =>
      refusalOf(() => submit(bench, callers[i % callers.length]!)),
    ).filter((refusal) => refusal !== undefined)
    bench.turn()

    expect(refused.length).toBeGreaterThan(2 * RING)
    expect(refused[0]).toMatchObject({ code: 'rate-limited' })
    expect(bench.ring.firstSeq).toBe(1)
    expect(bench.ring.count).toBeLessThan(RING)
  })

  test('it goes on when what it pushes out has been there for long enough (HD-05)', () => {
    const bench = new Workbench({ retention: { maxFrames: RING }, limits: { protectMs: 1_000 } })
    send(bench, sessionsOf(bench, 8, 1)[0]!)
    const flooding = sessionsOf(bench, 7, 1)
    flood(bench, flooding, 3 * RING)
    bench.clock.advance(1_000)

    expect(flood(bench, flooding, RING)).toBe(RING)
  })

  test('who is alone has all of it (HD-05)', () => {
    const bench = new Workbench({ retention: { maxFrames: RING } })

    expect(flood(bench, sessionsOf(bench, undefined, 1), 3 * RING)).toBe(3 * RING)
  })

  test('what was forgotten is held against nobody (HD-05)', async () => {
    const bench = new Workbench({ retention: { maxFrames: RING } })
    send(bench, sessionsOf(bench, 8, 1)[0]!)
    const flooding = sessionsOf(bench, 7, 1)
    flood(bench, flooding, 3 * RING)
    await bench.forget({ beforeMs: bench.clock.nowMs() + 1 })

    expect(flood(bench, flooding, LEAST_SHARE_FRAMES)).toBe(LEAST_SHARE_FRAMES)
  })
})

describe('streams', () => {
  const LIMIT = 4 * LEAST_SHARE_STREAMS

  /** Opens streams until there is no room. @returns how many */
  function open(bench: Workbench, caller: Caller, source: Source): number {
    for (let i = 0; i < 2 * LIMIT; i += 1) {
      const refused = refusalOf(() => {
        bench.broker.streams.requireRoom()
        bench.broker.streams.requireShare(caller)
      })
      if (refused !== undefined) return i
      const facts = {
        handle: ALICE,
        instrument: 'v',
        sessionId: `${String(source).replace('~', '')}-${i}`,
        tool: 'other',
      }
      bench.open(bench.broker.sessions.visit(facts), { source })
    }
    return 2 * LIMIT
  }

  test('one process takes its share of them and leaves the others theirs (HD-05)', () => {
    const bench = new Workbench({ limits: { subscriptions: LIMIT } })

    expect(open(bench, shellOf(7), 7)).toBe(LEAST_SHARE_STREAMS)
    expect(open(bench, shellOf(8), 8)).toBe(LEAST_SHARE_STREAMS)
  })

  test('those that nobody can tell apart leave one share free, and a closed stream is given back (HD-05)', () => {
    const bench = new Workbench({ limits: { subscriptions: LIMIT } })
    const anybody: Caller = { principal: ALICE, session: undefined }
    const session = bench.session('cc', 's1')

    expect(open(bench, anybody, ALICE)).toBe(LIMIT - LEAST_SHARE_STREAMS)
    const { subscription } = bench.open(session, { source: session.address })
    expect(open(bench, bench.caller(session), session.address)).toBe(LEAST_SHARE_STREAMS - 1)
    subscription.closed()
    expect(refusalOf(() => bench.broker.streams.requireShare(bench.caller(session)))).toBeUndefined()
  })
})
