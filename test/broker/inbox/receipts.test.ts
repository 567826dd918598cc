import { expect, test } from 'vitest'
import { MAX_SEEN_SPAN } from '../../../src/broker/inbox/receipts.ts'
import { SeenRequest } from '../../../src/protocol/http/requests.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import { Workbench } from '../workbench.ts'

function receiptsOf(bench: Workbench, frameId: string) {
  const retained = bench.broker.receipts.require(frameId)
  return { frame_id: retained.key, ...bench.broker.receipts.describe(retained) }
}

function statesOf(bench: Workbench, frameId: string): Record<string, string> {
  return Object.fromEntries(receiptsOf(bench, frameId).receipts.map(({ address, state }) => [address, state]))
}

function markSeen(bench: Workbench, session: Session, request: object): number {
  return bench.broker.receipts.markSeen(session, SeenRequest.parse(request))
}

/** Three recipients: one reads its stream, one its inbox, and one its stream twice. */
function withRecipients() {
  const bench = new Workbench()
  const [streaming, absent, twice] = [
    bench.session('cc', 'streaming'),
    bench.session('cc', 'absent', { mailbox: true }),
    bench.session('cc', 'twice'),
  ]
  bench.open(streaming)
  bench.open(twice)
  bench.open(twice)
  const from = bench.session('codex', 'writer')
  return { bench, streaming, absent, twice, from }
}

test("a frame's receipts name every session it was emitted to or waits for, once (docs/http.md §5)", () => {
  const { bench, from } = withRecipients()
  const reply = bench.publish({ from })

  const receipts = receiptsOf(bench, reply.frame_id)

  const at = new Date(bench.clock.nowMs()).toISOString()
  expect(receipts).toEqual({
    frame_id: reply.frame_id,
    event_id: 'e1-1',
    accepted_at: at,
    recipient_count: 3,
    queued_count: 1,
    receipts: [
      { address: '~alice/cc@streaming', state: 'emitted', at },
      { address: '~alice/cc@twice', state: 'emitted', at },
      { address: '~alice/cc@absent', state: 'queued', at },
    ],
  })
})

test('a frame is found by its id in either case, and not once the ring has let go of it (ACQ-19, docs/http.md §5)', () => {
  const bench = new Workbench({ retention: { maxFrames: 2 } })
  const { frame_id } = bench.publish()

  expect(receiptsOf(bench, frame_id.toUpperCase()).frame_id).toBe(frame_id)
  bench.publish()
  bench.publish()
  expect(() => receiptsOf(bench, frame_id)).toThrow(
    expect.objectContaining({ code: 'not-found', field: 'frame_id' }),
  )
})

test('only the receiving side says seen, each for itself, with when and how (docs/http.md §§5, 7)', () => {
  const { bench, streaming, absent, from } = withRecipients()
  const { frame_id, event_id } = bench.publish({ from })
  bench.clock.advance(5_000)

  const news = markSeen(bench, streaming, { event_ids: [event_id] })
  bench.clock.advance(5_000)
  bench.drain(absent, { via: 'hook' })

  expect(news).toBe(1)
  expect(receiptsOf(bench, frame_id).receipts).toMatchObject([
    { state: 'seen', via: 'stream', at: new Date(bench.clock.nowMs() - 5_000).toISOString() },
    { state: 'emitted' },
    { state: 'seen', via: 'hook', at: new Date(bench.clock.nowMs()).toISOString() },
  ])
})

test('what was seen stays seen: saying it again is no news (docs/http.md §7)', () => {
  const { bench, streaming, from } = withRecipients()
  const { frame_id, event_id } = bench.publish({ from })
  markSeen(bench, streaming, { event_ids: [event_id], via: 'mcp' })
  bench.clock.advance(5_000)

  expect(markSeen(bench, streaming, { event_ids: [event_id], via: 'hook' })).toBe(0)
  expect(receiptsOf(bench, frame_id).receipts[0]).toMatchObject({ via: 'mcp' })
})

test('up_to says it of everything before as well, of what waits too, and of nothing twice (docs/http.md §7)', () => {
  const { bench, streaming, absent, from } = withRecipients()
  const replies = Array.from({ length: 5 }, () => bench.publish({ from }))

  expect(markSeen(bench, streaming, { up_to: 'e1-3' })).toBe(3)
  expect(markSeen(bench, streaming, { up_to: 'e1-5' })).toBe(2)
  expect(markSeen(bench, streaming, { up_to: 'e1-2' })).toBe(0)
  expect(markSeen(bench, absent, { up_to: 'e1-4' })).toBe(4)

  expect(replies.map(({ frame_id }) => statesOf(bench, frame_id)['~alice/cc@streaming'])).toEqual(
    Array(5).fill('seen'),
  )
  expect(bench.drain(absent).items.map(({ event_id }) => event_id)).toEqual(['e1-5'])
})

test('up_to covers what a session inherited as well, however old that is (docs/http.md §§4, 7)', () => {
  const { bench, absent, from } = withRecipients()
  const inherited = bench.publish({ from, scope: '~alice/cc@absent' })
  const heir = bench.register({ instrument: 'cc', session_id: 'heir', mailbox: true })
  const own = bench.publish({ from, scope: '~alice/cc@heir' })
  markSeen(bench, heir.session, { up_to: own.event_id })
  bench.register({ instrument: 'cc', session_id: 'heir', mailbox: true, successor_of: 'cc@absent' }, heir)

  expect(markSeen(bench, heir.session, { up_to: own.event_id })).toBe(1)
  expect(statesOf(bench, inherited.frame_id)).toEqual({ [absent.address]: 'seen' })
  expect(heir.session.mailbox?.unread).toBe(0)
})

test('saying seen of a frame that was for somebody else changes nothing (R-09)', () => {
  const { bench, twice, from } = withRecipients()
  const { frame_id, event_id } = bench.publish({ from, scope: '~alice/cc@streaming' })

  expect(markSeen(bench, twice, { event_ids: [event_id] })).toBe(0)
  expect(statesOf(bench, frame_id)).toEqual({ '~alice/cc@streaming': 'emitted' })
})

test.each([
  ['up_to', { up_to: 'nonsense' }],
  ['up_to', { up_to: 'e0-1' }],
  ['up_to', { up_to: 'e1-2' }],
  ['event_ids[1]', { event_ids: ['e1-1', 'e1-9'] }],
])('an id that is not of this sequence is refused, field %s (docs/http.md §7)', (field, request) => {
  const { bench, streaming, from } = withRecipients()
  const { frame_id } = bench.publish({ from })

  expect(() => markSeen(bench, streaming, request)).toThrow(
    expect.objectContaining({ code: 'field-invalid', field }),
  )
  expect(statesOf(bench, frame_id)['~alice/cc@streaming']).toBe('emitted')
})

test('a wait for seen is over with the first recipient, one for all with the last (docs/http.md §5)', () => {
  const { bench, streaming, absent, twice, from } = withRecipients()
  const { frame_id, event_id } = bench.publish({ from })
  const retained = bench.broker.receipts.require(frame_id)
  const over: string[] = []
  bench.broker.receipts.wait(retained, 'seen', 60_000, () => over.push('seen'))
  bench.broker.receipts.wait(retained, 'all', 60_000, () => over.push('all'))

  markSeen(bench, streaming, { event_ids: [event_id] })
  const afterFirst = [...over]
  bench.drain(absent)
  const afterSecond = [...over]
  markSeen(bench, twice, { event_ids: [event_id] })
  bench.clock.advance(120_000)

  expect(afterFirst).toEqual(['seen'])
  expect(afterSecond).toEqual(['seen'])
  expect(over).toEqual(['seen', 'all'])
})

test('what has expired is waited for no longer; for one seen only when nobody is left who could (docs/http.md §5)', () => {
  const bench = new Workbench()
  const readers = ['a', 'b'].map((id) => bench.session('cc', id, { mailbox: true }))
  const { frame_id } = bench.publish({ frame: { ttl_ms: 1_000 } })
  const retained = bench.broker.receipts.require(frame_id)
  const over: string[] = []
  bench.broker.receipts.wait(retained, 'seen', 600_000, () => over.push('seen'))
  bench.broker.receipts.wait(retained, 'all', 600_000, () => over.push('all'))
  bench.clock.advance(2_000)

  bench.drain(readers[0]!)
  const afterFirst = [...over]
  bench.drain(readers[1]!)

  expect(afterFirst).toEqual([])
  expect(over).toEqual(['seen', 'all'])
})

test('a wait ends at its deadline, once, and holds nothing afterwards (docs/http.md §5, docs/architecture.md rule 12)', () => {
  const { bench, streaming, from } = withRecipients()
  const { frame_id, event_id } = bench.publish({ from })
  const retained = bench.broker.receipts.require(frame_id)
  const timers = bench.clock.pendingTimers
  let ended = 0
  bench.broker.receipts.wait(retained, 'seen', 500, () => (ended += 1))
  const giveUp = bench.broker.receipts.wait(retained, 'seen', 500, () => (ended += 10))
  giveUp()

  bench.clock.advance(500)
  markSeen(bench, streaming, { event_ids: [event_id] })

  expect(ended).toBe(1)
  expect(bench.clock.pendingTimers).toBe(timers)
})

test('a wait for a frame that reached nobody, or only its sender, is over at once (docs/http.md §5)', () => {
  const bench = new Workbench()
  const from = bench.session('cc', 's1')
  bench.open(from)
  const alone = bench.publish({ from })
  const nobody = bench.publish({ scope: '~alice/nobody@x' })
  const over: string[] = []

  for (const { frame_id } of [alone, nobody]) {
    const retained = bench.broker.receipts.require(frame_id)
    bench.broker.receipts.wait(retained, 'all', 60_000, () => over.push(frame_id))
  }

  expect(over).toEqual([alone.frame_id, nobody.frame_id])
})

test('a session that calls all of a long past seen speaks for so many places and no more (docs/http.md §7)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  bench.open(session)
  const frames = Array.from({ length: MAX_SEEN_SPAN + 1 }, () => bench.frame())
  for (const frame of frames) bench.submit(frame)
  bench.turn()

  const seen = markSeen(bench, session, { up_to: `e1-${MAX_SEEN_SPAN + 1}`, via: 'stream' })

  expect(seen).toBe(MAX_SEEN_SPAN)
  expect(frames.slice(0, 2).map(({ frame_id }) => statesOf(bench, frame_id))).toEqual([
    { '~alice/cc@s1': 'emitted' },
    { '~alice/cc@s1': 'seen' },
  ])
})
