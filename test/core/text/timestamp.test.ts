/**
 * Timestamps against what the engine's own calendar says of them (ACQ-26, AEQ-06).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTimestampMs } from '../../../src/core/text/timestamp.ts'

const FORM =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** The form as an expression, the rest as `Date` has it. */
function expectedMs(text: string): number | undefined {
  if (!FORM.test(text)) return undefined
  const upper = text.toUpperCase()
  const day = new Date(`${upper.slice(0, 10)}T00:00:00Z`)
  if (day.toISOString().slice(0, 10) !== upper.slice(0, 10)) return undefined
  if (!upper.startsWith('60', 17)) return Date.parse(upper)
  return Date.parse(`${upper.slice(0, 17)}59${upper.slice(19)}`) + 1_000
}

const two = (max: number) => fc.nat(max).map((n) => String(n).padStart(2, '0'))

const timestamps = fc
  .record({
    year: fc.nat(9_999).map((n) => String(n).padStart(4, '0')),
    month: two(13),
    day: two(32),
    letter: fc.constantFrom('T', 't'),
    hour: two(24),
    minute: two(60),
    second: two(61),
    fraction: fc.constantFrom('', '.', '.1', '.12', '.123', '.1239', '.000000001', '.999'),
    zone: fc.oneof(
      fc.constantFrom('Z', 'z', '', 'Y', '+00:00', '-00:00', '+0000', '-1:00', 'Z '),
      fc.tuple(fc.constantFrom('+', '-'), two(25), two(61)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    ),
  })
  .map(
    (t) => `${t.year}-${t.month}-${t.day}${t.letter}${t.hour}:${t.minute}:${t.second}${t.fraction}${t.zone}`,
  )

test('every timestamp is read as the calendar has it, and nothing else is one (ACQ-26)', () => {
  let read = 0
  fc.assert(
    fc.property(timestamps, (text) => {
      const expected = expectedMs(text)
      if (expected !== undefined) read += 1
      expect(readTimestampMs(text)).toBe(expected)
    }),
    { numRuns: 20_000 },
  )
  expect(read).toBeGreaterThan(1_000)
})

test('one character changed is read as the calendar has it (ACQ-26)', () => {
  const units = fc.constantFrom(...Array.from('0123456789-:.TtZz+ \u0000\u0661\u017f\u212a'))
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), fc.nat(23), units, (date, at, unit) => {
      const text = date.toISOString()
      const changed = text.slice(0, at) + unit + text.slice(at + 1)
      expect(readTimestampMs(changed)).toBe(expectedMs(changed))
      expect(readTimestampMs(text)).toBe(expectedMs(text))
    }),
    { numRuns: 5_000 },
  )
})
