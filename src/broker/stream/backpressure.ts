/**
 * Whether a reader keeps up: it has to take in time what waits for it, or it is cut.
 *
 * A busy reader's buffer may never be empty, so it is the bytes that count and not `drained`; one that takes a
 * byte now and then does not get by.
 *
 * @see R-27
 */
import type { Clock, Timer } from '../../core/clock.ts'
import type { Sink } from './sink.ts'

interface BackpressureParts {
  readonly sink: Sink
  readonly clock: Clock
  readonly limits: { readonly slowConsumerMs: number }
  /** The reader has not taken in time what waited for it. */
  readonly onSlow: () => void
}

export class Backpressure {
  readonly #parts: BackpressureParts
  /** Set while the sink asked for patience; cleared by `drained`. */
  #timer: Timer | undefined
  /** Bytes handed to the sink so far, and how many of them the reader has to have taken in time. */
  #handedBytes = 0
  #dueBytes = 0

  constructor(parts: BackpressureParts) {
    this.#parts = parts
  }

  /** Whether the sink asked for patience, and `drained` will come. */
  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  write(chunks: readonly Buffer[]): void {
    for (const { length } of chunks) this.#handedBytes += length
    if (this.#parts.sink.write(chunks)) return
    if (this.#timer === undefined || this.#hasTakenDue()) this.#watch()
  }

  /** The reader has taken everything. */
  drained(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #watch(): void {
    this.#timer?.cancel()
    this.#dueBytes = this.#handedBytes
    this.#timer = this.#parts.clock.after(this.#parts.limits.slowConsumerMs, () =>
      this.#hasTakenDue() ? this.#watch() : this.#parts.onSlow(),
    )
  }

  #hasTakenDue(): boolean {
    return this.#handedBytes - this.#parts.sink.backlogBytes >= this.#dueBytes
  }
}
