/**
 * Somebody who tries keys gets few answers, and late ones. Nobody is locked out: who has a key is let in at once, since a
 * lock that shuts out its owner is an attack of its own.
 *
 * @see SEAT-17
 */
import type { Clock } from '../../../core/clock.ts'

/** How late a wrong key is answered, in milliseconds, and how many of them wait at a time. */
const ANSWER_MS = 1_000
const MAX_WAITING = 4

/** So many within a minute are told. */
const MANY = 10
const WINDOW_MS = 60_000

export class Guesses {
  readonly #clock: Clock
  readonly #onMany: () => void
  #waiting = 0
  /** When the last wrong ones came, monotonic, oldest first; as many as are many. */
  #cameMs: number[] = []

  /** @param onMany - called when so many came within a minute that somebody has to be told, once a minute */
  constructor(clock: Clock, onMany: () => void) {
    this.#clock = clock
    this.#onMany = onMany
  }

  /** A wrong key has come. @returns after a second; at once, and false, where others wait already */
  async wrong(): Promise<boolean> {
    this.#count()
    if (this.#waiting >= MAX_WAITING) return false
    this.#waiting += 1
    await new Promise<void>((resolve) => void this.#clock.after(ANSWER_MS, resolve))
    this.#waiting -= 1
    return true
  }

  #count(): void {
    const nowMs = this.#clock.monotonicMs()
    this.#cameMs = [...this.#cameMs.filter((cameMs) => nowMs - cameMs < WINDOW_MS), nowMs]
    if (this.#cameMs.length < MANY) return
    this.#cameMs = []
    this.#onMany()
  }
}
