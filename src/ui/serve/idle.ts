/**
 * When nobody needs the process any more: no stream, no answer under way, and no request for a while (SEAT-18).
 */
import type { Clock, Timer } from '../../core/clock.ts'

export class Idle {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #onIdle: () => void
  #busy = 0
  #timer: Timer | undefined

  /** @param onIdle - called once, after `idleMs` in which nothing was under way */
  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#onIdle = onIdle
    this.#arm()
  }

  /** Something is under way; @returns to be called, once, when it is over */
  begin(): () => void {
    this.#busy += 1
    this.stop()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#busy -= 1
      if (this.#busy === 0) this.#arm()
    }
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#idleMs, this.#onIdle)
  }
}
