/**
 * Which envelopes an entity may be shown: those it sent, received, or shares a workflow with. For anybody else
 * there is none, and nothing tells it from one that never was.
 *
 * @see AEQ-23
 */
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { Entities } from './entities.ts'
import { envelopeKey, type EnvelopeFacts, type RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'

/** Envelopes, and who speaks for the entities they are between. */
export interface KnownEnvelopes {
  readonly ring: Pick<Ring, 'find' | 'thread'>
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
  return sharesWorkflow(ring, facts.corr, entity) ? retained : undefined
}

/** Envelopes of a workflow that are looked through for a party, and how many at a time. */
const MAX_LOOKED_THROUGH = 8_192
const STEP_LINKS = 256

function sharesWorkflow(ring: Pick<Ring, 'thread'>, corr: string, entity: string): boolean {
  let after = 0
  for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += STEP_LINKS) {
    const page = ring.thread(corr, after, STEP_LINKS)
    if (page.some(({ facts }) => isPartyOf(facts, entity))) return true
    const last = page.at(-1)
    if (last === undefined || page.length < STEP_LINKS) return false
    after = last.seq
  }
  return false
}

/** Asking the daemon about a workflow does not make one a part of it, and neither does its answer. */
function isPartyOf({ from, to }: EnvelopeFacts, entity: string): boolean {
  return from !== SERVICE_ENTITY && to !== SERVICE_ENTITY && (from === entity || to === entity)
}

/** By a channel, say: it came to a session that speaks for the entity. */
function hasReceived({ delivery }: RetainedEnvelope, holders: Iterable<Session>): boolean {
  return [...holders].some(({ address, heirOf }) => [address, ...heirOf].some((one) => delivery.reached(one)))
}
