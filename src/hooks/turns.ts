/**
 * One event of a session at a time, within bounds for each session and for all: a runtime in a loop takes its own turn and
 * nobody else's (OP-11).
 */

/** Events of one session that may wait for the one before them. */
export const MAX_SESSION_EVENTS = 16

/** Events of all sessions that may be under way. */
export const MAX_EVENTS = 256

export class Turns {
  readonly #tails = new Map<string, { readonly done: Promise<void>; readonly count: number }>()
  #count = 0

  /**
   * Does some work when what came before it for the same session is over.
   *
   * @param work - over when its promise is; it must not fail
   * @returns false when too much waits already; nothing is done then
   */
  take(key: string, work: () => Promise<void>): boolean {
    const tail = this.#tails.get(key)
    const waiting = tail?.count ?? 0
    if (waiting >= MAX_SESSION_EVENTS || this.#count >= MAX_EVENTS) return false
    this.#count += 1
    const done = (tail?.done ?? Promise.resolve()).then(work).finally(() => this.#leave(key))
    this.#tails.set(key, { done, count: waiting + 1 })
    return true
  }

  #leave(key: string): void {
    this.#count -= 1
    const tail = this.#tails.get(key)
    if (tail === undefined || tail.count === 1) this.#tails.delete(key)
    else this.#tails.set(key, { ...tail, count: tail.count - 1 })
  }
}
