/**
 * The frame ids a reader has had, newest kept (AC-184).
 */

/** A bounded set that forgets its oldest member first. */
export class RecentIds {
  /** In the order they were last seen: a set iterates in insertion order. */
  readonly #ids = new Set<string>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** @returns whether the id is new; UUIDs compare without regard to case (ACQ-19) */
  add(id: string): boolean {
    const key = id.toLowerCase()
    const known = this.#ids.delete(key)
    this.#ids.add(key)
    if (this.#ids.size > this.#capacity) {
      for (const oldest of this.#ids) {
        this.#ids.delete(oldest)
        break
      }
    }
    return !known
  }
}
