/**
 * Telling the daemon what a reader has seen, many events to a call.
 *
 * @see docs/http.md §7
 */
import { MAX_SEEN_IDS } from '../../core/limits.ts'

/** Marks that gather while a call is on its way; it never has two at once. */
export class SeenMarks {
  readonly #tell: (eventIds: readonly string[]) => Promise<unknown>
  /** Not told yet; the oldest are given up when nobody takes them. */
  #waiting: string[] = []
  #isTelling = false

  constructor(tell: (eventIds: readonly string[]) => Promise<unknown>) {
    this.#tell = tell
  }

  add(eventId: string): void {
    if (this.#waiting.length === MAX_SEEN_IDS) this.#waiting.shift()
    this.#waiting.push(eventId)
    if (!this.#isTelling) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isTelling = true
    while (this.#waiting.length > 0) {
      try {
        await this.#tell(this.#waiting.splice(0))
      } catch {
        // A receipt is a courtesy: that it cannot be given must not stop the work it is about.
      }
    }
    this.#isTelling = false
  }
}
