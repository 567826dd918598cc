/**
 * Token buckets, one per sender: a steady rate, and what may be saved up for a burst.
 */
import type { Clock } from '../../core/clock.ts'

/** How fast tokens come. Read at every take, so that a reload of the configuration holds at once. */
export interface BucketRate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  tokens: number
  refilledMs: number
}

export class Buckets {
  readonly #clock: Clock
  readonly #rate: BucketRate
  /** A bucket goes when the object that stands for its sender goes. */
  readonly #buckets = new WeakMap<object, Bucket>()

  constructor(clock: Clock, rate: BucketRate) {
    this.#clock = clock
    this.#rate = rate
  }

  /**
   * Takes a token.
   *
   * @returns 0, or how long until there is one, in milliseconds
   */
  take(sender: object): number {
    const bucket = this.#refill(sender)
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / this.#rate.perSecond) * 1_000)
    bucket.tokens -= 1
    return 0
  }

  #refill(sender: object): Bucket {
    const { perSecond, burst } = this.#rate
    const nowMs = this.#clock.monotonicMs()
    const bucket = this.#buckets.get(sender)
    if (bucket === undefined) {
      const full = { tokens: burst, refilledMs: nowMs }
      this.#buckets.set(sender, full)
      return full
    }
    const earned = ((nowMs - bucket.refilledMs) / 1_000) * perSecond
    bucket.tokens = Math.min(burst, bucket.tokens + earned)
    bucket.refilledMs = nowMs
    return bucket
  }
}
