/**
 * How many of something may be under way at once; what comes beyond is refused, not queued.
 */
import { ToolFailure } from './failure.ts'

export class Semaphore {
  readonly #size: number
  readonly #refusal: string
  #taken = 0

  /** @param refusal - the sentence for whoever finds none free */
  constructor(size: number, refusal: string) {
    this.#size = size
    this.#refusal = refusal
  }

  /** @throws ToolFailure `busy` when none is free, or what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#size) throw new ToolFailure('busy', this.#refusal)
    this.#taken += 1
    try {
      return await work()
    } finally {
      this.#taken -= 1
    }
  }
}
