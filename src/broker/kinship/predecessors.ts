/**
 * Whom a session carries on: a bounded set of addresses, each with the place up to which it took over the mail.
 *
 * @see docs/http.md §4; HD-01, HD-02, OP-27
 */

/** An address that somebody else carries on. */
export interface Predecessor {
  readonly address: string
  /** The newest place of what was handed over: what came later is not the heir's to conclude; 0 where nothing was. */
  readonly upToSeq: number
  /** Somebody stands there again, or another session carries it on: what is sent there now is not for this one. */
  readonly isPast?: true | undefined
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
    const newer = byAddress.get(one.address)
    if (newer !== undefined) byAddress.set(one.address, united(newer, one))
    else if (one.address !== own && byAddress.size < MAX_PREDECESSORS) byAddress.set(one.address, one)
  }
  return [...byAddress.values()]
}

/** It is for the heir still where it was for either: nobody else carries it on then. */
function united(newer: Predecessor, older: Predecessor): Predecessor {
  const { address } = newer
  const upToSeq = Math.max(newer.upToSeq, older.upToSeq)
  return newer.isPast === true && older.isPast === true
    ? { address, upToSeq, isPast: true }
    : { address, upToSeq }
}

/** The same set, in which some address, or each, is somebody else's from now on. */
export function asPast(known: readonly Predecessor[], address?: string): readonly Predecessor[] {
  return known.map((one) =>
    address === undefined || one.address === address ? { ...one, isPast: true } : one,
  )
}
