/** A line of an answer is its JSON, however it is made (docs/http.md §5). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAnswer } from '../../src/server/lines/answer-line.ts'

const plain = fc.record({
  frame_id: fc.uuid({ version: 4 }),
  event_id: fc.nat().map((seq) => `0190a1b2c3d4-${seq}`),
  recipient_count: fc.nat(),
  queued_count: fc.nat(),
  ack: fc.constantFrom('memory', 'process', 'power'),
})

test('what has nothing to say besides is what JSON.stringify gives, to the octet', () => {
  fc.assert(
    fc.property(plain, (reply) => {
      expect(formatAnswer(reply)).toBe(`${JSON.stringify(reply)}\n`)
    }),
  )
})

test('so is what says more, or less, or something else', () => {
  const more = fc.record(
    { duplicate: fc.constant(true), near: fc.array(fc.string()), people_count: fc.nat() },
    { requiredKeys: [] },
  )
  const part = fc.tuple(
    plain,
    fc.constantFrom('frame_id', 'event_id', 'recipient_count', 'queued_count', 'ack'),
  )
  const others = fc.oneof(
    fc.tuple(plain, more).map((members) => Object.assign({}, ...members)),
    part.map(([reply, name]) => Object.fromEntries(Object.entries(reply).filter(([key]) => key !== name))),
    part.map(([reply, name]) => ({ ...reply, [name]: undefined })),
    fc.record({
      code: fc.string(),
      message: fc.string(),
      line: fc.nat(),
      field: fc.string(),
      at: fc.string(),
    }),
    fc.constant({}),
  )
  fc.assert(
    fc.property(others, (answer) => {
      expect(formatAnswer(answer)).toBe(`${JSON.stringify(answer)}\n`)
    }),
  )
})
