/**
 * When the screen is drawn: at once, and never more often than ten times a second.
 *
 * @see SEAT-38
 */
import type { Clock, Timer } from '../../../core/clock.ts'

/** Between two paintings, in milliseconds. */
export const LEAST_PAUSE_MS = 100

/** Draws what it was asked to. */
export class Painter {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly #paint: () => void
  #lastMs = Number.NEGATIVE_INFINITY
  #waiting: Timer | undefined

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>, paint: () => void) {
    this.#clock = clock
    this.#paint = paint
  }

  /** Something has changed. What changes in the same turn is drawn together. */
  ask(): void {
    if (this.#waiting !== undefined) return
    const waitMs = Math.max(0, this.#lastMs + LEAST_PAUSE_MS - this.#clock.monotonicMs())
    this.#waiting = this.#clock.after(waitMs, () => {
      this.#waiting = undefined
      this.#lastMs = this.#clock.monotonicMs()
      this.#paint()
    })
  }

  /** Draws nothing any more that was asked for. */
  stop(): void {
    this.#waiting?.cancel()
    this.#waiting = undefined
  }
}
