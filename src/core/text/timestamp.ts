/**
 * RFC 3339 timestamps, as both drafts take them (ACQ-26, AEQ-06).
 */

/** Where the parts of a timestamp stand, whatever its fraction and zone. */
const MONTH_AT = 5
const DAY_AT = 8
const HOUR_AT = 11
const MINUTE_AT = 14
const SECOND_AT = 17
const REST_AT = 19

/** What stands between them, as far as it is always the same. */
const MARKS = [
  [4, 0x2d],
  [7, 0x2d],
  [13, 0x3a],
  [16, 0x3a],
] as const

const ZERO = 0x30
const POINT = 0x2e
const PLUS = 0x2b
const MINUS = 0x2d
const COLON = 0x3a
const UPPER_T = 0x54
const UPPER_Z = 0x5a
/** The bit that makes a letter a small one. */
const SMALL = 0x20

const LEAP_SECOND = 60
const MINUTE_MS = 60_000
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Digits of a fraction that make whole milliseconds. */
const MILLISECOND_DIGITS = 3

/** Of a frame the same one is asked for three times. */
let last: { readonly text: string; readonly ms: number | undefined } = { text: '', ms: undefined }

/**
 * Milliseconds since 1970 of an RFC 3339 timestamp, or undefined when it is not one.
 *
 * Takes any offset, lower-case `t` and `z`, any fraction, and second 60, which counts as the second
 * after 59; refuses a missing zone and a date that the calendar does not have (ACQ-26).
 */
export function readTimestampMs(text: string): number | undefined {
  if (text !== last.text) last = { text, ms: readMs(text) }
  return last.ms
}
function readMs(text: string): number | undefined {
  if (MARKS.some(([at, unit]) => text.charCodeAt(at) !== unit)) return undefined
  if ((text.charCodeAt(HOUR_AT - 1) & ~SMALL) !== UPPER_T) return undefined
  const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, MONTH_AT, 2), digitsAt(text, DAY_AT, 2)]
  if (!isInCalendar(year, month, day)) return undefined
  const hour = digitsAt(text, HOUR_AT, 2)
  const minute = digitsAt(text, MINUTE_AT, 2)
  const second = digitsAt(text, SECOND_AT, 2)
  if (!isOfClock(hour, minute) || second < 0 || second > LEAP_SECOND) return undefined
  const zoneAt = endOfFraction(text)
  const offset = zoneAt === undefined ? undefined : offsetMinutes(text, zoneAt)
  if (zoneAt === undefined || offset === undefined) return undefined
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset
  return minutes * MINUTE_MS + second * 1_000 + millisecondsIn(text, zoneAt)
}

/** @returns a negative number where something else than digits stands */
function digitsAt(text: string, at: number, count: number): number {
  let number = 0
  for (let i = at; i < at + count; i += 1) {
    const digit = text.charCodeAt(i) - ZERO
    if (!(digit >= 0 && digit <= 9)) return -1
    number = number * 10 + digit
  }
  return number
}

function isInCalendar(year: number, month: number, day: number): boolean {
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function isOfClock(hour: number, minute: number): boolean {
  return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59
}

/** @returns where the zone begins; undefined for a point without a digit behind it */
function endOfFraction(text: string): number | undefined {
  if (text.charCodeAt(REST_AT) !== POINT) return REST_AT
  let end = REST_AT + 1
  while (digitsAt(text, end, 1) >= 0) end += 1
  return end === REST_AT + 1 ? undefined : end
}

function millisecondsIn(text: string, zoneAt: number): number {
  let milliseconds = 0
  for (let i = 1; i <= MILLISECOND_DIGITS; i += 1)
    milliseconds = milliseconds * 10 + (REST_AT + i < zoneAt ? digitsAt(text, REST_AT + i, 1) : 0)
  return milliseconds
}

/** Of a zone that is all the rest of the text; undefined for anything else. */
function offsetMinutes(text: string, at: number): number | undefined {
  const unit = text.charCodeAt(at)
  if ((unit & ~SMALL) === UPPER_Z) return text.length === at + 1 ? 0 : undefined
  if ((unit !== PLUS && unit !== MINUS) || text.length !== at + '+00:00'.length) return undefined
  const [hours, minutes] = [digitsAt(text, at + 1, 2), digitsAt(text, at + 4, 2)]
  if (text.charCodeAt(at + 3) !== COLON || !isOfClock(hours, minutes)) return undefined
  return (hours * 60 + minutes) * (unit === PLUS ? 1 : -1)
}

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (DAYS[month - 1] ?? 0) + (leap ? 1 : 0)
}

/** In years that begin with March, so that a leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const ofMarch = month > 2 ? year : year - 1
  const sinceMarch = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5)
  const leapDays = Math.floor(ofMarch / 4) - Math.floor(ofMarch / 100) + Math.floor(ofMarch / 400)
  return 365 * ofMarch + leapDays + sinceMarch + day - 719_469
}
