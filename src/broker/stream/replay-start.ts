/**
 * The place before the newest frames that a reader would be shown, found a page at a time.
 */
import { STEP_FRAMES } from '../ring/background.ts'
import type { Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Shown } from './replay-pages.ts'

export class ReplayStart {
  readonly #ring: Ring
  readonly #shown: Pick<Shown, 'shows' | 'search'>
  /** Frames still to be found. */
  #left: number
  /** Everything from here on has been looked at. */
  #before: number
  /** The place before the oldest frame found. */
  #place: number

  /** @param count - how many frames are wanted */
  constructor(ring: Ring, count: number, shown: Pick<Shown, 'shows' | 'search'>) {
    this.#ring = ring
    this.#shown = shown
    this.#left = count
    this.#before = ring.lastSeq + 1
    this.#place = ring.lastSeq
  }

  /** Looks at one more page. @returns the place, once it is known */
  step(): number | undefined {
    if (this.#left === 0) return this.#place
    const page = this.#readBack()
    if (page === undefined) return undefined
    for (const retained of page) {
      this.#before = retained.seq
      if (!this.#shown.shows(retained)) continue
      this.#place = retained.seq - 1
      this.#left -= 1
      if (this.#left === 0) break
    }
    const isEnd = page.length === 0 || this.#before <= this.#ring.firstSeq
    return this.#left === 0 || isEnd ? this.#place : undefined
  }
  /** What lies before all that has been looked at and may be shown; undefined while that is still being learned. */
  #readBack(): readonly Retained[] | undefined {
    const { search } = this.#shown
    if (search === undefined) return this.#ring.readBack(this.#before, STEP_FRAMES)
    const page = this.#ring.lookBack.before(this.#before, STEP_FRAMES, search)
    return page.length === 0 && !this.#ring.lookBack.learn() ? undefined : page
  }
}
