/**
 * What is written to whoever shows it, until the next event of the session proves that it was shown, or does not.
 *
 * @see OP-09; docs/http.md §7
 */
import { expect, test } from 'vitest'
import { MAX_HANDED } from '../../../src/broker/mail/handed.ts'
import type { Session } from '../../../src/broker/session/session.ts'
import { SeenRequest } from '../../../src/protocol/http/requests.ts'
import { Workbench } from '../workbench.ts'

/** A bench with one session that has a mailbox and no stream, and one that writes. */
function withMailbox() {
  const bench = new Workbench()
  const reader = bench.session('cc', 'reader', { mailbox: true })
  const writer = bench.session('codex', 'writer', { tool: 'codex' })
  return { bench, reader, writer }
}

function hand(bench: Workbench, session: Session, eventIds: readonly string[], via = 'hook'): number {
  const request = SeenRequest.parse({ event_ids: eventIds, state: 'handed', via })
  return bench.broker.receipts.markSeen(session, request)
}

function receiptOf(bench: Workbench, frameId: string): object | undefined {
  const { receipts } = bench.broker
  return receipts.describe(receipts.require(frameId)).receipts[0]
}

function look(bench: Workbench, session: Session, handed?: 'seen' | 'returned') {
  return bench.drain(session, { peek: true, handed }).items.map(({ event_id }) => event_id)
}

test('what was handed over waits no longer, is not seen yet, and says when and how (OP-09)', () => {
  const { bench, reader, writer } = withMailbox()
  const { frame_id, event_id } = bench.publish({ from: writer })
  bench.clock.advance(2_000)

  expect(hand(bench, reader, [event_id])).toBe(1)

  expect(look(bench, reader)).toEqual([])
  expect(reader.mailbox?.unread).toBe(0)
  const at = new Date(bench.clock.nowMs()).toISOString()
  expect(receiptOf(bench, frame_id)).toEqual({ address: reader.address, state: 'handed', at, via: 'hook' })
})

test('the next event that shows the runtime went on past it makes it seen, once (OP-09)', () => {
  const { bench, reader, writer } = withMailbox()
  const { frame_id, event_id } = bench.publish({ from: writer })
  hand(bench, reader, [event_id])

  expect(look(bench, reader, 'seen')).toEqual([])

  expect(receiptOf(bench, frame_id)).toMatchObject({ state: 'seen', via: 'hook' })
  expect(look(bench, reader, 'returned')).toEqual([])
  expect(receiptOf(bench, frame_id)).toMatchObject({ state: 'seen' })
})

test('what comes back waits again, said to have been shown, perhaps, and wakes whoever waits (OP-09)', () => {
  const { bench, reader, writer } = withMailbox()
  const { frame_id, event_id } = bench.publish({ from: writer })
  hand(bench, reader, [event_id])
  let woken = 0
  reader.mailbox?.onArrival(() => (woken += 1))

  expect(look(bench, reader, 'returned')).toEqual([event_id])

  expect(woken).toBe(1)
  expect(receiptOf(bench, frame_id)).toMatchObject({ state: 'queued' })
  const drain = bench.drain(reader, { format: 'text' })
  expect(drain.text).toContain('advisory, perhaps shown before: ')
  expect(receiptOf(bench, frame_id)).toMatchObject({ state: 'seen' })
})

test('what a newer one stands for is held back with it, and dropped when that is seen (OP-09, HD-07)', () => {
  const { bench, reader, writer } = withMailbox()
  const advise = () =>
    bench.publish({ from: writer, frame: { payload: { advisory_text: 'x', file_refs: ['src/a.ts'] } } })
  const [older, newer] = [advise(), advise()]

  hand(bench, reader, [newer.event_id])
  expect(look(bench, reader)).toEqual([])
  look(bench, reader, 'seen')

  expect(receiptOf(bench, older.frame_id)).toMatchObject({ state: 'dropped' })
  expect(receiptOf(bench, newer.frame_id)).toMatchObject({ state: 'seen' })
})

test('a drain may hand over what it gives, in one step (OP-09)', () => {
  const { bench, reader, writer } = withMailbox()
  const { frame_id } = bench.publish({ from: writer })

  bench.drain(reader, { state: 'handed', via: 'mcp' })

  expect(receiptOf(bench, frame_id)).toMatchObject({ state: 'handed', via: 'mcp' })
  expect(look(bench, reader, 'seen')).toEqual([])
  expect(receiptOf(bench, frame_id)).toMatchObject({ state: 'seen', via: 'mcp' })
})

test('a session that ends before anything proved it leaves it to its successor, said to have been shown, perhaps (OP-09)', () => {
  const { bench, reader, writer } = withMailbox()
  const { event_id } = bench.publish({ from: writer })
  hand(bench, reader, [event_id])
  bench.broker.sessions.close(reader)

  const heir = bench.session('cc', 'heir', { mailbox: true, successor_of: 'cc@reader' })

  const { items, text } = bench.drain(heir, { format: 'text' })
  expect(items.map((item) => item.event_id)).toEqual([event_id])
  expect(text).toContain('perhaps shown before')
})

test('only so many may be unproved at a time; the rest goes on waiting (OP-09)', () => {
  const { bench, reader, writer } = withMailbox()
  const ids = Array.from(
    { length: MAX_HANDED + 5 },
    (_, i) => bench.publish({ from: writer, frame: { payload: { advisory_text: `${i}` } } }).event_id,
  )

  expect(hand(bench, reader, ids.slice(0, 500)) + hand(bench, reader, ids.slice(500, MAX_HANDED))).toBe(
    MAX_HANDED,
  )
  expect(hand(bench, reader, ids.slice(MAX_HANDED))).toBe(0)

  expect(reader.mailbox?.unread).toBe(5)
  expect(look(bench, reader)).toEqual(ids.slice(MAX_HANDED))
})

test('what retention takes while it is handed over is neither held back nor waits (OP-09)', () => {
  const bench = new Workbench({ retention: { maxFrames: 3 } })
  const reader = bench.session('cc', 'reader', { mailbox: true })
  const writer = bench.session('codex', 'writer', { tool: 'codex' })
  const { event_id } = bench.publish({ from: writer })
  hand(bench, reader, [event_id])

  for (let i = 0; i < 3; i += 1) bench.publish({ from: writer })

  expect(reader.mailbox?.unread).toBe(3)
  expect(reader.mailbox?.handed.count).toBe(0)
})

test('a place up to which all was handed over is no such place: each is named (OP-09)', () => {
  const { bench, reader } = withMailbox()

  expect(SeenRequest.safeParse({ up_to: 'e1-1', state: 'handed' }).success).toBe(false)
  expect(hand(bench, reader, [])).toBe(0)
})
