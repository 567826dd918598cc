/**
 * What of a mailbox was handed to whoever shows it, and of which nothing proves yet that it was shown (OP-09).
 *
 * It waits no longer, and is not seen either. In memory only: after a kill it waits as before, so that nothing is called
 * seen that was not, and nothing is lost.
 */
import { BoundedSet } from '../../core/collections/bounded.ts'
import type { Runs } from './runs.ts'

/** Items that may be unproved in one mailbox at a time, and that may be known to have been handed before. */
export const MAX_HANDED = 1_000

/** One hand-over. */
export interface HandedItem<Way> {
  /** Wall time in milliseconds. */
  readonly atMs: number
  /** How it was handed over. */
  readonly via: Way
  /** Older places that it stood for, which are shown to nobody. */
  readonly replaced: readonly number[]
}

export class Handed<Way> {
  readonly #items = new Map<number, HandedItem<Way>>()
  /** All places that wait no longer: those above and those they stand for. */
  readonly #places = new Set<number>()
  /** Handed once and taken back: perhaps they were shown. */
  readonly #returned = new BoundedSet<number>({ most: MAX_HANDED, atOnce: 0 })

  /** Places that are held back. */
  get count(): number {
    return this.#places.size
  }

  /** Whether a place is held back. */
  has(seq: number): boolean {
    return this.#places.has(seq)
  }

  /** The hand-over of a place; undefined for one that was not handed over itself. */
  of(seq: number): HandedItem<Way> | undefined {
    return this.#items.get(seq)
  }

  /** Whether it was handed over before, and nothing proved that it was shown. */
  wasReturned(seq: number): boolean {
    return this.#returned.has(seq)
  }

  /** Notes a hand-over. @returns false beyond {@link MAX_HANDED}, and for a place that is held back already */
  add(seq: number, item: HandedItem<Way>): boolean {
    if (this.#items.size >= MAX_HANDED || this.#places.has(seq)) return false
    this.#items.set(seq, item)
    for (const place of [seq, ...item.replaced]) this.#places.add(place)
    return true
  }

  /** Ends every hand-over, and says what there was. @param except - those of this way go on */
  takeAll(except?: Way): ReadonlyMap<number, HandedItem<Way>> {
    const taken = new Map([...this.#items].filter(([, { via }]) => except === undefined || via !== except))
    for (const seq of taken.keys()) this.#items.delete(seq)
    const left = [...this.#items].flatMap(([seq, { replaced }]) => [seq, ...replaced])
    const held = left.filter((place) => this.#places.has(place))
    this.#places.clear()
    for (const place of held) this.#places.add(place)
    return taken
  }

  /** Everything waits again. @returns what was handed over */
  takeBack(): readonly number[] {
    const all = [...this.takeAll().keys()]
    for (const seq of all) this.#returned.add(seq)
    return all
  }

  /** Carries on what another mailbox knows to have been shown, perhaps. */
  inherit(from: Handed<Way>): void {
    from.takeBack()
    for (const seq of from.#returned) this.#returned.add(seq)
    from.#returned.clear()
  }

  /** Places that are over, whatever became of them. */
  delete(seqs: Iterable<number>): void {
    for (const seq of seqs) {
      this.#items.delete(seq)
      this.#places.delete(seq)
      this.#returned.delete(seq)
    }
  }

  /** Nothing before this place is retained. */
  dropBefore(firstSeq: number): void {
    for (const places of [this.#places, this.#returned])
      for (const seq of places) if (seq < firstSeq) this.delete([seq])
  }

  /** What the person had forgotten. */
  forget(gone: Pick<Runs, 'has'>): void {
    this.delete([...this.#places, ...this.#returned].filter((seq) => gone.has(seq)))
  }

  /** The sequence began anew: the places name nothing any more. */
  clear(): void {
    this.takeAll()
    this.#returned.clear()
  }
}
