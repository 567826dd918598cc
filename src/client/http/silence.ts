/**
 * Notices that a connection has gone quiet (AC-140). Hearing something costs one number, never a timer.
 */
import type { Clock, Timer } from '../../core/clock.ts'

/** Calls back when nothing was heard for `limitMs`; again and again until it is stopped. */
export class Silence {
  #heardMs: number
  /** The next look at the clock; undefined while stopped. */
  #timer: Timer | undefined
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #onSilence: () => void

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#onSilence = onSilence
    this.#heardMs = clock.monotonicMs()
  }

  /** Something was heard just now; starts listening when it was stopped. */
  heard(): void {
    this.#heardMs = this.#clock.monotonicMs()
    if (this.#timer === undefined) this.#arm(this.#limitMs)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.after(delayMs, () => {
      if (this.#timer === undefined) return
      const leftMs = this.#heardMs + this.#limitMs - this.#clock.monotonicMs()
      if (leftMs > 0) return this.#arm(leftMs)
      this.#heardMs = this.#clock.monotonicMs()
      this.#arm(this.#limitMs)
      this.#onSilence()
    })
  }
}
