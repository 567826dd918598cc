/**
 * The pages that are connected: one stream each, and four of them at the most.
 *
 * What the daemon says goes through as it comes, and no faster than the browser takes it. Between two events this process may
 * say something of its own: `agentd_seat`, which has no id and is not of the sequence.
 *
 * @see SEAT-19, SEAT-37; docs/ui.md "What the listener allows"
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Seat } from '../keys/seats.ts'

/** Streams at a time: more than that hang a browser, which opens six connections to one place. */
export const MAX_PAGES = 4

/** What this process says that waits for the end of an event. */
const MAX_NOTICES = 8

const LINE_FEED = 0x0a

/** Something this process tells a page. */
export type SeatNotice =
  /** Another page takes the place of this one, which is not to come back by itself. */
  | { readonly what: 'taken' }
  /** The browser is no longer signed in. */
  | { readonly what: 'signed-out' }
  /** Somebody on this machine tries keys. */
  | { readonly what: 'guesses' }

/** A stream that a browser reads. */
export interface PageStream {
  readonly seat: Seat
  readonly response: ServerResponse
  /** What the daemon sends. */
  readonly upstream: IncomingMessage
}

/** One of them. */
class Page {
  readonly seat: Seat
  /** Whether somebody sees it, as it says itself. */
  isVisible = true
  readonly #response: ServerResponse
  readonly #upstream: IncomingMessage
  /** Whether what was written last was the end of an event. */
  #isBetween = true
  readonly #notices: string[] = []

  constructor({ seat, response, upstream }: PageStream) {
    this.seat = seat
    this.#response = response
    this.#upstream = upstream
    upstream.on('data', (chunk: Buffer) => this.#pass(chunk))
    response.on('drain', () => upstream.resume())
    upstream.once('close', () => response.end())
    upstream.once('error', () => response.end())
    response.once('close', () => upstream.destroy())
  }

  tell(notice: SeatNotice): void {
    if (this.#notices.length < MAX_NOTICES) {
      this.#notices.push(`event: agentd_seat\ndata: ${JSON.stringify(notice)}\n\n`)
    }
    if (this.#isBetween) this.#sayNotices()
  }

  end(notice: SeatNotice): void {
    this.tell(notice)
    this.#upstream.destroy()
    this.#response.end()
  }

  #pass(chunk: Buffer): void {
    if (!this.#response.write(chunk)) this.#upstream.pause()
    // A lone line feed may be the second half of an end; then the next chunk tells.
    this.#isBetween = chunk.at(-1) === LINE_FEED && chunk.at(-2) === LINE_FEED
    if (this.#isBetween) this.#sayNotices()
  }

  #sayNotices(): void {
    for (const notice of this.#notices.splice(0)) this.#response.write(notice)
  }
}

/** The pages of a moment. */
export interface PageCount {
  readonly connected: number
  /** Of these, those that somebody sees. */
  readonly visible: number
}

export class Pages {
  readonly #pages = new Set<Page>()
  readonly #onCount: (count: PageCount) => void

  /** @param onCount - called now, and whenever there are more or fewer of either */
  constructor(onCount: (count: PageCount) => void = () => {}) {
    this.#onCount = onCount
    this.#tellCount()
  }

  /** Whether there is room for one more. */
  get hasRoom(): boolean {
    return this.#pages.size < MAX_PAGES
  }

  get count(): number {
    return this.#pages.size
  }

  /** Makes room: whoever came first is told that another page goes on in its place. */
  takeOver(): void {
    const [first] = this.#pages
    if (first === undefined) return
    this.#pages.delete(first)
    first.end({ what: 'taken' })
  }

  /** Lets a stream through until either side ends it. */
  join(stream: PageStream): void {
    const page = new Page(stream)
    this.#pages.add(page)
    this.#tellCount()
    stream.response.once('close', () => {
      this.#pages.delete(page)
      this.#tellCount()
    })
  }

  /** A browser says whether somebody sees its page. */
  see(seat: Seat, isVisible: boolean): void {
    for (const page of this.#pages) if (page.seat === seat) page.isVisible = isVisible
    this.#tellCount()
  }

  tellAll(notice: SeatNotice): void {
    for (const page of this.#pages) page.tell(notice)
  }

  /** Ends those of a browser that is no longer signed in. */
  endOf(seat: Seat): void {
    for (const page of this.#pages) if (page.seat === seat) page.end({ what: 'signed-out' })
  }

  #tellCount(): void {
    const visible = [...this.#pages].filter(({ isVisible }) => isVisible).length
    this.#onCount({ connected: this.#pages.size, visible })
  }
}
