/**
 * The line below the answers of a question: how long is left, and who has answered.
 */
import { safeLine } from '../../core/text/safe-text.ts'
import type { Output } from './output.ts'
import { cutTo } from '../../core/display/width.ts'

const TICK_MS = 1_000

/** Stands only on a terminal that somebody reads; otherwise it does nothing. */
export class Countdown {
  readonly #output: Output
  readonly #endMs: number
  readonly #answered: string[] = []
  readonly #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(output: Output, forMs: number) {
    this.#output = output
    this.#endMs = performance.now() + forMs
    if (!output.notesAreRead) return
    this.#timer = setInterval(() => this.#draw(), TICK_MS)
    this.#draw()
  }

  /** Makes room for an answer. */
  clear(): void {
    this.#output.status('')
  }

  answeredBy(address: string): void {
    this.#answered.push(safeLine(address))
    this.#draw()
  }

  /** Takes the line away. Repeated, it does nothing. */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    clearInterval(this.#timer)
    this.clear()
  }

  #draw(): void {
    if (this.#stopped) return
    const seconds = Math.max(0, Math.ceil((this.#endMs - performance.now()) / TICK_MS))
    const names = this.#answered.length === 0 ? 'no answer yet' : `answered: ${this.#answered.join(', ')}`
    this.#output.status(cutTo(`waiting ${seconds}s, ${names}`, this.#output.noteColumns - 1))
  }
}
