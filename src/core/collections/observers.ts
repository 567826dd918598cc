/**
 * Those who want to be told of something, until they say that they do not any more.
 */

/** Everybody who is told, in the order they came. */
export class Observers<Told extends readonly unknown[]> {
  readonly #all = new Set<(...told: Told) => void>()

  /** @returns a function that ends it; harmless when repeated */
  add(observer: (...told: Told) => void): () => void {
    this.#all.add(observer)
    return () => void this.#all.delete(observer)
  }

  /** Whether anybody is told. */
  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  tell(...told: Told): void {
    for (const observer of this.#all) observer(...told)
  }
}
