/**
 * The ids a reader has had, newest kept (AC-184).
 */
import { createHash } from 'node:crypto'

/** An id longer than this is remembered by its digest: nothing bounds the id of an envelope but its size. */
const MAX_KEY_LENGTH = 256

/** A bounded set that forgets its oldest member first. Ids compare exactly. */
export class RecentIds {
  /** In the order they were last seen: a set iterates in insertion order. */
  readonly #ids = new Set<string>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** @returns whether the id is new */
  add(id: string): boolean {
    const key = id.length > MAX_KEY_LENGTH ? createHash('sha256').update(id).digest('base64') : id
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
