import { expect, expectTypeOf, test } from 'vitest'
import { camelCased } from '../../../src/client/reply/camel-cased.ts'

test('names of the wire become those of a program, at every depth', () => {
  const reply = {
    event_id: 'e1-1',
    ring: { max_age_ms: 1, bounds: [{ oldest_event_id: null }] },
    details: ['snake_case is text here'],
  }

  const result = camelCased(reply)

  expect(result).toEqual({
    eventId: 'e1-1',
    ring: { maxAgeMs: 1, bounds: [{ oldestEventId: null }] },
    details: ['snake_case is text here'],
  })
  expectTypeOf(result.ring.bounds).toEqualTypeOf<readonly { readonly oldestEventId: null }[]>()
})

test('a frame and an envelope stay the very objects they were, and so do their names', () => {
  const frame = { frame_id: 'a', payload: { lease_id: 'b' } }
  const envelope = { reply_to: null }

  const result = camelCased({ items: [{ age_ms: 1, frame, envelope }] })

  expect(result.items[0]?.frame).toBe(frame)
  expect(result.items[0]?.envelope).toBe(envelope)
  expectTypeOf(result.items[0]?.frame).toEqualTypeOf<typeof frame | undefined>()
})

test('what may be absent is a member that may be undefined', () => {
  const reply: { query_id?: string } = {}

  const result: { readonly queryId: string | undefined } = camelCased(reply)

  expect(result.queryId).toBeUndefined()
})
