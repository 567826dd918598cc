/**
 * What is read out to somebody who does not see the screen: what needs them, and what came of what they did. One line in
 * three seconds, and what came meanwhile is counted; what passes is never read out.
 *
 * @see SEAT-32
 */
import { signal, type Signal } from '@preact/signals'

/** Between two lines, in milliseconds. */
const QUIET_MS = 3_000

/** What stands in the region. */
export interface Announcement {
  readonly line: string
  /** Another one for each: the same words again are read out only where they are another element's. */
  readonly turn: number
}

/** A polite live region's text. */
export class Announcer {
  readonly announced: Signal<Announcement> = signal({ line: '', turn: 0 })
  #waiting: string[] = []
  #isQuiet = false

  /** Says a line now, or with the others when it is its turn. */
  say(line: string): void {
    if (this.#isQuiet) {
      this.#waiting.push(line)
      return
    }
    this.announced.value = { line, turn: this.announced.value.turn + 1 }
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
