/**
 * A map of sets: what stands under a key, each once and in the order it was added. A key is forgotten with the last that
 * stands under it. Each step costs the same, however much is in it.
 */

const NOTHING: ReadonlySet<never> = new Set()

/** Values under keys. */
export class SetMap<Key, Value> {
  readonly #sets = new Map<Key, Set<Value>>()

  /** What stands under a key, as it changes until the last of it goes. */
  of(key: Key): ReadonlySet<Value> {
    return this.#sets.get(key) ?? NOTHING
  }

  /** Whether anything stands under a key. */
  has(key: Key): boolean {
    return this.#sets.has(key)
  }

  add(key: Key, value: Value): void {
    const values = this.#sets.get(key)
    if (values === undefined) this.#sets.set(key, new Set([value]))
    else values.add(value)
  }

  /** What is not there is none. */
  delete(key: Key, value: Value): void {
    const values = this.#sets.get(key)
    values?.delete(value)
    if (values?.size === 0) this.#sets.delete(key)
  }
}
