/**
 * How much of the daemon's time hooks may take for reading payloads: beyond it an event is left unread, and what waits
 * goes on waiting (OP-11).
 */
import type { Clock } from '../core/clock.ts'

/** Octets of payloads that are read in a second, and at once; a payload costs about ten milliseconds a mebibyte. */
export const OCTETS_PER_SECOND = 16 * 1_048_576

export class Load {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #left = OCTETS_PER_SECOND
  #atMs: number

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
    this.#atMs = clock.monotonicMs()
  }

  /** @returns false when so much may not be read now */
  take(octets: number): boolean {
    const nowMs = this.#clock.monotonicMs()
    const refilled = this.#left + ((nowMs - this.#atMs) * OCTETS_PER_SECOND) / 1_000
    this.#atMs = nowMs
    this.#left = Math.min(OCTETS_PER_SECOND, refilled)
    if (octets > this.#left) return false
    this.#left -= octets
    return true
  }
}
