/**
 * Strings as the specifications count them: UTF-8 octets, well-formed Unicode (AC-042, ACQ-14).
 */
import * as z from 'zod'

const LINE_BREAK = /[\r\n]/

/** The length of a string on the wire. */
export function octetLength(text: string): number {
  return Buffer.byteLength(text)
}

/**
 * A string of `min` to `max` UTF-8 octets, both inclusive.
 *
 * `maxLength` in the published JSON Schema counts code points, so it is a necessary condition only; the
 * exact bound stands beside it as `x-max-octets`.
 */
export function octets(min: number, max: number) {
  return (
    z
      .string()
      .refine((text) => withinOctets(text, min, max), `must be ${min} to ${max} UTF-8 octets long`)
      // A lone half of a surrogate pair: JSON can spell it, UTF-8 cannot carry it.
      .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
      .meta({ ...(min > 0 && { minLength: 1 }), maxLength: max, 'x-min-octets': min, 'x-max-octets': max })
  )
}

/** As {@link octets}, on one line. */
export function oneLine(min: number, max: number) {
  return octets(min, max).refine((text) => !LINE_BREAK.test(text), 'must be a single line')
}

/** A string of `pattern`, published with it. */
export function matching(pattern: RegExp, message: string) {
  return z.string().regex(pattern, message)
}

/** A list of at most `max` strings of the given schema. */
export function listOf(item: z.ZodType<string>, max: number) {
  return z.array(item).max(max, `must hold at most ${max} items`)
}

/** A code unit is one to three octets, so most strings are judged before they are measured. */
function withinOctets(text: string, min: number, max: number): boolean {
  if (text.length > max) return false
  if (text.length >= min && text.length * 3 <= max) return true
  const length = octetLength(text)
  return length >= min && length <= max
}

/** A version-4 UUID, either case (ACQ-19); spelled out, since a published pattern has no flags. */
export const UuidV4 = matching(
  /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$/,
  'must be a version-4 UUID',
)

const RFC3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Where the parts of a timestamp stand, whatever its fraction and zone. */
const MONTH_AT = 5
const DAY_AT = 8
const T_AT = 10
const SECOND_AT = 17

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Every month has these. */
const DAYS_OF_ALL = '28'

/**
 * Milliseconds since 1970 of an RFC 3339 timestamp, or undefined when it is not one.
 *
 * Takes any offset, lower-case `t` and `z`, any fraction, and second 60, which counts as the second
 * after 59; refuses a missing zone and a date that the calendar does not have (ACQ-26).
 */
export function readTimestampMs(text: string): number | undefined {
  if (!RFC3339.test(text) || !isInCalendar(text)) return undefined
  const isUpper = text[T_AT] === 'T' && !text.endsWith('z')
  const upper = isUpper ? text : text.toUpperCase()
  if (!upper.startsWith('60', SECOND_AT)) return Date.parse(upper)
  return Date.parse(`${upper.slice(0, SECOND_AT)}59${upper.slice(SECOND_AT + '60'.length)}`) + 1_000
}

function isInCalendar(text: string): boolean {
  const day = text.slice(DAY_AT, T_AT)
  return (
    day <= DAYS_OF_ALL || Number(day) <= daysIn(Number(text.slice(0, 4)), Number(text.slice(MONTH_AT, 7)))
  )
}

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (DAYS[month - 1] ?? 0) + (leap ? 1 : 0)
}

/** An RFC 3339 timestamp with a zone. */
export const Timestamp = z
  .string()
  .max(64, 'must be an RFC 3339 timestamp with a time zone')
  .refine((text) => readTimestampMs(text) !== undefined, 'must be an RFC 3339 timestamp with a time zone')
  .meta({ format: 'date-time' })
