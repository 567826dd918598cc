/**
 * How much one sender may submit: a token bucket per session, so that ten connections of one session share
 * one quota.
 *
 * @see AC-179, R-32
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { Buckets } from './buckets.ts'
import type { BrokerLimits } from './limits.ts'

type RateLimits = Pick<BrokerLimits, 'submissionsPerSecond' | 'submissionBurst'>

export class Quota {
  readonly #limits: RateLimits
  readonly #buckets: Buckets

  constructor(limits: RateLimits, clock: Clock) {
    this.#limits = limits
    this.#buckets = new Buckets(clock, () => ({
      perSecond: limits.submissionsPerSecond,
      burst: limits.submissionBurst,
    }))
  }

  /**
   * Charges one submission, frame or envelope.
   *
   * @param sender - the object that stands for the sender
   * @throws AgentdError `rate-limited` with the time until the next one fits
   */
  charge(sender: object): void {
    const retryAfterMs = this.#buckets.take(sender)
    if (retryAfterMs === 0) return
    throw new AgentdError(
      'rate-limited',
      `More than ${this.#limits.submissionsPerSecond} submissions a second; wait and send again.`,
      { retryAfterMs },
    )
  }
}
