/**
 * How many envelopes of one sender are treated as `high` or `urgent`: a token bucket. What is beyond it is
 * delivered as `normal` and says so; the envelope itself stays as it is.
 *
 * @see AEE-094, AEE-095, AEQ-27; R-33
 */
import type { Priority } from '../../aee/envelope/envelope.ts'
import type { Clock } from '../../core/clock.ts'
import { MAX_ENTITY_OCTETS } from '../../core/limits.ts'
import { Buckets, type BucketRate } from './buckets.ts'
import type { BrokerLimits } from './limits.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'

type PriorityLimits = Pick<BrokerLimits, 'priorityPerMinute' | 'priorityBurst'>

/** Senders that are told apart; the longest silent goes first, and has its burst again. */
export const MAX_SENDERS = 4_096

/** Senders that are forgotten together. */
const FORGOTTEN_AT_ONCE = 256

/** How many senders' worth all of them share: a name costs nothing, so a new one for each envelope gains nothing. */
export const SHARED_SENDERS = 8

export class PriorityQuota {
  readonly #own: Buckets
  readonly #shared: Buckets
  /** By entity: a session may come and go for every envelope. */
  readonly #senders = new BoundedMap<string, object>({ most: MAX_SENDERS, atOnce: FORGOTTEN_AT_ONCE })

  constructor(limits: PriorityLimits, clock: Clock) {
    this.#own = new Buckets(clock, rateOf(limits, 1))
    this.#shared = new Buckets(clock, rateOf(limits, SHARED_SENDERS))
  }

  /** @param from - the entity that sends. @returns what its envelope is treated as */
  grant(from: string, wanted: Priority): Priority {
    if (wanted === 'low' || wanted === 'normal') return wanted
    const isWithin = this.#own.take(this.#senderOf(from)) === 0 && this.#shared.take(this) === 0
    return isWithin ? wanted : 'normal'
  }

  #senderOf(from: string): object {
    const name = from.slice(0, MAX_ENTITY_OCTETS)
    const sender = this.#senders.get(name) ?? {}
    this.#senders.set(name, sender)
    return sender
  }
}

/** The rate of so many senders together. */
function rateOf(limits: PriorityLimits, senders: number): BucketRate {
  return {
    get perSecond() {
      return (senders * limits.priorityPerMinute) / 60
    },
    get burst() {
      return senders * limits.priorityBurst
    },
  }
}
