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

type RateLimits = Pick<BrokerLimits, 'submissionsPerSecond' | 'submissionBurst' | 'limitRates'>

export class Quota {
  readonly #limits: RateLimits
  readonly #buckets: Buckets

  constructor(limits: RateLimits, clock: Clock) {
    this.#limits = limits
    this.#buckets = new Buckets(clock, {
      get perSecond() {
        return limits.submissionsPerSecond
      },
      get burst() {
        return limits.submissionBurst
      },
    })
  }

  /**
   * Charges one submission, frame or envelope; nothing while rates are not limited.
   *
   * @param session - undefined for the principal itself, which is a sender of its own
   * @throws AgentdError `rate-limited` with the time until the next one fits
   */
  charge(session: object | undefined): void {
    if (!this.#limits.limitRates) return
    const retryAfterMs = this.#buckets.take(session ?? this)
    if (retryAfterMs === 0) return
    throw new AgentdError(
      'rate-limited',
      `More than ${this.#limits.submissionsPerSecond} submissions a second; wait and send again.`,
      { retryAfterMs },
    )
  }
}
