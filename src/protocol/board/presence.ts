/**
 * Whether whoever announced something is there still, by the rosters of this node and of others.
 *
 * @see HD-08; FED-66, FED-67
 */
import type { BoardEntry } from './board-frame.ts'

/** Another node, as a roster tells of it (docs/http.md §4). */
interface ToldNode {
  readonly node: string
  readonly state: 'here' | 'away' | 'left'
  readonly sessions: readonly { readonly address: string }[]
  readonly total: number
}

/** Who is there. */
export interface Rosters {
  /** Addresses of this node's sessions. */
  readonly here: { has(address: string): boolean }
  /** Other nodes; none without a link. */
  readonly nodes: readonly ToldNode[]
}

/**
 * Whether the session that announced it has gone. What no session sent never has, and of a node that is not heard of just
 * now, or tells only a part of who is there, nobody knows.
 */
export function isGone({ from, node }: Pick<BoardEntry, 'from' | 'node'>, { here, nodes }: Rosters): boolean {
  if (!from.includes('@')) return false
  if (node === undefined) return !here.has(from)
  const told = nodes.filter((one) => one.node === node)
  return told.length > 0 && told.every((one) => isGoneFrom(one, from))
}

function isGoneFrom({ state, sessions, total }: ToldNode, from: string): boolean {
  if (state !== 'here') return state === 'left'
  return sessions.length === total && !sessions.some(({ address }) => address === from)
}
