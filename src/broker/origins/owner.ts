/**
 * Whose node something came from. In one's own realm a node is its label, `box`; in the realm of an organisation or an accord
 * it is told with its owner, `~bob/box`.
 *
 * @see FED-41, FED-59
 */
import { ownerOf } from '../../protocol/address/foreign.ts'

/** What is asked about: something retained, or about to be. */
export interface FromNode {
  readonly senderHandle: string
  readonly origin: { readonly node: string } | undefined
}

/** Who is whose here. */
interface Handles {
  readonly actorOf: (handle: string) => string
}

/**
 * The Sovereign handle that the sender of something acts for. Of what came from a member's node that is its owner: no handle
 * of theirs is declared here, and what nobody declared would count as the principal's own.
 */
export function senderActor(
  { origin, senderHandle }: FromNode,
  { actorOf }: Pick<Handles, 'actorOf'>,
): string {
  return (origin && ownerOf(origin.node)) ?? actorOf(senderHandle)
}
