/**
 * For whom a caller may speak: `from` is bound to the session, since an envelope only asserts it.
 *
 * @see docs/http.md §9; AEQ-21, AEE-092
 */
import { quoteName } from '../../aee/envelope/fault.ts'
import { SERVICE_ENTITY, isHuman } from '../../aee/envelope/entity.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Caller } from '../session/caller.ts'
import type { Entities } from '../audience/entities.ts'
import { HUMAN_TOOL } from '../session/facts.ts'
import type { Session } from '../session/session.ts'

/** Whoever knows which sessions still live. */
export interface LeaseHolder {
  isAlive(session: Session): boolean
}

/** What decides whether an entity is free to be spoken for. */
interface Presence {
  readonly entities: Entities
  readonly leases: LeaseHolder
}

/**
 * @throws AgentdError `sender-identity-mismatch`, field `from`; `unauthenticated` for a session that ended while
 *   its request was still being sent
 */
export function requireFrom(from: string, { session }: Caller, { entities, leases }: Presence): void {
  if (session?.isOver === true)
    throw new AgentdError('unauthenticated', 'This session is over; register again.')
  if (from === SERVICE_ENTITY) throw mismatch(`"${SERVICE_ENTITY}" is the daemon itself.`)
  if (session !== undefined) {
    if (session.entities.includes(from)) return
    throw mismatch(`This session has not registered ${quoteName(from)} among its "entities".`)
  }
  if (isHuman(from)) {
    throw mismatch(
      `A person speaks through a session of their own; register one with "tool": "${HUMAN_TOOL}".`,
    )
  }
  for (const holder of entities.holdersOf(from)) {
    if (leases.isAlive(holder))
      throw mismatch(`${quoteName(from)} is held by ${holder.address}; send its token.`)
  }
}

function mismatch(message: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', message, { field: 'from' })
}
