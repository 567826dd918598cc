/**
 * What the daemon writes on a stream, read back by a parser that is not ours (SSE-04…SSE-14, AC-139…AC-141, ACQ-20).
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeBye,
  encodeCursor,
  encodeFrameEvent,
  encodeGap,
  encodeKeepAlive,
  encodePreamble,
  type ByeReason,
  type GapReason,
} from '../../../src/protocol/sse/encoder.ts'
import { SseDecoder } from '../../../src/protocol/sse/decoder.ts'
import { arbitraryFrame, validFrame } from '../../support/frames.ts'

const GAP_REASONS: readonly GapReason[] = [
  'trimmed',
  'epoch',
  'unknown-id',
  'overflow',
  'rollback',
  'corrupt',
]
const BYE_REASONS: readonly ByeReason[] = ['shutdown', 'slow-consumer', 'replaced', 'expired']

/** Everything an independent reader hears. */
function readBack(text: string) {
  const events: EventSourceMessage[] = []
  const comments: string[] = []
  const delays: number[] = []
  const errors: unknown[] = []
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onComment: (comment) => comments.push(comment),
    onRetry: (ms) => delays.push(ms),
    onError: (error) => errors.push(error),
  })
  parser.feed(text)
  expect(errors).toEqual([])
  return { events, comments, delays }
}

test('a stream opens with a delay and a comment, and dispatches nothing yet (SSE-13, SSE-14)', () => {
  const { events, comments, delays } = readBack(encodePreamble('6f1c-41'))

  expect({ events, comments, delays }).toEqual({ events: [], comments: ['agentd 6f1c-41'], delays: [1_000] })
})

test('a frame arrives as agent_frame with its id and its JSON to the letter (AC-141, ACQ-20, SSE-06, SSE-07)', () => {
  fc.assert(
    fc.property(arbitraryFrame(), fc.nat(), (frame, seq) => {
      const json = JSON.stringify(frame)
      const { events } = readBack(encodeFrameEvent(`6f1c-${seq}`, json))
      expect(events).toEqual([{ id: `6f1c-${seq}`, event: 'agent_frame', data: json }])
    }),
    { numRuns: 200 },
  )
})

test('no text in a frame can end its event or forge a field (SSE-12)', () => {
  const hostile = 'x\n\nevent: forged\r\ndata: {}\r\rid: 0\u0000\u2028\u2029\u0085:'
  const json = JSON.stringify(
    validFrame('agent_handover', { provenance_basis: hostile, provenance_return_ref: hostile }),
  )

  const text = encodeFrameEvent('6f1c-1', json)

  expect(text.split(/\r\n|\r|\n/)).toEqual(['id: 6f1c-1', 'event: agent_frame', `data: ${json}`, '', ''])
  expect(text).not.toContain('\0')
  expect(readBack(text).events).toHaveLength(1)
})

test('a gap says why, from where and how much, and moves no cursor (AC-144, ACQ-22)', () => {
  for (const reason of GAP_REASONS) {
    for (const requested of ['6f1c-7', '', 'x\r\n\nid: 9\u0000', '€'.repeat(500)]) {
      const gap = { reason, requested, oldest: null, missed: null }
      const { events } = readBack(encodeGap(gap))
      expect(events).toEqual([{ id: undefined, event: 'agentd_gap', data: JSON.stringify(gap) }])
      expect(new SseDecoder('6f1c-3').feed(encodeGap(gap))[0]?.lastEventId).toBe('6f1c-3')
    }
  }
  expect(
    readBack(encodeGap({ reason: 'trimmed', requested: 'a-7', oldest: 'a-30', missed: 23 })).events[0]?.data,
  ).toBe('{"reason":"trimmed","requested":"a-7","oldest":"a-30","missed":23}')
})

test('a farewell says why, and when to come back if that matters (SSE-14)', () => {
  for (const reason of BYE_REASONS) {
    const data = JSON.stringify({ reason })
    expect(readBack(encodeBye(reason))).toEqual({
      events: [{ id: undefined, event: 'agentd_bye', data }],
      comments: [],
      delays: [],
    })
    expect(readBack(encodeBye(reason, 5_000)).delays).toEqual([5_000])
    expect(readBack(encodeBye(reason, 5_000)).events[0]?.data).toBe(data)
  }
})

test('a keep-alive is a comment that dispatches nothing, with or without a cursor (AC-139, SSE-08, SSE-13)', () => {
  expect(readBack(encodeKeepAlive(undefined))).toEqual({ events: [], comments: ['keep-alive'], delays: [] })
  expect(readBack(encodeKeepAlive('6f1c-9'))).toEqual({ events: [], comments: ['keep-alive'], delays: [] })
  expect(new SseDecoder().feed(encodeKeepAlive(undefined))).toEqual([])
  expect(new SseDecoder().feed(encodeKeepAlive('6f1c-9'))[0]).toMatchObject({
    data: undefined,
    lastEventId: '6f1c-9',
  })
})

test('a cursor is a block of only an id (SSE-08)', () => {
  expect(readBack(encodeCursor('6f1c-9')).events).toEqual([])
  expect(new SseDecoder().feed(encodeCursor('6f1c-9'))[0]).toMatchObject({
    data: undefined,
    lastEventId: '6f1c-9',
  })
})

test('any sequence of what the daemon writes reads back event by event, in both readers', () => {
  const gap = { reason: 'overflow' as const, requested: 'a-1', oldest: 'a-5', missed: 4 }
  const piece = fc.oneof(
    arbitraryFrame().map((frame) => {
      const data = JSON.stringify(frame)
      return { text: encodeFrameEvent('a-1', data), event: { event: 'agent_frame', data } }
    }),
    fc.constant({ text: encodeGap(gap), event: { event: 'agentd_gap', data: JSON.stringify(gap) } }),
    fc.constant({
      text: encodeBye('expired', 1),
      event: { event: 'agentd_bye', data: '{"reason":"expired"}' },
    }),
    fc.constantFrom(
      { text: encodeKeepAlive('a-4'), event: undefined },
      { text: encodeKeepAlive(undefined), event: undefined },
      { text: encodeCursor('a-6'), event: undefined },
      { text: encodePreamble('a-0'), event: undefined },
    ),
  )

  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.map((part) => part.text).join('')
      const expected = pieces.flatMap((part) => (part.event === undefined ? [] : [part.event]))
      const ours = new SseDecoder().feed(text).filter((block) => block.data !== undefined)
      expect(readBack(text).events.map(({ event, data }) => ({ event, data }))).toEqual(expected)
      expect(ours.map(({ event, data }) => ({ event, data }))).toEqual(expected)
    }),
  )
})
