/**
 * How much one sender may submit: a token bucket per session, one per process where the kernel names it, and one that
 * all of them share. Ten connections of one session, or ten sessions of one process, are no more quota (HD-05).
 *
 * @see AC-179, R-32, R-47
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { Buckets, type BucketRate } from './buckets.ts'
import type { BrokerLimits } from './limits.ts'
import { Processes } from './processes.ts'
import type { RingShares } from './ring-shares.ts'
import { sourceOf, type Asking } from './source.ts'

type RateLimits = Pick<
  BrokerLimits,
  'submissionsPerSecond' | 'submissionBurst' | 'sendersAtOnce' | 'limitRates'
>

/** What a submission costs besides itself. */
export interface Weight {
  readonly recipients: number
  readonly chars: number
}

/** Recipients that count as one submission more: what reaches thousands costs as much as many frames (HD-05). */
export const RECIPIENTS_PER_SUBMISSION = 64

/**
 * What every process has left when those that flood have taken what all share: enough for an agent at work, and too
 * little for a flood (HD-05).
 */
export const RESERVED_RATE: BucketRate = { perSecond: 10, burst: 50 }

export class Quota {
  readonly #limits: RateLimits
  readonly #clock: Clock
  readonly #own: Buckets
  readonly #shared: Buckets
  readonly #reserved: Buckets
  readonly #processes = new Processes()
  readonly #shares: RingShares

  constructor(limits: RateLimits, clock: Clock, shares: RingShares) {
    this.#limits = limits
    this.#clock = clock
    this.#shares = shares
    this.#own = new Buckets(
      clock,
      rateOf(limits, () => 1),
    )
    this.#shared = new Buckets(
      clock,
      rateOf(limits, () => limits.sendersAtOnce),
    )
    this.#reserved = new Buckets(clock, RESERVED_RATE)
  }

  /**
   * Charges one submission, frame or envelope; nothing while rates are not limited.
   *
   * @param caller - without a session, its process is the sender; where that is not known either, the principal
   * @throws AgentdError `rate-limited` with the time until the next one fits
   */
  charge(caller: Asking): void {
    this.#charge(caller, 1)
  }

  /**
   * Charges for whom a submission reaches and for what the ring keeps of it, after {@link charge} for itself.
   *
   * @throws AgentdError `rate-limited`
   */
  admit(caller: Asking, { recipients, chars }: Weight): void {
    const price = Math.floor(recipients / RECIPIENTS_PER_SUBMISSION)
    if (price > 0) this.#charge(caller, price)
    this.#shares.admit(sourceOf(caller), chars)
  }

  #charge({ session, peerPid }: Asking, price: number): void {
    if (!this.#limits.limitRates) return
    const nowMs = this.#clock.monotonicMs()
    const process = peerPid === undefined ? undefined : this.#processes.of(peerPid)
    const own = this.#own.of(session ?? process ?? this, nowMs)
    const ofProcess = session === undefined || process === undefined ? own : this.#own.of(process, nowMs)
    const shared = this.#shared.of(this, nowMs)
    // All are looked at before anything is taken: a refusal by one costs nothing of the others.
    const ownMs = Math.max(this.#own.waitMs(own, price), this.#own.waitMs(ofProcess, price))
    if (ownMs > 0) throw this.#refusal(ownMs, 'one sender')
    const sharedMs = this.#shared.waitMs(shared, price)
    if (sharedMs === 0) this.#shared.spend(shared, price)
    else this.#takeReserved(process ?? session ?? this, { price, nowMs, sharedMs })
    this.#own.spend(own, price)
    if (ofProcess !== own) this.#own.spend(ofProcess, price)
  }

  /** What all share is taken: each process has a little of its own. @throws AgentdError `rate-limited` */
  #takeReserved(
    sender: object,
    { price, nowMs, sharedMs }: { readonly price: number; readonly nowMs: number; readonly sharedMs: number },
  ): void {
    const reserved = this.#reserved.of(sender, nowMs)
    const reservedMs = this.#reserved.waitMs(reserved, price)
    if (reservedMs > 0) throw this.#refusal(Math.min(sharedMs, reservedMs), 'all senders together')
    this.#reserved.spend(reserved, price)
  }

  #refusal(retryAfterMs: number, who: string): AgentdError {
    return new AgentdError(
      'rate-limited',
      `More than ${who} may submit in a second (limits.submissions_per_second); wait and send again.`,
      { retryAfterMs },
    )
  }
}

/** The rate of so many senders together, as the configuration says at the moment. */
function rateOf(limits: RateLimits, senders: () => number): BucketRate {
  return {
    get perSecond() {
      return senders() * limits.submissionsPerSecond
    },
    get burst() {
      return senders() * limits.submissionBurst
    },
  }
}
