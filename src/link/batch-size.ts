/**
 * How much of a lane goes in one batch: as much as the link carries in a moment, so that a slow one is not held up by its own
 * acknowledgements and a fast one is not kept waiting for them. A long way is not a slow one: its round trip is taken off.
 *
 * @see FED-18
 */

/** Octets of the records of one batch, at the least, at the most, and at first. One larger record goes alone. */
export const MIN_BATCH_SIZE = 4_096
export const MAX_BATCH_SIZE = 262_144
const FIRST_BATCH_SIZE = 16_384

/** A batch that is acknowledged so soon behind a bare round trip was small for its link, in milliseconds. */
const SOON_MS = 250

/** And one that takes longer than this was large. */
const LATE_MS = 1_000

/** The longest round trip that counts as the way's own, in milliseconds: a hub that takes longer is busy. */
const MAX_ROUND_TRIP_MS = 1_000

/** The size of the next batch of one lane. */
export class BatchSize {
  #octets = FIRST_BATCH_SIZE
  /** What a batch of nothing would take; 0 until that is known. */
  #roundTripMs = 0

  /** Octets of records. */
  get octets(): number {
    return this.#octets
  }

  /** @param tookMs - a question of a few octets and its answer, on the same connection */
  roundTrip(tookMs: number): void {
    this.#roundTripMs = Math.min(MAX_ROUND_TRIP_MS, tookMs)
  }

  /** @param tookMs - from a batch's leaving to its acknowledgement */
  acknowledged(tookMs: number): void {
    const behindMs = tookMs - this.#roundTripMs
    if (behindMs < SOON_MS) this.#octets = Math.min(MAX_BATCH_SIZE, this.#octets * 2)
    else if (behindMs > LATE_MS) this.#octets = Math.max(MIN_BATCH_SIZE, this.#octets / 2)
  }
}
