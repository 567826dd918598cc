/**
 * When an envelope says it was made. The draft leaves `ts` open: any text of ten characters is valid, only what
 * can be read as a time can be judged as one.
 *
 * @see AEE-006, AEE-007, AEE-081, AEQ-06
 */
import { readTimestampMs } from '../../core/text/timestamp.ts'

/** The instants a `ts` may stand for, both ends in milliseconds since 1970; one instant, unless it is a date. */
export interface Moment {
  readonly earliestMs: number
  readonly latestMs: number
}

const DAY_MS = 24 * 60 * 60_000

/** The length of `2025-12-14`. */
const DATE_LENGTH = 10

/** What a longer text would be is no timestamp that anybody's clock makes. */
const MAX_LENGTH = 64

/**
 * Reads an RFC 3339 timestamp with any offset, or an ISO date, which stands for its whole day in UTC.
 *
 * @returns undefined for anything else, such as a time without a zone
 */
export function readMoment(ts: string): Moment | undefined {
  if (ts.length > MAX_LENGTH) return undefined
  const isDate = ts.length === DATE_LENGTH
  const startMs = readTimestampMs(isDate ? `${ts}T00:00:00Z` : ts)
  if (startMs === undefined) return undefined
  return { earliestMs: startMs, latestMs: isDate ? startMs + DAY_MS - 1 : startMs }
}
