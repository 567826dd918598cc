/**
 * The keep-alive of a stream: a sign of life after a silence, so that a reader can tell one from a dead connection.
 */
import type { Clock, Timer } from '../../core/clock.ts'
import type { BrokerLimits } from '../quota/limits.ts'

interface KeepAliveParts {
  readonly clock: Clock
  readonly limits: Pick<BrokerLimits, 'keepAliveMs'>
  /** The stream has been silent for as long as it may be. */
  readonly onSilence: () => void
}

export class KeepAlive {
  readonly #parts: KeepAliveParts
  #timer: Timer | undefined
  #lastWriteMs: number

  constructor(parts: KeepAliveParts) {
    this.#parts = parts
    this.#lastWriteMs = parts.clock.monotonicMs()
  }

  start(): void {
    this.#arm(this.#parts.limits.keepAliveMs)
  }

  /** Something was written: the silence begins anew. */
  written(): void {
    this.#lastWriteMs = this.#parts.clock.monotonicMs()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /** One timer per stream that looks how long the silence has been; writing does not have to touch it. */
  #arm(delayMs: number): void {
    this.#timer = this.#parts.clock.after(delayMs, () => {
      const { clock, limits, onSilence } = this.#parts
      const silentMs = clock.monotonicMs() - this.#lastWriteMs
      if (silentMs < limits.keepAliveMs) return this.#arm(limits.keepAliveMs - silentMs)
      onSilence()
      return this.#arm(limits.keepAliveMs)
    })
  }
}
