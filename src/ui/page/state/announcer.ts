/**
 * What is read out to somebody who does not see the screen: what needs them, and what came of what they did. One line in
 * three seconds, and what came meanwhile is counted; what passes is never read out.
 *
 * @see SEAT-32
 */
import { signal, type Signal } from '@preact/signals'

/** Between two lines, in milliseconds. */
const QUIET_MS = 3_000

/** A polite live region's text. */
export class Announcer {
  /** What stands in the region. */
  readonly line: Signal<string> = signal('')
  #waiting: string[] = []
  #isQuiet = false

  /** Says a line now, or with the others when it is its turn. */
  say(line: string): void {
    if (this.#isQuiet) {
      this.#waiting.push(line)
      return
    }
    this.line.value = line
    this.#isQuiet = true
    setTimeout(() => this.#next(), QUIET_MS)
  }

  #next(): void {
    this.#isQuiet = false
    const [first, ...others] = this.#waiting
    this.#waiting = []
    if (first !== undefined) this.say(others.length === 0 ? first : `${first}, and ${others.length} more`)
  }
}
