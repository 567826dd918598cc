/**
 * The lists of recipients that a ring in memory holds, and what they take there.
 */
import type { DeliveryRecord } from '../delivery.ts'

/** What one name in a list takes. */
const POINTER_BYTES = 8

/** Each list once: all frames of an audience share theirs. */
export class RecipientLists {
  readonly #known = new WeakSet<readonly string[]>()
  /** Of them the last: what follows is mostly for the same audience. */
  #last: readonly (readonly string[])[] = []

  /** What one more frame adds to them, in bytes. */
  bytesOf({ emittedTo, queuedTo }: Pick<DeliveryRecord, 'emittedTo' | 'queuedTo'>): number {
    if (emittedTo === this.#last[0] && queuedTo === this.#last[1]) return 0
    this.#last = [emittedTo, queuedTo]
    let bytes = 0
    for (const list of this.#last) {
      if (list.length === 0 || this.#known.has(list)) continue
      this.#known.add(list)
      bytes += list.length * POINTER_BYTES
    }
    return bytes
  }
}
