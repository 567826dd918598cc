/** One session's door: who waits behind it, and what was tried. */
import type { Retained } from '../../broker/ring/retained.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import type { HookReply } from '../../protocol/http/hook-exchange.ts'

/** Somebody who waits on behalf of a session, to be told once. */
export interface Waiter {
  readonly tell: (reply: HookReply | undefined) => void
}

export class Door {
  waiter: Waiter | undefined
  isKnocking = false
  isShut = false
  /** Places of urgent items that could not be got across; they are left to the next turn. */
  readonly #leftAlone = new Set<number>()
  #timer: Timer | undefined
  #onHeard: (() => void) | undefined

  /** These are not tried again. */
  leaveAlone(items: readonly Retained[]): void {
    for (const { seq } of items) this.#leftAlone.add(seq)
  }

  /** Those that were not tried in vain. @param waiting - of what waits no longer nothing is remembered */
  untried(waiting: readonly Retained[]): readonly Retained[] {
    const there = new Set(waiting.map(({ seq }) => seq))
    for (const seq of this.#leftAlone) if (!there.has(seq)) this.#leftAlone.delete(seq)
    return waiting.filter(({ seq }) => !this.#leftAlone.has(seq))
  }

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
