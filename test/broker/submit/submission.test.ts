import { expect, test } from 'vitest'
import { Workbench } from '../workbench.ts'

/** What a refusal has to look like. */
function refusal(code: string, field?: string): unknown {
  return expect.objectContaining({ code, field })
}

test('a frame sent again in the same turn is emitted once, and both are answered alike (R-14, ACQ-25)', () => {
  const bench = new Workbench()
  const { sink } = bench.open(bench.session('cc', 's1'))
  const frame = bench.frame()
  const replies: unknown[] = []

  for (let i = 0; i < 3; i += 1) bench.submit(frame, { respond: (reply) => replies.push(reply) })
  bench.turn()

  const first = {
    frame_id: frame.frame_id,
    event_id: 'e1-1',
    recipient_count: 1,
    queued_count: 0,
    ack: 'memory',
  }
  expect(replies).toEqual([first, { ...first, duplicate: true }, { ...first, duplicate: true }])
  expect(sink.frameIds).toEqual([frame.frame_id])
  expect(bench.broker.counters).toMatchObject({ framesAccepted: 1, framesDuplicate: 2 })
})

test('a frame sent again later gets the first answer, whatever has changed since (R-14, ACQ-25)', () => {
  const bench = new Workbench()
  const { sink, subscription } = bench.open(bench.session('cc', 's1'))
  const frame = bench.frame()
  const first = bench.publishFrame(frame)
  bench.publish()
  subscription.closed()

  const again = bench.publishFrame(frame)

  expect(again).toEqual({ ...first, duplicate: true })
  expect(sink.seqs).toEqual([1, 2])
  expect(bench.ring.lastSeq).toBe(2)
})

test('an id in the other case is the same id (ACQ-19)', () => {
  const bench = new Workbench()
  const frame = bench.frame()
  bench.publishFrame(frame)

  expect(() => bench.submit({ ...frame, frame_id: frame.frame_id.toUpperCase() })).toThrow(
    refusal('field-invalid', 'frame_id'),
  )
})

test.each([
  ['another text', { payload: { advisory_text: 'another' } }, undefined],
  ['another scope', {}, '~alice/cc*'],
])(
  'the same id with %s is refused, before and after the end of the turn (R-14, ACQ-25)',
  (_says, change, scope) => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1'))
    const frame = bench.frame()
    bench.submit(frame)
    const send = (): void => bench.submit({ ...frame, ...change }, { scope })

    expect(send).toThrow(refusal('field-invalid', 'frame_id'))
    bench.turn()
    expect(send).toThrow(refusal('field-invalid', 'frame_id'))
    bench.turn()

    expect(sink.seqs).toEqual([1])
  },
)

test('two spellings of one scope are one submission (ACQ-25, AC-116)', () => {
  const bench = new Workbench()
  const frame = bench.frame()
  bench.publishFrame(frame, { scope: '~alice' })

  expect(bench.publishFrame(frame, { scope: '~alice/*' })).toMatchObject({ duplicate: true })
  expect(bench.publishFrame(frame)).toMatchObject({ duplicate: true })
})

test('an id is remembered for ten minutes at least, and not for ever (R-14, ACQ-25)', () => {
  const bench = new Workbench()
  const frame = bench.frame()
  bench.publishFrame(frame)

  bench.clock.advance(10 * 60_000 - 1)
  expect(bench.publishFrame(frame)).toMatchObject({ duplicate: true, event_id: 'e1-1' })
  bench.clock.advance(20 * 60_000)
  const fresh = bench.publishFrame(frame)

  expect(fresh).not.toHaveProperty('duplicate')
  expect(fresh.event_id).toBe('e1-2')
})

test('a window that turns over between does not forget what is younger than ten minutes (R-14)', () => {
  const bench = new Workbench()
  bench.publish()
  bench.clock.advance(9 * 60_000)
  const frame = bench.frame()
  bench.publishFrame(frame)

  for (let minute = 1; minute < 10; minute += 1) {
    bench.clock.advance(60_000)
    bench.publish()
    expect(bench.publishFrame(frame)).toMatchObject({ duplicate: true })
  }
})

test("many ids later the first is still known, up to the window's own bound (R-14: 4096 ids at least)", () => {
  const bench = new Workbench()
  const frame = bench.frame()
  bench.publishFrame(frame)
  for (let i = 0; i < 4_096; i += 1) bench.submit(bench.frame())
  bench.turn()

  expect(bench.publishFrame(frame)).toMatchObject({ duplicate: true })
})

test('a refused submission leaves its id free (AC-171, R-14)', () => {
  const bench = new Workbench({ limits: { fanOut: 1 } })
  const readers = ['s1', 's2'].map((id) => bench.open(bench.session('cc', id)))
  const frame = bench.frame()
  expect(() => bench.submit(frame)).toThrow(refusal('fanout-too-large', 'recipient_scope'))
  readers[0]!.subscription.closed()

  const reply = bench.publishFrame(frame)

  expect(reply).not.toHaveProperty('duplicate')
  expect(readers[1]!.sink.frameIds).toEqual([frame.frame_id])
})

test('a sender has its burst to the last one, then one for every part of a second that passes (R-32, AC-179)', () => {
  const bench = new Workbench({ limits: { submissionsPerSecond: 10, submissionBurst: 5 } })
  const send = (): void => bench.submit(bench.frame())
  for (let i = 0; i < 5; i += 1) send()

  expect(send).toThrow(expect.objectContaining({ code: 'rate-limited', retryAfterMs: 100 }))
  bench.clock.advance(99)
  expect(send).toThrow(expect.objectContaining({ code: 'rate-limited' }))
  bench.clock.advance(1)
  send()
  expect(send).toThrow(expect.objectContaining({ code: 'rate-limited' }))
  bench.clock.advance(60_000)
  for (let i = 0; i < 5; i += 1) send()
  expect(send).toThrow(expect.objectContaining({ code: 'rate-limited' }))
})

test('over any length of time nobody submits more than burst and rate allow (R-32)', () => {
  const bench = new Workbench({ limits: { submissionsPerSecond: 20, submissionBurst: 40 } })
  let accepted = 0

  for (let ms = 0; ms <= 9_996; ms += 7) {
    try {
      bench.submit(bench.frame())
      accepted += 1
    } catch {
      // Over the quota: what this counts is how often it is not.
    }
    bench.clock.advance(7)
  }

  expect(accepted).toBe(40 + Math.floor((9_996 / 1_000) * 20))
})

test('each session has a quota of its own, and one that floods takes nothing from the others (R-32)', () => {
  const bench = new Workbench({ limits: { submissionsPerSecond: 1, submissionBurst: 3 } })
  const [flooding, polite] = ['s1', 's2'].map((id) => bench.session('cc', id))
  const send = (from?: typeof flooding): void => bench.submit(bench.frame({ from }), { from })
  for (let i = 0; i < 3; i += 1) send(flooding)

  expect(() => send(flooding)).toThrow(refusal('rate-limited'))
  expect(() => send(polite)).not.toThrow()
  expect(() => send()).not.toThrow()
})

test('the wall clock has no part in quota, dedup or leases (R-07)', () => {
  const bench = new Workbench({ limits: { submissionsPerSecond: 1, submissionBurst: 2 } })
  const session = bench.session('cc', 's1')
  const frame = bench.frame()
  bench.publishFrame(frame)
  bench.publish()

  bench.clock.stepWall(10 * 365 * 86_400_000)

  expect(() => bench.submit(bench.frame())).toThrow(refusal('rate-limited'))
  expect(bench.publishFrame(frame)).toMatchObject({ duplicate: true })
  expect(bench.broker.sessions.find(session.address)).toBe(session)
  bench.clock.stepWall(-20 * 365 * 86_400_000)
  expect(() => bench.session('cc', 's1')).toThrow(refusal('session-exists', 'session_id'))
})

test('the conformance profile knows no rates (docs/http.md §1)', () => {
  const bench = new Workbench({
    limits: { submissionsPerSecond: 1, submissionBurst: 1, limitRates: false, strictTime: false },
  })

  for (let i = 0; i < 10; i += 1) bench.submit(bench.frame())
  bench.turn()

  expect(bench.ring.lastSeq).toBe(10)
  expect(bench.broker.plausibleAroundMs).toBeUndefined()
})

test('a fan-out of exactly the cap goes out, and one more is refused whole (AC-180, R-32)', () => {
  const bench = new Workbench({ limits: { fanOut: 4 } })
  const readers = ['s1', 's2', 's3'].map((id) => bench.open(bench.session('cc', id)))
  const absent = bench.session('cc', 's4', { mailbox: true })
  expect(bench.publish()).toMatchObject({ recipient_count: 3, queued_count: 1 })
  const extra = bench.open(bench.session('codex', 's5'))

  expect(() => bench.submit(bench.frame())).toThrow(refusal('fanout-too-large', 'recipient_scope'))
  bench.turn()

  for (const { sink } of readers) expect(sink.seqs).toEqual([1])
  expect(extra.sink.seqs).toEqual([])
  expect(absent.mailbox?.unread).toBe(1)
  expect(bench.publish({ scope: '~alice/cc*' })).toMatchObject({ recipient_count: 3, queued_count: 1 })
})

test('a scope that nobody answers to is a success with a count of 0 (AC-137, AC-138)', () => {
  const bench = new Workbench()
  const { sink } = bench.open(bench.session('cc', 's1'))

  expect(bench.publish({ scope: '~alice/nobody@x' })).toMatchObject({ recipient_count: 0, queued_count: 0 })
  expect(sink.seqs).toEqual([])
})

test('a sender gets its own frame on its own stream, and it counts (ACQ-23)', () => {
  const bench = new Workbench()
  const from = bench.session('cc', 's1', { mailbox: true })
  const { sink } = bench.open(from)

  expect(bench.publish({ from })).toMatchObject({ recipient_count: 1, queued_count: 0 })
  expect(sink.seqs).toEqual([1])
})

test.each([
  ['sender_handle', { sender_handle: '~bob' }, 'sender-identity-mismatch'],
  ['acted_by', { acted_by: '~bob' }, 'sender-identity-mismatch'],
  ['drafted_with', { drafted_with: '~codex' }, 'sender-identity-mismatch'],
] as const)('a session cannot claim another %s (AC-013, AC-177, AC-178, R-09)', (field, claim, code) => {
  const bench = new Workbench()
  const from = bench.session('cc', 's1')
  const { sink } = bench.open(from)
  const frame = bench.frame({ from, frame: claim })

  expect(() => bench.submit(frame, { from })).toThrow(refusal(code, field))
  bench.turn()

  expect(sink.seqs).toEqual([])
})

test('identity comes before the scope, and a malformed scope before one that is not implemented or not ours (ACQ-08, ACQ-05)', () => {
  const bench = new Workbench()
  const forged = bench.frame({ frame: { sender_handle: '~bob' } })
  const own = bench.frame()
  const foreign = bench.frame({ frame: { recipient_handle: '~bob' } })

  expect(() => bench.submit(forged, { scope: 'nonsense' })).toThrow(
    refusal('sender-identity-mismatch', 'sender_handle'),
  )
  expect(() => bench.submit(own, { scope: 'nonsense' })).toThrow(refusal('field-invalid', 'recipient_scope'))
  expect(() => bench.submit(own, { scope: 'org:acme/members/*' })).toThrow(
    refusal('scope-unimplemented', 'recipient_scope'),
  )
  expect(() => bench.submit(own, { scope: 'accord:~acme/grant:g' })).toThrow(
    refusal('scope-unimplemented', 'recipient_scope'),
  )
  expect(() => bench.submit(own, { scope: '~bob/*' })).toThrow(
    refusal('scope-unauthorised', 'recipient_scope'),
  )
  expect(() => bench.submit(foreign)).toThrow(refusal('scope-unauthorised', 'recipient_scope'))
})

test('a session that ended while its request was still coming speaks for nobody (R-09)', () => {
  const bench = new Workbench()
  const from = bench.session('cc', 's1')
  const frame = bench.frame({ from })
  bench.broker.sessions.close(from)

  expect(() => bench.submit(frame, { from })).toThrow(refusal('unauthenticated'))
})

test('whoever observes sees every accepted frame once, in order, until it stops (observe)', () => {
  const bench = new Workbench()
  const seen: number[] = []
  const stop = bench.broker.observe(({ seq }) => seen.push(seq))
  bench.publish()
  bench.publish()

  stop()
  bench.publish()

  expect(seen).toEqual([1, 2])
})
