/**
 * Whose mail a session took over: a bounded set, each with the place up to which it did.
 *
 * @see docs/http.md §4; HD-01, HD-02
 */

/** An address that somebody else carries on. */
export interface Predecessor {
  readonly address: string
  /** The newest place at the hand-over: what came later was never handed over, and is not the heir's to conclude. */
  readonly upToSeq: number
}

/** Addresses one session carries on; two that succeed each other in turn must not grow a list. */
export const MAX_PREDECESSORS = 16

/**
 * A set of predecessors with more of them: newest first, each address once with its latest place, the oldest beyond the
 * bound left out.
 *
 * @param own - the heir's own address, which is no predecessor of its
 */
export function addPredecessors(
  known: readonly Predecessor[],
  more: readonly Predecessor[],
  own: string,
): readonly Predecessor[] {
  const byAddress = new Map<string, Predecessor>()
  for (const one of [...more, ...known]) {
    const before = byAddress.get(one.address)
    if (
      before === undefined ? one.address !== own && byAddress.size < MAX_PREDECESSORS : isLater(one, before)
    )
      byAddress.set(one.address, one)
  }
  return [...byAddress.values()]
}

function isLater(one: Predecessor, other: Predecessor): boolean {
  return one.upToSeq > other.upToSeq
}
