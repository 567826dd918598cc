/**
 * Token buckets, one per sender: a steady rate, and what may be saved up for a burst.
 */
import type { Clock } from '../../core/clock.ts'

/** How fast tokens come. Read at every take, so that a reload of the configuration holds at once. */
export interface BucketRate {
  readonly perSecond: number
  readonly burst: number
}

/** What one sender has left, as of the moment it was asked for. */
export interface Bucket {
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
    const bucket = this.of(sender)
    const waitMs = this.waitMs(bucket, 1)
    if (waitMs === 0) this.spend(bucket, 1)
    return waitMs
  }

  /** A sender's bucket with what time has brought; for who looks at several before anything is taken of one. */
  of(sender: object, nowMs = this.#clock.monotonicMs()): Bucket {
    const { perSecond, burst } = this.#rate
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

  /** How long until a bucket holds a price, in milliseconds; 0 when it does. */
  waitMs({ tokens }: Bucket, price: number): number {
    const missing = this.#payable(price) - tokens
    return missing <= 0 ? 0 : Math.ceil((missing / this.#rate.perSecond) * 1_000)
  }

  /** Takes a price that is there. */
  spend(bucket: Bucket, price: number): void {
    bucket.tokens -= this.#payable(price)
  }

  /** What costs more than may be saved up costs all of it. */
  #payable(price: number): number {
    return price === 1 ? 1 : Math.max(1, Math.min(price, this.#rate.burst))
  }
}
