/**
 * How much of a pipe may be written and not yet answered: it bounds what both sides hold for one caller.
 */
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'

/** Lines written and not yet answered; beyond it `send` waits. Bounds what both sides hold for one caller. */
export const MAX_IN_FLIGHT = 256

/**
 * Code units written and not yet answered, likewise: lines may be as long as an envelope. One line is written
 * whatever its length.
 */
export const MAX_IN_FLIGHT_LENGTH = 8 * MAX_ENVELOPE_OCTETS

/** A line, as far as it takes room. */
interface Line {
  readonly line: string
}

/** How many of the lines that wait may be written, behind those that are in flight. */
export function countFitting(flight: readonly Line[], waiting: readonly Line[]): number {
  let length = flight.reduce((sum, { line }) => sum + line.length, 0)
  const most = MAX_IN_FLIGHT - flight.length
  let count = 0
  for (const { line } of waiting.slice(0, Math.max(0, most))) {
    if (length > 0 && length + line.length > MAX_IN_FLIGHT_LENGTH) break
    length += line.length
    count += 1
  }
  return count
}
