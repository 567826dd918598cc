/**
 * Where a stream goes on after a drop.
 *
 * @see AC-142…AC-145, ACQ-21, ACQ-22; docs/http.md §6
 */
import { formatEventId, readEventId } from '../../protocol/address/event-id.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'

export class Cursor {
  /** What a caller gave, or the beginning of a new epoch; gives way to what the daemon says. */
  #after: string | undefined
  /** The last id the daemon gave; `''` when it has not yet given one. */
  #lastEventId = ''
  /** How many retained frames to begin with, as long as there is no other place to begin at. */
  readonly #replay: number | undefined

  constructor(after: string | undefined, replay: number | undefined) {
    this.#after = after
    this.#replay = replay
  }

  /** The value of `Last-Event-ID`; `''` when the header is left out (SSE-11). */
  get lastEventId(): string {
    return this.#lastEventId
  }

  /** The query parameters that stand in for the header. */
  get query(): { readonly after: string | undefined; readonly replay: number | undefined } {
    const after = this.#lastEventId === '' ? this.#after : undefined
    return { after, replay: this.#asked === undefined ? this.#replay : undefined }
  }

  /**
   * The daemon said where it stands. A stream that began at "now" begins there: without it, a drop before
   * the first event would come back at a later "now". A replay is asked for again instead.
   */
  greeted(position: string | undefined): void {
    if (this.#asked === undefined && this.#replay === undefined) this.#lastEventId = position ?? ''
  }

  /** Takes the id of a complete block; what is no event id of ours is not sent back either. */
  moveTo(eventId: string): void {
    if (readEventId(eventId) !== undefined) this.#lastEventId = eventId
  }

  /**
   * A resumption across epochs goes on at "now", behind what the new daemon has retained already; the
   * beginning of its epoch lies before all of that.
   *
   * @returns whether the stream has to be asked for again from there
   */
  crossEpoch(gap: Gap): boolean {
    const epoch = readEventId(gap.oldest ?? '')?.epoch
    const asked = this.#asked
    if (gap.reason !== 'epoch' || epoch === undefined || asked === undefined) return false
    if (readEventId(asked)?.epoch === epoch) return false
    this.#after = formatEventId(epoch, 0)
    this.#lastEventId = ''
    return true
  }

  /** What the connection of the moment was opened with, or has come to since. */
  get #asked(): string | undefined {
    return this.#lastEventId === '' ? this.#after : this.#lastEventId
  }
}
