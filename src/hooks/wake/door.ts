/** One session's door: who waits behind it, and what was tried. */
import type { Clock, Timer } from '../../core/clock.ts'
import type { WakeReply } from './wake-reply.ts'

/** Somebody who waits on behalf of a session, to be told once. */
export interface Waiter {
  readonly tell: (reply: WakeReply | undefined) => void
}

export class Door {
  waiter: Waiter | undefined
  isKnocking = false
  isShut = false
  /** Urgent items that could not be got across; they are left to the next turn. */
  readonly leftAlone = new Set<number>()
  #timer: Timer | undefined
  #onHeard: (() => void) | undefined

  /** Does something later; one thing at a time, the latest. */
  schedule(clock: Pick<Clock, 'after'>, delayMs: number, act: () => void): void {
    this.#timer?.cancel()
    this.#timer = clock.after(delayMs, act)
  }

  /** An event of the session came. */
  heard(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#onHeard?.()
  }

  /** Over with the next event of the session, or after a time. */
  nextEvent(clock: Pick<Clock, 'after'>, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(withinMs, () => done())
      const done = (): void => {
        timer.cancel()
        this.#onHeard = undefined
        resolve()
      }
      this.#onHeard = done
    })
  }

  /** The session is over. */
  shut(): void {
    this.isShut = true
    this.heard()
  }
}
