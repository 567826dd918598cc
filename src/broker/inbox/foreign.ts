/**
 * What waits in a mailbox of other principals, where that is only counted (FED-64).
 */
import { foreignHandle, type ForeignCount } from '../../protocol/address/foreign.ts'
import type { Authority } from '../authority/authority.ts'
import type { Retained } from '../ring/retained.ts'

/**
 * Of other principals, how much may wait where it is only counted. What is older goes: it would be looked at again and again,
 * and in the end stand in the way of what is one's own. The history has it still.
 */
export const MAX_FOREIGN_WAITING = 256

/** What of the waiting is left out of a drain. */
export interface LeftForeign {
  /** Most in front. */
  readonly counts: readonly ForeignCount[]
  /** The place of the newest; undefined where there is none. */
  readonly newest: number | undefined
  /** Places that do not wait any longer. */
  readonly surplus: readonly number[]
}

/** Of a drain that shows it, and of one that finds none. */
export const NO_FOREIGN: LeftForeign = { counts: [], newest: undefined, surplus: [] }

/** @param waiting - of other principals, oldest first */
export function leaveForeign(
  waiting: readonly Retained[],
  authority: Pick<Authority, 'tierOf'>,
): LeftForeign {
  if (waiting.length === 0) return NO_FOREIGN
  const kept = waiting.slice(-MAX_FOREIGN_WAITING)
  const counts = new Map<string, number>()
  for (const { origin } of kept) {
    const handle = foreignHandle(origin?.node, authority)
    if (handle === undefined) continue
    counts.set(handle, (counts.get(handle) ?? 0) + 1)
  }
  return {
    counts: [...counts].map(([handle, count]) => ({ handle, count })).toSorted((a, b) => b.count - a.count),
    newest: kept.at(-1)?.seq,
    surplus: waiting.slice(0, -kept.length).map(({ seq }) => seq),
  }
}
