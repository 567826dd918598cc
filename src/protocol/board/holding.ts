/**
 * What on the board holds an edit back, where the person has set hooks to, and until when (HD-08).
 *
 * @see PD-07, PD-08
 */
import type { BoardEntry } from './board-frame.ts'
import type { PlacedEntry } from './placed.ts'

/** How long an announcement alone holds somebody back, in milliseconds; whoever is still at it says so again (HD-08). */
export const ADVISORY_DENIES_MS = 10 * 60_000

/** When an entry ceases to hold anybody back, in wall time: a lease with its time, an announcement after some minutes. */
export function holdsUntilMs({ leaseId, sinceMs, untilMs }: BoardEntry): number {
  return leaseId === undefined ? Math.min(untilMs, sinceMs + ADVISORY_DENIES_MS) : untilMs
}

/**
 * Whether it holds back an edit of a file: whoever announced it first is not held back by whoever came second. That its
 * session is still there is to be asked besides.
 *
 * @param own - `ownSinceMs`: since when whoever wants to edit the file has announced it; undefined: it has not
 */
export function holdsBack(
  { entry, where }: PlacedEntry<unknown>,
  own: { readonly ownSinceMs: number | undefined; readonly nowMs: number },
): boolean {
  const { ownSinceMs, nowMs } = own
  if (where !== 'here' || holdsUntilMs(entry) <= nowMs) return false
  return entry.leaseId !== undefined || ownSinceMs === undefined || ownSinceMs > entry.sinceMs
}
