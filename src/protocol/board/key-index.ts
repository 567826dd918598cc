/**
 * Which keys stand under a name: a name is forgotten with the last of its keys.
 */

const NONE: ReadonlySet<string> = new Set()

/** A map of sets; each step costs the same, however much is in it. */
export class KeyIndex {
  readonly #keys = new Map<string, Set<string>>()

  /** The keys under a name, in the order they were added. */
  keysOf(name: string): ReadonlySet<string> {
    return this.#keys.get(name) ?? NONE
  }

  add(name: string, key: string): void {
    const keys = this.#keys.get(name)
    if (keys === undefined) this.#keys.set(name, new Set([key]))
    else keys.add(key)
  }

  delete(name: string, key: string): void {
    const keys = this.#keys.get(name)
    if (keys === undefined) return
    keys.delete(key)
    if (keys.size === 0) this.#keys.delete(name)
  }
}
