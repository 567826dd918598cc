/**
 * The answers that submissions were given, kept for those who send the same again.
 */

export interface Answers<Result> {
  put(row: number, result: Result): void
  /** @param key - of what is in that row */
  at(row: number, key: string): Result | undefined
  clear(row: number): void
}

/** As they are. */
export class KeptAnswers<Result> implements Answers<Result> {
  readonly #results: (Result | undefined)[] = []

  put(row: number, result: Result): void {
    this.#results[row] = result
  }

  at(row: number): Result | undefined {
    return this.#results[row]
  }

  clear(row: number): void {
    this.#results[row] = undefined
  }
}
