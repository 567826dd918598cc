/**
 * How much of a lane goes in one batch: as much as the link carries in a moment, so that a slow one is not held up by its own
 * acknowledgements and a fast one is not kept waiting for them.
 *
 * @see FED-18
 */

/** Octets of the records of one batch, at the least, at the most, and at first. One larger record goes alone. */
export const MIN_BATCH_SIZE = 4_096
export const MAX_BATCH_SIZE = 262_144
const FIRST_BATCH_SIZE = 16_384

/** A batch that is acknowledged sooner than this was small for its link, in milliseconds. */
const SOON_MS = 250

/** And one that takes longer was large. */
const LATE_MS = 1_000

/** The size of the next batch of one lane. */
export class BatchSize {
  #octets = FIRST_BATCH_SIZE

  /** Octets of records. */
  get octets(): number {
    return this.#octets
  }

  /** @param tookMs - from a batch's leaving to its acknowledgement */
  acknowledged(tookMs: number): void {
    if (tookMs < SOON_MS) this.#octets = Math.min(MAX_BATCH_SIZE, this.#octets * 2)
    else if (tookMs > LATE_MS) this.#octets = Math.max(MIN_BATCH_SIZE, this.#octets / 2)
  }
}
