/**
 * The ids a reader has had, newest kept (AC-184).
 */
import { createHash } from 'node:crypto'
import { BoundedSet } from '../../core/collections/bounded.ts'

/** An id longer than this is remembered by its digest: nothing bounds the id of an envelope but its size. */
const MAX_KEY_LENGTH = 256

/** Of the ids remembered, those that are forgotten together are one in so many. */
const FORGOTTEN_SHARE = 16

/** A bounded set that forgets its oldest members first. Ids compare exactly. */
export class RecentIds {
  readonly #ids: BoundedSet<string>

  /** @param capacity - ids that are remembered at least; a sixteenth more at the most */
  constructor(capacity: number) {
    const atOnce = Math.floor(capacity / FORGOTTEN_SHARE)
    this.#ids = new BoundedSet({ most: capacity + atOnce, atOnce })
  }

  /** @returns whether the id is new */
  add(id: string): boolean {
    return this.#ids.add(id.length > MAX_KEY_LENGTH ? createHash('sha256').update(id).digest('base64') : id)
  }
}
