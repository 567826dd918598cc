/**
 * Where answers to recent questions go, so that an answer that only knows the question's id finds its asker.
 *
 * A convenience, never an authority: an answer to a forgotten question goes to all of the principal's sessions.
 */

/** Questions remembered; the oldest are forgotten first. */
const MAX_OPEN_QUERIES = 4_096

export class OpenQueries {
  readonly #scopes = new Map<string, string>()

  remember(queryId: string, responseScope: string): void {
    this.#scopes.set(queryId.toLowerCase(), responseScope)
    for (const oldest of this.#scopes.keys()) {
      if (this.#scopes.size <= MAX_OPEN_QUERIES) break
      this.#scopes.delete(oldest)
    }
  }

  /** The response scope of a question; undefined once it has been forgotten. */
  responseScopeOf(queryId: string): string | undefined {
    return this.#scopes.get(queryId.toLowerCase())
  }
}
