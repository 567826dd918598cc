/**
 * Collections that remember so much and no more: what was put in longest ago goes first, and many together.
 *
 * Many together, because a map or a set walks over what was deleted at its front every time somebody asks for its
 * first: forgetting one at a time costs ten times what remembering one does.
 */

/** How much is remembered, and how much of it goes together beyond what is too much; 0 to forget as little as can be. */
export interface EvictionBound {
  readonly most: number
  readonly atOnce: number
}

/** A map; setting a value makes its key the youngest. */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>()
  readonly #bound: EvictionBound

  constructor(bound: EvictionBound) {
    this.#bound = bound
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    evictOldest(this.#values, this.#bound)
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}

/** A set; adding what is in it makes it the youngest. */
export class BoundedSet<Value> {
  readonly #values = new Set<Value>()
  readonly #bound: EvictionBound

  constructor(bound: EvictionBound) {
    this.#bound = bound
  }

  has(value: Value): boolean {
    return this.#values.has(value)
  }

  /** @returns whether it was not in there */
  add(value: Value): boolean {
    const isKnown = this.#values.delete(value)
    this.#values.add(value)
    evictOldest(this.#values, this.#bound)
    return !isKnown
  }

  delete(value: Value): void {
    this.#values.delete(value)
  }

  clear(): void {
    this.#values.clear()
  }

  [Symbol.iterator](): IterableIterator<Value> {
    return this.#values.values()
  }
}

/** The keys of a map or a set iterate in the order they were put in. */
function evictOldest<Key>(
  kept: Pick<Map<Key, unknown>, 'size' | 'keys' | 'delete'>,
  { most, atOnce }: EvictionBound,
): void {
  if (kept.size <= most) return
  for (const key of kept.keys()) {
    if (kept.size <= most - atOnce) return
    kept.delete(key)
  }
}
