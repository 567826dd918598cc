/**
 * What the registry of sessions is built from, and what it gives.
 */
import type { Clock } from '../../core/clock.ts'
import type { Authority } from '../authority/authority.ts'
import type { Lanes } from '../mail/lanes.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import type { Ring } from '../ring/ring.ts'
import type { Heirs } from '../kinship/heirs.ts'
import type { Processes } from '../kinship/lifeline.ts'
import type { Lifelines } from '../kinship/lifelines.ts'
import type { Ledger } from './ledger.ts'
import type { Session } from './session.ts'

/** What came of a registration. `token` is only ever told here. */
export interface Registration {
  readonly kind: 'created' | 'updated' | 'taken-over'
  readonly session: Session
  readonly token: string
}

/** Whoever works out from the sessions what a scope expands to. */
export interface SessionObserver {
  /** Somebody came, went, or changed what a scope would expand to. */
  sessionChanged(session: Session, isPresent: boolean): void
}

/**
 * Told that a session has ended.
 *
 * @param isCarriedOn - whether another session carries it on, or one comes back to its address just now
 */
export type SessionEndObserver = (address: string, isCarriedOn: boolean) => void

/** What the registry works with. */
export interface SessionsParts {
  readonly clock: Clock
  readonly ring: Ring
  readonly lanes: Lanes
  readonly ledger: Ledger
  readonly processes: Processes
  readonly limits: BrokerLimits
  readonly authority: Authority
  readonly observer: SessionObserver
  readonly lifelines: Lifelines<Session>
  readonly heirs: Heirs<Session>
}
