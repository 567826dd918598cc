/**
 * Which envelopes an entity may be shown: those it sent, received, or shares a workflow with. For anybody else
 * there is none, and nothing tells it from one that never was.
 *
 * @see AEQ-23
 */
import { SERVICE_ENTITY } from '../aee/entity.ts'
import type { Entities } from './entities.ts'
import { envelopeKey, type Retained, type Ring } from './ring.ts'
import type { Session } from './session.ts'

/** @returns the envelope, where there is one that the entity may know of */
export function findVisible(
  { ring, entities }: { readonly ring: Pick<Ring, 'find' | 'thread'>; readonly entities: Entities },
  id: string,
  entity: string,
): Retained | undefined {
  const retained = ring.find(envelopeKey(id))
  const facts = retained?.envelope
  if (retained === undefined || facts === undefined) return undefined
  const isParty = facts.from === entity || facts.to === entity
  if (isParty || hasReceived(retained, entities.holdersOf(entity))) return retained
  const shares = ring.thread(facts.corr).some(({ facts: { from, to } }) => {
    // Asking the daemon about a workflow does not make one a part of it, and neither does its answer.
    if (from === SERVICE_ENTITY || to === SERVICE_ENTITY) return false
    return from === entity || to === entity
  })
  return shares ? retained : undefined
}

/** By a channel, say: it came to a session that speaks for the entity. */
function hasReceived({ delivery }: Retained, holders: Iterable<Session>): boolean {
  return [...holders].some(({ address, heirOf }) => [address, ...heirOf].some((one) => delivery.reached(one)))
}
