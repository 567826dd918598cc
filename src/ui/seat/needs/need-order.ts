/**
 * In which order what needs the person is shown, and how that order keeps still under a pointer.
 *
 * @see SEAT-09, SEAT-22
 */
import type { SeatNeed } from './need.ts'

/** Whatever ends sooner stands in front of what is merely older. */
export const URGENT_MS = 5 * 60_000

/** Later than all that ends soon; two of them are equal, as two infinities would not be. */
const NOT_SOON = Number.MAX_SAFE_INTEGER

/**
 * `you` before `anyone`; then what has less than five minutes left, the soonest first; then the oldest first. What is late
 * has no time left to run out, and stands by its age.
 */
export function orderNeeds(needs: Iterable<SeatNeed>, nowMs: number): readonly SeatNeed[] {
  return [...needs].toSorted(
    (a, b) =>
      Number(a.addressed !== 'you') - Number(b.addressed !== 'you') ||
      urgencyOf(a, nowMs) - urgencyOf(b, nowMs) ||
      a.askedAtMs - b.askedAtMs ||
      (a.needId < b.needId ? -1 : 1),
  )
}

/**
 * The order in which cards are shown: those that stand there stay where they are while somebody is at one of them, and new
 * ones come below.
 *
 * @param shown - ids as they stand, from the top
 * @param ordered - as {@link orderNeeds} has them
 * @param isHeld - whether a pointer or the focus is among them, or one is being answered
 */
export function settleOrder(
  shown: readonly string[],
  ordered: readonly SeatNeed[],
  isHeld: boolean,
): readonly SeatNeed[] {
  if (!isHeld) return ordered
  const byId = new Map(ordered.map((need) => [need.needId, need]))
  const standing = shown.flatMap((id) => byId.get(id) ?? [])
  const known = new Set(shown)
  return [...standing, ...ordered.filter(({ needId }) => !known.has(needId))]
}

/** When it ends, for what ends soon; the same for all others. */
function urgencyOf({ untilMs, state }: SeatNeed, nowMs: number): number {
  if (untilMs === undefined || state !== 'open') return NOT_SOON
  const leftMs = untilMs - nowMs
  return leftMs > 0 && leftMs < URGENT_MS ? leftMs : NOT_SOON
}
