/**
 * How long a lane waits for a document that it needs. In one's own realm as long as it takes: the document revokes one's own
 * machines. In the realm of others not longer than a moment, since whoever names what never comes would stop everybody.
 *
 * @see FED-41, FED-43
 */
import type { Clock } from '../../core/clock.ts'

/** From the first batch that waits, in milliseconds of the monotonic clock. */
export const STANDING_WAIT_MS = 5_000

/** Lanes that wait, or have waited in vain; the oldest make room. */
export const MAX_WAITING_LANES = 4_096

export class StandingWaits {
  readonly #clock: Clock
  readonly #waitMs: number
  /** Lane → when the first of it waited. */
  readonly #since = new Map<string, number>()

  /** @param waitMs - `Infinity` in one's own realm */
  constructor(clock: Clock, waitMs = STANDING_WAIT_MS) {
    this.#clock = clock
    this.#waitMs = waitMs
  }

  /** Whether a lane may wait still. */
  mayWait(lane: string): boolean {
    if (this.#waitMs === Infinity) return true
    const nowMs = this.#clock.monotonicMs()
    const since = this.#since.get(lane)
    if (since !== undefined) return nowMs - since < this.#waitMs
    for (const oldest of this.#since.keys()) {
      if (this.#since.size < MAX_WAITING_LANES) break
      this.#since.delete(oldest)
    }
    this.#since.set(lane, nowMs)
    return true
  }

  /** What a lane waited for is there. */
  over(lane: string): void {
    this.#since.delete(lane)
  }
}
