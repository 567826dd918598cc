/**
 * Which envelopes an entity may be shown: those it sent, received, or shares a workflow with. For anybody else
 * there is none, and nothing tells it from one that never was.
 *
 * @see AEQ-23
 */
import type { Entities } from './entities.ts'
import { envelopeKey, type RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'

/** Envelopes, and who speaks for the entities they are between. */
export interface KnownEnvelopes {
  readonly ring: Pick<Ring, 'find' | 'hasParty'>
  readonly entities: Entities
}

/** @returns the envelope, where there is one that the entity may know of */
export function findVisible(
  { ring, entities }: KnownEnvelopes,
  id: string,
  entity: string,
): RetainedEnvelope | undefined {
  const retained = ring.find(envelopeKey(id))
  if (retained?.type !== 'envelope') return undefined
  const facts = retained.envelope
  const isParty = facts.from === entity || facts.to === entity
  if (isParty || hasReceived(retained, entities.holdersOf(entity))) return retained
  return ring.hasParty(facts.corr, entity) ? retained : undefined
}

/** By a channel, say: it came to a session that speaks for the entity. */
function hasReceived({ seq, delivery }: RetainedEnvelope, holders: Iterable<Session>): boolean {
  return [...holders].some(
    ({ address, predecessors }) =>
      delivery.reached(address) ||
      predecessors.some((one) => seq <= one.upToSeq && delivery.reached(one.address)),
  )
}
