/**
 * What a broker is put together from.
 */
import type { Clock } from '../core/clock.ts'
import type { Authority } from './authority/authority.ts'
import type { EnvelopePolicy } from './envelopes/policy.ts'
import type { Processes } from './kinship/lifeline.ts'
import type { BrokerLimits } from './quota/limits.ts'
import type { Defer } from './ring/background.ts'
import type { Remote } from './remote/remote.ts'
import type { Ring } from './ring/ring.ts'
import type { Inheritance, Ledger } from './session/ledger.ts'

/** What a broker is built from; all of it explicit, so that nothing is found by accident. */
export interface BrokerParts {
  readonly principal: string
  /** Absent: the principal alone, and no organisation. */
  readonly authority?: Authority
  /** Absent: this node alone. */
  readonly remote?: Remote
  readonly limits: BrokerLimits
  readonly ring: Ring
  readonly ledger: Ledger
  readonly inheritance: Inheritance
  readonly clock: Clock
  readonly processes: Processes
  readonly policy: EnvelopePolicy
  readonly defer: Defer
}
