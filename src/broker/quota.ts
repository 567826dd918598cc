/**
 * How much one sender may submit: a token bucket per session, so that ten connections of one session share
 * one quota.
 *
 * @see AC-179, design R-32
 */
import { AgentdError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import type { BrokerLimits } from './limits.ts'

interface Bucket {
  tokens: number
  refilledMs: number
}

export class Quota {
  readonly #limits: Pick<BrokerLimits, 'submissionsPerSecond' | 'submissionBurst'>
  readonly #clock: Clock
  readonly #buckets = new WeakMap<object, Bucket>()

  constructor(limits: Pick<BrokerLimits, 'submissionsPerSecond' | 'submissionBurst'>, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /**
   * Charges one submission.
   *
   * @param sender - the object that stands for the sender; its bucket goes when it goes
   * @throws AgentdError `rate-limited` with the time until the next one fits
   */
  charge(sender: object): void {
    const bucket = this.#refill(sender)
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return
    }
    const retryAfterMs = Math.ceil(((1 - bucket.tokens) / this.#limits.submissionsPerSecond) * 1_000)
    throw new AgentdError(
      'rate-limited',
      `More than ${this.#limits.submissionsPerSecond} frames a second; wait and send again.`,
      {
        retryAfterMs,
      },
    )
  }

  #refill(sender: object): Bucket {
    const nowMs = this.#clock.monotonicMs()
    const bucket = this.#buckets.get(sender)
    if (bucket === undefined) {
      const full = { tokens: this.#limits.submissionBurst, refilledMs: nowMs }
      this.#buckets.set(sender, full)
      return full
    }
    const earned = ((nowMs - bucket.refilledMs) / 1_000) * this.#limits.submissionsPerSecond
    bucket.tokens = Math.min(this.#limits.submissionBurst, bucket.tokens + earned)
    bucket.refilledMs = nowMs
    return bucket
  }
}
