/**
 * How many envelopes of one sender are treated as `high` or `urgent`: a token bucket. What is beyond it is
 * delivered as `normal` and says so; the envelope itself stays as it is.
 *
 * @see AEE-094, AEE-095, AEQ-27; R-33
 */
import type { Priority } from '../aee/envelope.ts'
import type { Clock } from '../core/clock.ts'
import { Buckets } from './buckets.ts'
import type { BrokerLimits } from './limits.ts'

type PriorityLimits = Pick<BrokerLimits, 'priorityPerMinute' | 'priorityBurst'>

export class PriorityQuota {
  readonly #buckets: Buckets

  constructor(limits: PriorityLimits, clock: Clock) {
    this.#buckets = new Buckets(clock, () => ({
      perSecond: limits.priorityPerMinute / 60,
      burst: limits.priorityBurst,
    }))
  }

  /** @returns what an envelope of this sender is treated as */
  grant(sender: object, wanted: Priority): Priority {
    if (wanted === 'low' || wanted === 'normal') return wanted
    return this.#buckets.take(sender) === 0 ? wanted : 'normal'
  }
}
