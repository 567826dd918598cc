/**
 * The feed of one lane: a cursor over the ring, as a stream has one, and beside it reports and who is here.
 *
 * The ring is the queue: whoever takes nothing is read for from there once it does, and what waits in memory is one page and
 * the newest word on who is here (FED-02).
 *
 * @see docs/http.md §13; FED-02, FED-20
 */
import type { Origins } from '../../broker/origins/origins.ts'
import type { RingView } from '../../broker/ports.ts'
import type { Defer } from '../../broker/ring/background.ts'
import type { Sink } from '../../broker/stream/sink.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { RETRY_MS } from '../../core/limits.ts'
import type { Audience } from '../../link/audience.ts'
import { gapLine, itemLine, presenceLine, reportLines, type Wrapping } from './feed-lines.ts'
import type { Leaving } from './leaving.ts'

/** Places read from the ring at once, and reports. */
const PAGE_ITEMS = 256

/**
 * How long reports gather behind the last ones, in milliseconds: alone they cost the hub and both machines a batch for each frame that
 * came. The first goes at once, and with whatever else leaves they go for nothing.
 */
export const REPORTS_GATHER_MS = 50

/** Characters written at once; the largest record fits into any write. */
const PAGE_LENGTH = 262_144

interface FeedParts {
  /** What the lane's reports wait under. */
  readonly streamKey: string
  /** Whom the lane is for. */
  readonly audience: Audience
  readonly ring: RingView
  readonly origins: Pick<Origins, 'reportsAfter'>
  readonly leaving: Pick<Leaving, 'textOf'>
  readonly wrapping: Wrapping
  /** Whether nothing may leave for now: then all of it waits where it is (FED-46). */
  readonly isHeld: () => boolean
  readonly clock: Clock
  readonly sink: Sink
  readonly defer: Defer
  /** Told of each place that was fed. */
  readonly fed: (seq: number) => void
  /** Told that there was a gap. */
  readonly gapTold: () => void
  readonly onGone: (feed: Feed) => void
}

/** Where it goes on. */
export interface FeedStart {
  readonly afterSeq: number
  readonly reports: number
  /** What it was asked to go on behind, where that says nothing here. */
  readonly voidCursor?: string | undefined
}

export class Feed {
  readonly #parts: FeedParts
  #epoch: string
  #cursor: number
  #reports: number
  #presence: string | undefined
  #isWaiting = false
  #isOpen = true
  /** Set while a pump is on its way. */
  #isScheduled = false
  /** When reports were written last, by the monotonic clock. */
  #reportedAtMs = -Infinity
  /** Set while reports gather. */
  #gathering: Timer | undefined

  constructor(parts: FeedParts, { afterSeq, reports, voidCursor }: FeedStart) {
    this.#parts = parts
    this.#epoch = parts.ring.epoch
    this.#cursor = afterSeq
    this.#reports = reports
    if (voidCursor !== undefined) this.#tellGap(voidCursor)
  }

  /** The last place it has passed, whether or not it left. */
  get cursor(): number {
    return this.#cursor
  }

  /** There is more: at the end of this turn it goes on. */
  more(): void {
    if (this.#isScheduled || this.#isWaiting || !this.#isOpen) return
    this.#isScheduled = true
    this.#parts.defer(() => {
      this.#isScheduled = false
      this.#pump()
    })
  }

  /** Who is here. Behind a reader that takes nothing only the newest word waits. */
  tellPresence(text: string): void {
    this.#presence = text
    this.more()
  }

  drained(): void {
    this.#isWaiting = false
    this.more()
  }

  /** The connection is gone. */
  closed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#presence = undefined
    this.#gathering?.cancel()
    this.#parts.onGone(this)
  }

  /** Ends it. */
  end(): void {
    if (!this.#isOpen) return
    this.closed()
    this.#parts.sink.end(Buffer.alloc(0))
  }

  #pump(): void {
    if (!this.#isOpen || this.#isWaiting || this.#parts.isHeld()) return
    try {
      this.#write(this.#takePresence())
      this.#tellIfPassed()
      const isDue = this.#areReportsDue()
      if (isDue) this.#feedReports()
      const hasLeft = this.#feedPage()
      if (hasLeft && !isDue) this.#feedReports()
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      // A disk that refuses to be read is asked again later: nothing is passed over.
      this.#parts.clock.after(error.retryAfterMs ?? RETRY_MS, () => this.more())
    }
  }

  #takePresence(): string {
    const text = this.#presence
    this.#presence = undefined
    return text === undefined ? '' : presenceLine(text)
  }

  /** The ring began anew, or has passed the cursor: what lay between is gone, and is said to be. */
  #tellIfPassed(): void {
    const { ring } = this.#parts
    if (ring.epoch !== this.#epoch) {
      const after = `${this.#epoch}-${this.#cursor}`
      this.#epoch = ring.epoch
      this.#cursor = ring.firstSeq - 1
      return this.#tellGap(after)
    }
    if (ring.firstSeq - 1 <= this.#cursor) return
    const after = ring.eventId(this.#cursor)
    this.#cursor = ring.firstSeq - 1
    this.#tellGap(after)
  }

  #tellGap(after: string): void {
    this.#parts.gapTold()
    this.#write(gapLine(after, this.#parts.ring.oldestEventId))
  }

  /** Where they are not, it goes on when they are. */
  #areReportsDue(): boolean {
    const { clock } = this.#parts
    const waitMs = this.#reportedAtMs + REPORTS_GATHER_MS - clock.monotonicMs()
    if (waitMs <= 0) return true
    this.#gathering ??= clock.after(waitMs, () => {
      this.#gathering = undefined
      this.more()
    })
    return false
  }

  #feedReports(): void {
    if (this.#isWaiting) return
    const { clock, origins, streamKey, wrapping } = this.#parts
    const reports = origins.reportsAfter(streamKey, this.#reports, PAGE_ITEMS)
    for (const { r, line } of reportLines(reports, wrapping)) {
      this.#write(line)
      this.#reports = r
      this.#reportedAtMs = clock.monotonicMs()
    }
    if (reports.length === PAGE_ITEMS) this.more()
  }

  /** @returns whether anything left */
  #feedPage(): boolean {
    if (this.#isWaiting) return false
    const { audience, fed, leaving, ring, wrapping } = this.#parts
    let text = ''
    for (const retained of ring.read(this.#cursor, PAGE_ITEMS)) {
      const said = leaving.textOf(retained, audience)
      const line = said && itemLine(ring.eventId(retained.seq), retained, { text: said, wrapping })
      this.#cursor = retained.seq
      if (line === undefined) continue
      fed(retained.seq)
      text += line
      if (text.length >= PAGE_LENGTH) break
    }
    this.#write(text)
    if (this.#cursor < ring.lastSeq && !this.#isWaiting) this.more()
    return text !== ''
  }

  #write(text: string): void {
    if (text === '' || !this.#isOpen) return
    if (!this.#parts.sink.write([Buffer.from(text)])) this.#isWaiting = true
  }
}
