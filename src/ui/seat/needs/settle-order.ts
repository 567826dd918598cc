/**
 * How the order of a list keeps still under a pointer.
 *
 * @see SEAT-22
 */

/** A list as it stands, and as it would be ordered now. */
export interface Settling<Item> {
  /** Names as they stand, from the top. */
  readonly shown: readonly string[]
  readonly ordered: readonly Item[]
  readonly nameOf: (item: Item) => string
  /** Whether a pointer or the focus is among them, or one is being answered. */
  readonly isHeld: boolean
}

/** The order in which they are shown: those that stand there stay while somebody is at one of them, new ones come below. */
export function settleOrder<Item>({ shown, ordered, nameOf, isHeld }: Settling<Item>): readonly Item[] {
  if (!isHeld) return ordered
  const byName = new Map(ordered.map((item) => [nameOf(item), item]))
  const standing = shown.flatMap((name) => byName.get(name) ?? [])
  const known = new Set(shown)
  return [...standing, ...ordered.filter((item) => !known.has(nameOf(item)))]
}
