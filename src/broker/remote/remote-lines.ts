/**
 * What became of something on other nodes: what they have reported, and of those that have not told yet how far it came.
 *
 * @see docs/http.md §5; FED-52
 */
import { readEventId } from '../../protocol/address/event-id.ts'
import type { ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { Origins } from '../origins/origins.ts'
import { isAccordRealm, leavingKey } from '../origins/stream-key.ts'
import type { Retained } from '../ring/retained.ts'
import type { OtherNodes } from './other-nodes.ts'

type Line = ReceiptsReply['receipts'][number]

/** What lines are worked out from. */
export interface RemoteLinesParts {
  readonly ring: { readonly epoch: string; readonly origins: Pick<Origins, 'ackedOf'> }
  readonly others: OtherNodes
}

/** One line for each recipient that another node reported, and for each node that was named and has not told. */
export function remoteLines(retained: Retained, parts: RemoteLinesParts): readonly Line[] {
  // What came from elsewhere has its receipts there.
  if (retained.origin !== undefined) return []
  const reported = retained.delivery.remoteReceipts().map(({ node, address, state, atMs, detail }): Line => {
    const why = state === 'refused' ? { code: detail } : { via: detail }
    return {
      address: address === '' ? retained.scopeText : address,
      state,
      at: new Date(atMs).toISOString(),
      node,
      ...(detail !== undefined && why),
    }
  })
  const told = new Set(reported.map(({ node }) => node))
  const silent = namedNodes(retained, parts.others).filter((node) => !told.has(node))
  return [...reported, ...silent.map((node) => waitingLine(retained, node, parts))]
}

/** Those it named when it was accepted; where that is not known, those that it names now. */
function namedNodes(retained: Retained, others: OtherNodes): readonly string[] {
  if (!others.isLinked) return []
  const named = retained.delivery.named ?? others.countOf(retained)
  return named === undefined ? [] : [...named.nodes, ...named.away]
}

/** Until the node tells, it is known whom it was written to, and not whom it reached. */
function waitingLine(retained: Retained, node: string, parts: RemoteLinesParts): Line {
  const { seq, scope, scopeText, acceptedAtMs } = retained
  const { ring, others } = parts
  const isThere = ({ realm }: { readonly realm: string }): boolean =>
    scope?.form !== 'accord' || isAccordRealm(realm)
  const found = others.nodes().find((one) => one.node === node && isThere(one))
  const last = found === undefined ? null : (ring.origins.ackedOf(leavingKey(found, retained))?.last ?? null)
  const acknowledged = last === null ? undefined : readEventId(last)
  const isHanded = acknowledged?.epoch === ring.epoch && acknowledged.seq >= seq
  return {
    address: scopeText,
    state: isHanded ? 'remote-handed' : 'remote-waiting',
    at: new Date(acceptedAtMs).toISOString(),
    node,
  }
}

/** States that something else is still to follow. */
const OPEN: ReadonlySet<string> = new Set(['emitted', 'queued', 'remote-waiting', 'remote-handed'])

/**
 * Whether a wait is over: one recipient has seen it, or all; nobody to wait for is over at once.
 *
 * @param lines - of this node and others, the sender's own left out
 * @param isAway - whose node is not heard of: `all` waits for nobody there
 */
export function isSettled(
  wait: 'seen' | 'all',
  lines: readonly Pick<Line, 'state' | 'node'>[],
  isAway: (node: string) => boolean,
): boolean {
  if (wait === 'seen' && lines.some(({ state }) => state === 'seen')) return true
  const awaited = wait === 'seen' ? lines : lines.filter(({ node }) => node === undefined || !isAway(node))
  return awaited.every(({ state }) => !OPEN.has(state))
}
