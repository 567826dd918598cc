/**
 * RFC 3339 timestamps, as both drafts take them (ACQ-26, AEQ-06).
 */

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

/** What was read last: of whatever has one it is asked several times in a row. */
let last: { readonly text: string; readonly ms: number | undefined } = { text: '', ms: undefined }

/**
 * Milliseconds since 1970 of an RFC 3339 timestamp, or undefined when it is not one.
 *
 * Takes any offset, lower-case `t` and `z`, any fraction, and second 60, which counts as the second
 * after 59; refuses a missing zone and a date that the calendar does not have (ACQ-26).
 */
export function readTimestampMs(text: string): number | undefined {
  if (text !== last.text) last = { text, ms: parse(text) }
  return last.ms
}

function parse(text: string): number | undefined {
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
