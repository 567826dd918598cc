/**
 * When the page is painted: with the next frame, and ten times a second while more comes than anybody reads.
 *
 * @see SEAT-34, SEAT-37
 */

/** Items a second above which the list is painted less often. */
const BUSY_ITEMS = 100

/** Between two paints while it is busy, in milliseconds. */
const BUSY_PAINT_MS = 100

const SECOND_MS = 1_000

/** Calls `paint` soon after somebody asked for it, however often that was. */
export class Painter {
  readonly #paint: () => void
  #isAsked = false
  #windowMs = 0
  #items = 0
  #isBusy = false

  constructor(paint: () => void) {
    this.#paint = paint
  }

  /** @param items - how many came: what the busy rule counts */
  ask(items: number): void {
    this.#count(items)
    if (this.#isAsked) return
    this.#isAsked = true
    if (this.#isBusy) setTimeout(() => requestAnimationFrame(() => this.#now()), BUSY_PAINT_MS)
    else requestAnimationFrame(() => this.#now())
  }

  #count(items: number): void {
    const nowMs = performance.now()
    if (nowMs - this.#windowMs >= SECOND_MS) {
      this.#isBusy = this.#items > BUSY_ITEMS
      this.#windowMs = nowMs
      this.#items = 0
    }
    this.#items += items
    if (this.#items > BUSY_ITEMS) this.#isBusy = true
  }

  #now(): void {
    this.#isAsked = false
    this.#paint()
  }
}
