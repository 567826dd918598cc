/**
 * How the order of what needs the person keeps still under a pointer.
 *
 * @see SEAT-22
 */
import type { SeatNeed } from './need.ts'

/**
 * The order in which cards are shown: those that stand there stay where they are while somebody is at one of them, and new
 * ones come below.
 *
 * @param shown - ids as they stand, from the top
 * @param ordered - in the order of SEAT-09
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
