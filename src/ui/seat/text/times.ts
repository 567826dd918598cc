/**
 * Times of the wire, and how the seat says them.
 */
import { textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { formatAge } from '../../../core/text/durations.ts'

/** A time of the wire in milliseconds; undefined where there is none. */
export function timeOf(said: JsonObject, name: string): number | undefined {
  const ms = Date.parse(textMember(said, name) ?? '')
  return Number.isFinite(ms) ? ms : undefined
}

/** How long ago: `now`, `41s`, `3m`; a clock that lies ahead is now. */
export function formatSince(sinceMs: number, nowMs: number): string {
  return formatAge(Math.max(0, nowMs - sinceMs))
}

/** How long is left, rounded up so that it is never over before it says so: `41s`, `3m`, `21h`. */
export function formatLeft(untilMs: number, nowMs: number): string {
  return formatAge(Math.max(1_000, untilMs - nowMs + 999))
}
