/**
 * Strings in octets, UUIDs and timestamps (AC-008, AC-016, AC-042, ACQ-14, ACQ-19, ACQ-26).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newUuid } from '../../../src/core/ids.ts'
import { UuidV4, Timestamp, OneLine, octets } from '../../../src/protocol/fields.ts'
import { octetLength } from '../../../src/core/text/octets.ts'
import { readTimestampMs } from '../../../src/core/text/timestamp.ts'
import { textOfOctets } from '../../support/frames.ts'
import { LONE_SURROGATES, NO_TIMESTAMPS, NO_UUIDS, TIMESTAMPS, UUIDS } from '../../protocol/frame/values.ts'

/** UTF-8 by its definition, one code point at a time. */
function countOctets(text: string): number {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  return points.reduce(
    (sum, point) => sum + 1 + [0x7f, 0x7_ff, 0xff_ff].filter((last) => point > last).length,
    0,
  )
}

const padded = (value: number, length = 2) => String(value).padStart(length, '0')

const digits = (max: number, length = 2) => fc.integer({ min: 0, max }).map((value) => padded(value, length))

/** A timestamp with so many digits of a second's fraction. */
const withFraction = (length: number) => `2026-11-20T12:00:00.${'1'.repeat(length)}Z`

test('a bound counts UTF-8 octets, whatever the script (AC-042)', () => {
  const bounds = fc.tuple(fc.nat(12), fc.nat(24)).map(([min, more]) => [min, min + more] as const)

  fc.assert(
    fc.property(bounds, fc.string({ unit: 'binary', maxLength: 30 }), ([min, max], text) => {
      const length = countOctets(text)
      expect(octetLength(text)).toBe(length)
      expect(octets(min, max).safeParse(text).success).toBe(length >= min && length <= max)
    }),
    { numRuns: 500 },
  )
})

test.each([1, 2, 3, 4, 127, 128, 512, 2048, 8192])(
  '%i octets fit a bound of as many, one more does not (AC-042)',
  (max) => {
    for (const character of ['x', 'é', '€', '😀']) {
      const size = Buffer.byteLength(character)
      const full = character.repeat(Math.floor(max / size)) + 'x'.repeat(max % size)
      expect(octets(1, max).safeParse(full).success, character).toBe(true)
      expect(octets(1, max).safeParse(`${full}x`).success, character).toBe(false)
      expect(octets(1, max).safeParse(`x${full}`).success, character).toBe(false)
    }
  },
)

test('"up to N" admits the empty string, "1 to N" does not (AC-042)', () => {
  expect(octets(0, 8).safeParse('').success).toBe(true)
  expect(octets(1, 8).safeParse('').success).toBe(false)
})

test('a lone surrogate is refused wherever it stands, a pair is not (ACQ-14)', () => {
  for (const text of LONE_SURROGATES)
    expect(octets(0, 64).safeParse(text).success, JSON.stringify(text)).toBe(false)
  expect(octets(0, 4).safeParse('\uD83D\uDE00').success).toBe(true)
  expect(octets(0, 64).safeParse('a\uDC00'.padEnd(60, 'b')).success).toBe(false)
})

test('one line has neither of the two line breaks, and any other character (AC-084)', () => {
  for (const text of ['a\nb', 'a\rb', '\r\n', 'a\n']) expect(OneLine.safeParse(text).success).toBe(false)
  for (const text of ['a\tb', 'a\u2028b', 'a\u0085b', 'a\u0000b'])
    expect(OneLine.safeParse(text).success).toBe(true)
})

test('the text of the tests is as long as it says', () => {
  for (const length of [0, 1, 2, 3, 4, 2048, 8193])
    expect(Buffer.byteLength(textOfOctets(length))).toBe(length)
})

test.each(UUIDS)('%s is a version-4 UUID (AC-008, ACQ-19)', (text) => {
  expect(UuidV4.safeParse(text).success).toBe(true)
})

test.each(NO_UUIDS)('%j is no version-4 UUID (AC-008, ACQ-19)', (text) => {
  expect(UuidV4.safeParse(text).success).toBe(false)
})

test('the ids that agentd makes are version-4 UUIDs (AC-008)', () => {
  for (const id of [newUuid(), newUuid(), newUuid()]) expect(UuidV4.safeParse(id).success).toBe(true)
})

describe('a timestamp', () => {
  test.each(TIMESTAMPS)('%s is read as %i ms (AC-016, ACQ-26)', (text, ms) => {
    expect(readTimestampMs(text)).toBe(ms)
    expect(Timestamp.safeParse(text).success).toBe(true)
  })

  test.each(NO_TIMESTAMPS)('%j is refused (AC-016, ACQ-26)', (text) => {
    expect(readTimestampMs(text)).toBeUndefined()
    expect(Timestamp.safeParse(text).success).toBe(false)
  })

  test('is a number of milliseconds whenever it is one at all', () => {
    const parts = fc.tuple(digits(9_999, 4), ...[13, 32, 24, 60, 61].map((max) => digits(max)))
    const tail = fc.constantFrom('Z', 'z', '.0Z', '.999999999z', '+00:00', '-23:59', '+14:00', '')

    fc.assert(
      fc.property(parts, tail, fc.constantFrom('T', 't', ' '), ([year, month, day, h, m, s], zone, t) => {
        const text = `${year}-${month}-${day}${t}${h}:${m}:${s}${zone}`
        const ms = readTimestampMs(text)
        const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)))
        date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
        const real = Number(month) > 0 && Number(day) > 0 && date.getUTCMonth() === Number(month) - 1
        const inDay = Number(h) < 24 && Number(m) < 60 && Number(s) <= 60
        expect(ms !== undefined, text).toBe(real && inDay && zone !== '' && t !== ' ')
        if (ms !== undefined) expect(Number.isFinite(ms), text).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('of any instant and offset is that instant (ACQ-26)', () => {
    const offset = fc.tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59))
    const instant = fc.integer({ min: Date.UTC(1970, 0, 2), max: Date.UTC(2100, 0, 1) })

    fc.assert(
      fc.property(instant, offset, (ms, [sign, hours, minutes]) => {
        const shift = (hours * 60 + minutes) * 60_000 * (sign === '+' ? 1 : -1)
        const local = new Date(ms + shift).toISOString().slice(0, -1)
        expect(readTimestampMs(`${local}${sign}${padded(hours)}:${padded(minutes)}`)).toBe(ms)
      }),
    )
  })

  test('may have as many digits behind the second as RFC 3339 lets it (ACQ-26)', () => {
    for (const digits of [1, 43, 44, 30_000])
      expect(Timestamp.safeParse(withFraction(digits)).success).toBe(true)
  })
})
