/**
 * Whether the daemon still lives while something is expected of it: it is asked for a sign of life now and then, and given
 * up when none comes. While nothing is, nobody wakes.
 */
import type { PipeBounds } from './bounds.ts'
import type { Link } from './link.ts'

/** An empty line, which the daemon answers with another one. */
const BEAT = Buffer.alloc(0)

export class Watch {
  readonly #bounds: PipeBounds
  readonly #onSilent: () => void
  /** Runs while an answer is expected. */
  #timer: NodeJS.Timeout | undefined
  #heardMs = 0

  constructor(bounds: PipeBounds, onSilent: () => void) {
    this.#bounds = bounds
    this.#onSilent = onSilent
  }

  /** Watches from now on, or no longer. @param count - answers that are expected */
  expect(link: Link | undefined, count: number): void {
    if (link === undefined || count === 0) return this.stop()
    if (this.#timer !== undefined) return
    this.heard()
    this.#timer = setInterval(() => this.#look(link), this.#bounds.beatMs)
    this.#timer.unref()
  }

  /** Something came. */
  heard(): void {
    this.#heardMs = performance.now()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(link: Link): void {
    if (performance.now() - this.#heardMs < this.#bounds.silentMs) return void link.write(BEAT)
    this.stop()
    this.#onSilent()
  }
}
