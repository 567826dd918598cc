/**
 * The clock by which frames grow old: it goes no faster than the daemon runs (HD-16).
 *
 * A wall clock that is eight days ahead, for one frame, would otherwise make everything older than a week. What it is
 * ahead of the running time is not believed until it has stayed so for an hour; a clock that goes back is believed
 * at once, since nothing goes for it.
 */
import type { Clock } from '../../core/clock.ts'

/** How long a wall clock has to stay ahead until it is believed, in milliseconds of running time: sleep looks alike. */
export const BELIEVED_AFTER_MS = 3_600_000

/** What two readings may differ in without anybody having set a clock: time servers slew. */
const TOLERATED_MS = 60_000

export class AgeClock {
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** Wall time as far as it is believed, at the running time below. */
  #believedMs: number
  #atMs: number
  /** Running time since when the wall clock has been ahead; undefined while it is not. */
  #aheadSinceMs: number | undefined

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
    this.#clock = clock
    this.#believedMs = clock.nowMs()
    this.#atMs = clock.monotonicMs()
  }

  /** @param wallMs - a wall time before this daemon's, as of the newest frame; nothing is believed beyond it at first */
  know(wallMs: number | undefined): void {
    this.#believedMs = Math.min(this.#believedMs, wallMs ?? Infinity)
  }

  /** How far the wall clock is ahead of what is believed of it, in milliseconds; never less than 0. */
  aheadMs(): number {
    const wallMs = this.#clock.nowMs()
    const nowMs = this.#clock.monotonicMs()
    this.#believedMs += nowMs - this.#atMs
    this.#atMs = nowMs
    if (wallMs <= this.#believedMs + TOLERATED_MS) this.#aheadSinceMs = undefined
    else this.#aheadSinceMs ??= nowMs
    const isBelieved = this.#aheadSinceMs === undefined || nowMs - this.#aheadSinceMs >= BELIEVED_AFTER_MS
    if (isBelieved) {
      this.#believedMs = wallMs
      this.#aheadSinceMs = undefined
    }
    return Math.max(0, wallMs - this.#believedMs)
  }
}
