/**
 * What this page has said to be seen, so that nothing is said twice, whichever screen showed it.
 *
 * @see SEAT-04
 */
import { BoundedMap } from '../../../core/collections/bounded.ts'

/** How long something has to be in view, in milliseconds. */
export const IN_VIEW_MS = 1_000

/** Items that are remembered; the daemon passes over what is said of one again. */
const MAX_SAID = 4_096

/** Says it, many at once. */
export class Seen {
  /** By event id; the page has no other set that is bounded. */
  readonly #said = new BoundedMap<string, boolean>({ most: MAX_SAID, atOnce: 256 })
  readonly #send: (eventIds: readonly string[]) => void

  /** @param send - tells the daemon; never more at once than are in view */
  constructor(send: (eventIds: readonly string[]) => void) {
    this.#send = send
  }

  has(eventId: string): boolean {
    return this.#said.get(eventId) === true
  }

  /** These were shown for long enough, or acted on. */
  say(eventIds: readonly string[]): void {
    const news = eventIds.filter((id) => !this.has(id))
    for (const id of news) this.#said.set(id, true)
    if (news.length > 0) this.#send(news)
  }
}
