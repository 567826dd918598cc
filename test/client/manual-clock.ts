/**
 * The clock of client tests: a timer of no delay runs soon, by itself, and a test can wait for one to be set.
 */
import type { Timer } from '../../src/core/clock.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** Wall time at which monotonic time is 0; the frames of `makeFrame` are made then. */
export const START_MS = Date.UTC(2026, 10, 20, 10)

export class ManualClock extends FakeClock {
  /** Delays of timers that were set and not yet asked about. */
  #set: number[] = []
  readonly #waiting: { wanted: (delayMs: number) => boolean; resolve: (delayMs: number) => void }[] = []

  constructor() {
    super(START_MS)
  }

  override after(delayMs: number, callback: () => void): Timer {
    if (delayMs <= 0) setImmediate(() => this.advance(0))
    this.#announce(delayMs)
    return super.after(delayMs, callback)
  }

  /** Resolves with the delay of the next timer that is wanted and was not told of before. */
  timer(wanted: (delayMs: number) => boolean): Promise<number> {
    const index = this.#set.findIndex(wanted)
    const [found] = index === -1 ? [] : this.#set.splice(0, index + 1).slice(-1)
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve) => this.#waiting.push({ wanted, resolve }))
  }

  /** Tells of no timer that was set before now. */
  forget(): void {
    this.#set = []
  }

  #announce(delayMs: number): void {
    const index = this.#waiting.findIndex(({ wanted }) => wanted(delayMs))
    const [waiter] = index === -1 ? [] : this.#waiting.splice(index, 1)
    if (waiter === undefined) this.#set.push(delayMs)
    else waiter.resolve(delayMs)
  }
}
