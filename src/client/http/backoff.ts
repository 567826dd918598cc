/**
 * How long to wait before the next try: exponential, with full jitter, so that ten thousand clients of one
 * restarted daemon do not come back at the same moment.
 */
import type { Clock } from '../../core/clock.ts'

/** The first and the longest ceiling of a wait, in milliseconds. */
export interface BackoffBounds {
  readonly baseMs: number
  readonly capMs: number
}

/** The shortest base a peer may ask for; a `retry: 0` would otherwise have every client spin. */
const MIN_BASE_MS = 100

/** A sequence of waits. The n-th is evenly spread between 0 and `base * 2^n`, at most the cap. */
export class Backoff {
  #baseMs: number
  #failures = 0
  readonly #capMs: number
  readonly #random: () => number

  /** @param random - evenly spread in [0, 1), as `Math.random` */
  constructor(bounds: BackoffBounds, random: () => number) {
    this.#baseMs = bounds.baseMs
    this.#capMs = bounds.capMs
    this.#random = random
  }

  /** How many waits were given since the last reset. */
  get failures(): number {
    return this.#failures
  }

  /** The next wait, in whole milliseconds. */
  nextMs(): number {
    const ceilingMs = Math.min(this.#capMs, this.#baseMs * 2 ** this.#failures)
    this.#failures += 1
    return Math.floor(this.#random() * ceilingMs)
  }

  /** The peer's own wish for the base, from an SSE `retry:` field (SSE-14). */
  rebase(baseMs: number): void {
    this.#baseMs = Math.min(this.#capMs, Math.max(MIN_BASE_MS, baseMs))
  }

  reset(): void {
    this.#failures = 0
  }
}

/** The longest timer Node has; only a handle that keeps the process alive, never a wait. */
const HOLD_MS = 2 ** 31 - 1

/**
 * Waits. Someone awaits this, so the process stays alive for it; a `Clock`'s own timers never see to that.
 *
 * @throws the signal's reason, as soon as it aborts
 */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(toError(signal.reason))
    const hold = setTimeout(() => {}, HOLD_MS)
    const finish = (): void => {
      clearTimeout(hold)
      timer.cancel()
      signal?.removeEventListener('abort', abort)
    }
    const abort = (): void => {
      finish()
      reject(toError(signal?.reason))
    }
    const timer = clock.after(delayMs, () => {
      finish()
      resolve()
    })
    signal?.addEventListener('abort', abort)
  })
}

/** An abort reason may be any value; what is thrown is an error. */
export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The operation was aborted.', { cause: reason })
}

/** The outcome of `promise`, unless the signal aborts first; then its reason. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => {})
      return reject(toError(signal.reason))
    }
    const abort = (): void => reject(toError(signal.reason))
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
