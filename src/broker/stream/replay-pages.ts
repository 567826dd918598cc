/**
 * The pages of a replay: what a reader has missed, read from the ring in steps no longer than others can wait for.
 */
import type { Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Search } from '../ring/facts-table.ts'

/** Frames read from the ring per step, so that one long replay never holds the event loop. */
const PAGE_FRAMES = 256

/**
 * Text written per step. Frames differ in size by a factor of a hundred: a page of large ones would be 16 MiB
 * for each reader that has stopped, and those bytes are nobody else's.
 */
const PAGE_LENGTH = 256 * 1024

/** Frames read in the first step, before it is known how large they are. */
const FIRST_PAGE_FRAMES = 32

/** One step's worth. */
export interface ReplayPage {
  /** The events of what is shown; empty when nothing is. */
  readonly text: string
  /** The last place that was looked at. */
  readonly lastSeq: number
}

/** What a reader is shown. */
export interface Shown {
  /** Whether that is so of something. */
  readonly shows: (retained: Retained) => boolean
  /** What may be shown, to be found without reading the rest; undefined where that may be anything. */
  readonly search: Search | undefined
  /** The event that says it. */
  readonly encode: (eventId: string, retained: Retained) => string
}

export class ReplayPages {
  readonly #ring: Ring
  readonly #shows: Shown['shows']
  readonly #search: Search | undefined
  readonly #encode: Shown['encode']
  /** Frames to read in the next step: what the last one could use, or twice as many as it had. */
  #pageFrames = FIRST_PAGE_FRAMES

  constructor(ring: Ring, { shows, search, encode }: Shown) {
    this.#ring = ring
    this.#shows = shows
    this.#search = search
    this.#encode = encode
  }

  /**
   * The page behind a place.
   *
   * @param upToSeq - what lies behind that is not looked at
   * @throws AgentdError when the disk refuses to be read
   */
  after(afterSeq: number, upToSeq = Infinity): ReplayPage {
    const page = this.#read(afterSeq)
    if (page === undefined) return { text: '', lastSeq: afterSeq }
    let text = ''
    let taken = 0
    // What was forgotten leaves no frame behind, so the last place may have none.
    let lastSeq = page.length === 0 ? Math.min(this.#ring.lastSeq, upToSeq) : afterSeq
    for (const retained of page) {
      if (text.length >= PAGE_LENGTH) break
      if (retained.seq > upToSeq) return { text, lastSeq: upToSeq }
      taken += 1
      lastSeq = retained.seq
      if (!this.#shows(retained)) continue
      text += this.#encode(this.#ring.eventId(retained.seq), retained)
    }
    if (page.length > 0)
      this.#pageFrames = taken < page.length ? taken : Math.min(PAGE_FRAMES, 2 * this.#pageFrames)
    return { text, lastSeq }
  }
  /** What lies behind a place that may be shown; undefined while that is still being learned. */
  #read(afterSeq: number): readonly Retained[] | undefined {
    if (this.#search === undefined) return this.#ring.read(afterSeq, this.#pageFrames)
    const { lookBack } = this.#ring
    return lookBack.learn(afterSeq) ? lookBack.after(afterSeq, this.#pageFrames, this.#search) : undefined
  }
}
