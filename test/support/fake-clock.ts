/**
 * Time that passes when a test says so. Wall and monotonic time can go apart, as they do on real machines.
 */
import type { Clock, Timer } from '../../src/core/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly callback: () => void
}

export class FakeClock implements Clock {
  #wallMs: number
  #monotonicMs = 0
  readonly #pending = new Set<Pending>()

  constructor(wallMs = Date.UTC(2026, 10, 20, 12)) {
    this.#wallMs = wallMs
  }

  nowMs(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  after(delayMs: number, callback: () => void): Timer {
    const pending = { dueMs: this.#monotonicMs + delayMs, callback }
    this.#pending.add(pending)
    return { cancel: () => void this.#pending.delete(pending) }
  }

  /** Timers that would still run. */
  get pendingTimers(): number {
    return this.#pending.size
  }

  /** Lets time pass; timers run in order, each at its own time, those they set included. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms
    for (;;) {
      const due = [...this.#pending].filter(({ dueMs }) => dueMs <= endMs)
      const [next] = due.toSorted((a, b) => a.dueMs - b.dueMs)
      if (next === undefined) break
      this.#pending.delete(next)
      this.#moveTo(next.dueMs)
      next.callback()
    }
    this.#moveTo(endMs)
  }

  /** The wall clock is set, by a person or by a time server; no interval notices. */
  stepWall(ms: number): void {
    this.#wallMs += ms
  }

  #moveTo(monotonicMs: number): void {
    const passedMs = Math.max(0, monotonicMs - this.#monotonicMs)
    this.#monotonicMs += passedMs
    this.#wallMs += passedMs
  }
}
