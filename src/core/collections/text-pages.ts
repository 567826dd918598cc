/**
 * Texts one behind the other in pages of octets, the oldest given up by the page.
 *
 * A text in V8's heap is copied twice before it is old, and then visited whenever the collector looks for what is dead;
 * octets beside the heap are written once. Pages that are given up are written to again.
 */

/** Octets of a page. A longer text has one of its own. */
export const PAGE_OCTETS = 256 * 1024

/** Pages kept for what comes next. */
const SPARE_PAGES = 2

/** Octets that one character of a text may take. */
const MOST_OCTETS = 3

/** Where a text is: its page, and where it begins and ends there. */
export interface TextPlace {
  readonly page: number
  readonly from: number
  readonly to: number
}

export class TextPages {
  /** By number; pages are counted from 1. */
  readonly #pages = new Map<number, Buffer>()
  readonly #spare: Buffer[] = []
  #first = 1
  #newest: Buffer | undefined
  #last = 0
  #end = 0

  /** Octets of the pages that hold something. */
  get octets(): number {
    let octets = 0
    for (const page of this.#pages.values()) octets += page.length
    return octets
  }

  /** The page that was last written to; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** @returns undefined where octets of UTF-8 would not give it back: it has half a character in it */
  put(text: string): TextPlace | undefined {
    const page = this.#pageFor(text)
    const from = this.#end
    const to = from + page.write(text, from, 'utf8')
    // As many octets as characters are one for each; of all others, what is no character has been written as another.
    if (to - from !== text.length && !text.isWellFormed()) return undefined
    this.#end = to
    return { page: this.#last, from, to }
  }

  /** What stands at a place that has not been given up. */
  at({ page, from, to }: TextPlace): string {
    return this.#pages.get(page)?.toString('utf8', from, to) ?? ''
  }

  /** Leaves nothing of a text behind, long before its page is given up. */
  erase({ page, from, to }: TextPlace): void {
    this.#pages.get(page)?.fill(0, from, to)
  }

  /** Nothing on the pages before this one is wanted any more. */
  dropBefore(page: number): void {
    for (; this.#first < page; this.#first += 1) {
      const gone = this.#pages.get(this.#first)
      this.#pages.delete(this.#first)
      if (gone?.length === PAGE_OCTETS && this.#spare.length < SPARE_PAGES) this.#spare.push(gone)
    }
  }

  clear(): void {
    this.#pages.clear()
    this.#first = this.#last + 1
    this.#newest = undefined
  }

  #pageFor(text: string): Buffer {
    const room = (this.#newest?.length ?? 0) - this.#end
    if (this.#newest !== undefined && MOST_OCTETS * text.length <= room) return this.#newest
    const octets = Buffer.byteLength(text)
    if (this.#newest !== undefined && octets <= room) return this.#newest
    const page =
      octets > PAGE_OCTETS
        ? Buffer.allocUnsafeSlow(octets)
        : (this.#spare.pop() ?? Buffer.allocUnsafeSlow(PAGE_OCTETS))
    this.#last += 1
    this.#pages.set(this.#last, page)
    this.#newest = page
    this.#end = 0
    return page
  }
}
