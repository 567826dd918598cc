/**
 * Looks at file systems that may hang: each has a time, each session a number of them, and all of them together fewer than
 * there are threads (OP-10).
 *
 * Where all threads are busy a look waits for one, within the same time; where they hang, nobody waits for them.
 */
import type { Clock } from '../../core/clock.ts'

/** How long one look may take, in milliseconds, the wait for its turn included (OP-10). */
export const LOOK_MS = 100

/** Looks of one session at a time. */
export const MAX_SESSION_LOOKS = 2

/** Looks of all sessions at a time: of the threads the daemon is started with, some are left for everything else. */
export const MAX_LOOKS = 10

/** Looks that wait for their turn; as many as there may be events under way. */
export const MAX_WAITING_LOOKS = 256

/** One look, as it is wished for. */
export interface LookWish<T> {
  /** Whose looks are counted. */
  readonly session: string
  /** Looks; it must not fail. */
  readonly look: () => Promise<T>
  /** Told when the time is over. @param isHanging - the look is under way; otherwise it never came to its turn */
  readonly late: (isHanging: boolean) => void
}

export class Looks {
  readonly #clock: Pick<Clock, 'after'>
  readonly #most: number
  readonly #bySession = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  #underWay = 0
  #hanging = 0

  /** @param threads - on which file systems are asked */
  constructor(clock: Pick<Clock, 'after'>, threads: number) {
    this.#clock = clock
    this.#most = looksOn(threads)
  }

  /** @returns what was found, or undefined when that takes too long; undefined at once when there may be no such look */
  take<T>(wish: LookWish<T>): Promise<T | undefined> | undefined {
    const own = this.#bySession.get(wish.session) ?? 0
    if (own >= MAX_SESSION_LOOKS || this.#hanging >= this.#most) return undefined
    if (this.#waiting.size >= MAX_WAITING_LOOKS) return undefined
    this.#bySession.set(wish.session, own + 1)
    return new Promise((resolve) => this.#queue(wish, resolve))
  }

  #queue<T>({ late, look, session }: LookWish<T>, resolve: (found: T | undefined) => void): void {
    let isHanging = false
    const begin = async (): Promise<void> => {
      this.#underWay += 1
      const found = await look()
      timer.cancel()
      this.#underWay -= 1
      if (isHanging) this.#hanging -= 1
      this.#release(session)
      resolve(found)
      this.#next()
    }
    const start = (): void => void begin()
    const timer = this.#clock.after(LOOK_MS, () => {
      const isWaiting = this.#waiting.delete(start)
      if (isWaiting) this.#release(session)
      else {
        isHanging = true
        this.#hanging += 1
      }
      late(!isWaiting)
      resolve(undefined)
    })
    if (this.#underWay < this.#most) start()
    else this.#waiting.add(start)
  }

  #next(): void {
    const [start] = this.#waiting
    if (start === undefined || this.#underWay >= this.#most) return
    this.#waiting.delete(start)
    start()
  }

  #release(session: string): void {
    const own = (this.#bySession.get(session) ?? 1) - 1
    if (own === 0) this.#bySession.delete(session)
    else this.#bySession.set(session, own)
  }
}

/** How many looks there may be at a time, on so many threads. */
function looksOn(threads: number): number {
  return Math.max(1, Math.min(MAX_LOOKS, threads - 1))
}
