/**
 * Where answers to recent questions go, so that an answer that only knows the question's id finds its asker.
 *
 * A convenience, never an authority: an answer to a forgotten question goes to all of the principal's sessions.
 */
import { BoundedMap } from '../../core/collections/bounded.ts'

/** Questions remembered; the oldest are forgotten first, many together. */
const REMEMBERED = { most: 4_096, atOnce: 256 }

export class OpenQueries {
  readonly #scopes = new BoundedMap<string, string>(REMEMBERED)

  remember(queryId: string, responseScope: string): void {
    this.#scopes.set(queryId.toLowerCase(), responseScope)
  }

  /** The response scope of a question; undefined once it has been forgotten. */
  responseScopeOf(queryId: string): string | undefined {
    return this.#scopes.get(queryId.toLowerCase())
  }
}
