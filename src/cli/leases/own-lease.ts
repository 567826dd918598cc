/**
 * A lease of the caller's own by what a person types: its id, a beginning of that, or what it is on.
 */
import { UsageError } from '../../core/errors.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { BoardLine } from '../items/board-line.ts'
import { isWholeId } from '../verbs/argv.ts'
import { whereSame, type NamedResource } from './same-resource.ts'

/** A lease as the board has it. */
export type LeaseLine = BoardLine & { readonly leaseId: string }

/** Letters of an id that are shown, and from how many on a beginning of one is taken for it. */
export const SHORT_ID_LETTERS = 8
const LEAST_ID_LETTERS = 4

/** What is meant: an id as it was given, with the lease where that is known. */
export interface MeantLease {
  readonly leaseId: string
  readonly line: LeaseLine | undefined
}

/** Whose leases are looked through. */
export interface Looking {
  readonly leases: readonly LeaseLine[]
  /** The address of the session that asks; of the principal itself the handle. */
  readonly from: string
}

/**
 * A whole id is what it says, whether or not such a lease is known: a release that matches none is no error (AC-037).
 *
 * @throws UsageError for what is no live lease of one's own, or may be several
 */
export function findOwnLease(given: string, named: NamedResource, { leases, from }: Looking): MeantLease {
  const own = leases.filter((line) => isOwn(line, from))
  if (isWholeId(given)) {
    const wanted = given.toLowerCase()
    return { leaseId: given, line: own.find(({ leaseId }) => leaseId.toLowerCase() === wanted) }
  }
  const found = candidates(own, given, named)
  const [only, ...others] = found
  if (only === undefined) throw nothingFound(given, named, leases)
  if (others.length === 0) return { leaseId: only.leaseId, line: only }
  const list = found.map(({ leaseId, resource, left }) => `${leaseId} (${quoted(resource)}, ${left} left)`)
  throw new UsageError(safeLine(`You hold ${found.length} of those; name one by its id: ${list.join(', ')}.`))
}

/** Whether it is the caller's own. */
export function isOwn({ from, node }: Pick<BoardLine, 'from' | 'node'>, caller: string): boolean {
  return node === undefined && from === caller
}

/** What is written alike counts first, then the same file from elsewhere, then beginnings of ids. */
function candidates(own: readonly LeaseLine[], given: string, named: NamedResource): readonly LeaseLine[] {
  const alike = own.filter(({ resource }) => resource === given)
  if (alike.length > 0) return alike
  const same = own.filter((line) => whereSame(line, named) !== undefined)
  if (same.length > 0 || given.length < LEAST_ID_LETTERS) return same
  return own.filter(({ leaseId }) => leaseId.toLowerCase().startsWith(given.toLowerCase()))
}

/** Somebody else's is not ours to release, and it is said whose it is. */
function nothingFound(given: string, named: NamedResource, leases: readonly LeaseLine[]): UsageError {
  const other = leases.find((line) => whereSame(line, named) !== undefined)
  const whose = other === undefined ? '' : `; ${safeLine(other.name ?? other.from)} does`
  return new UsageError(
    `You hold no lease on ${quoted(given)} that lives${whose}. "agentd locks" lists those that do.`,
  )
}
