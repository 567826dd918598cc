/**
 * What came over a link from another principal: whose it is, and how it is counted where it is not shown (FED-64).
 */
import { quoted } from '../../core/text/quoted.ts'

/** Whether what other principals wrote is put into a model's context, or only counted there. */
export type ForeignWish = 'show' | 'count'

/** How much of one principal's waits. */
export interface ForeignCount {
  /** Whose it is, such as `~bob`. */
  readonly handle: string
  /** Items. */
  readonly count: number
}

/** Knows a person's handles: the principal's, and whichever else were declared. */
interface OwnHandles {
  readonly tierOf: (handle: string) => 'sovereign' | 'instrument' | undefined
}

/** Principals that are named in one line. */
const MAX_NAMED = 3

/** The Sovereign handle whose node it is: `~bob` of `~bob/box`; undefined for a node of one's own realm. */
export function ownerOf(node: string): string | undefined {
  return node.startsWith('~') ? node.split('/', 1)[0] : undefined
}

/**
 * The other principal whose node something was accepted on first.
 *
 * @param node - its node; `~bob/box` where several principals share the realm, a label alone in one's own (FED-31)
 * @param own - which handles are this daemon's person's own
 * @returns undefined for what is one's own, whichever machine it came from
 */
export function foreignHandle(node: string | undefined, own: OwnHandles): string | undefined {
  const owner = node === undefined ? undefined : ownerOf(node)
  return owner === undefined || own.tierOf(owner) === 'sovereign' ? undefined : owner
}

/** `3 from other people, which are not shown here: "~bob" 2, "~carol" 1`; undefined where there is none. */
export function wordForeign(counts: readonly ForeignCount[]): string | undefined {
  if (counts.length === 0) return undefined
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  const named = counts.slice(0, MAX_NAMED).map(({ handle, count }) => `${quoted(handle)} ${count}`)
  const more = counts.length - named.length
  const from = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `${all} from other people, which ${all === 1 ? 'is' : 'are'} not shown here: ${from}`
}
