/**
 * One loop turn's frames and envelopes, written once per subscriber.
 *
 * Consecutive frames of one audience share a segment: encoded once, in one buffer, that every subscriber of
 * the audience is handed. At the end of the turn each subscriber gets its segments in one write. With a
 * hundred subscribers this is the difference between a hundred encodings per frame and one.
 *
 * @see docs/performance.md §5
 */
import type { Audience } from '../audience/reached.ts'
import { encodeRetained, type Retained } from '../ring/retained.ts'
import type { Subscription } from '../stream/subscription.ts'

/** Text one segment may gather; past it a new one begins, so that no buffer is ever huge. */
export const MAX_SEGMENT_LENGTH = 256 * 1024

/**
 * The same for each of a few subscribers: what is as small as this stays in the processor's cache until it is written, and a
 * segment more costs each subscriber a step.
 */
export const SEGMENT_LENGTH_EACH = 16 * 1024

export class FanOut {
  /** The audience of the segment being gathered. */
  #audience: Audience | undefined
  #segment = ''
  #lastSeq = 0
  /** Subscriptions with something to send this turn. */
  readonly #touched = new Set<Subscription>()

  /** Adds a frame to the turn. Frames have to come in sequence. */
  emit(retained: Retained, eventId: string, audience: Audience): void {
    if (audience.subscriptions.length === 0) return
    if (this.#audience !== audience || this.#segment.length > maxLengthFor(audience)) this.#seal()
    this.#audience = audience
    this.#segment += encodeRetained(eventId, retained)
    this.#lastSeq = retained.seq
  }

  /** Ends the turn: everybody gets what is theirs. */
  flush(): void {
    this.#seal()
    for (const subscription of this.#touched) subscription.flush()
    this.#touched.clear()
  }

  #seal(): void {
    if (this.#audience === undefined) return
    const chunk = Buffer.from(this.#segment)
    for (const subscription of this.#audience.subscriptions) {
      if (subscription.offer(chunk, this.#lastSeq)) this.#touched.add(subscription)
    }
    this.#audience = undefined
    this.#segment = ''
  }
}

function maxLengthFor({ subscriptions }: Audience): number {
  return Math.min(MAX_SEGMENT_LENGTH, SEGMENT_LENGTH_EACH * subscriptions.length)
}
