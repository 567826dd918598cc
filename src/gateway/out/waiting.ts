/**
 * How much may leave and is not on the hub yet, and how old the oldest of it is.
 *
 * Whoever watches asks for it again and again, of every lane, and nearly all that a ring holds may be from
 * elsewhere or for nobody there. So each place is looked at once, a page at a time, and what leaves is remembered.
 *
 * @see FED-65
 */
import type { RingView } from '../../broker/ports.ts'
import type { Retained } from '../../broker/ring/retained.ts'

/** Records that are told of; where more wait, as many are told. */
export const MAX_WAITING = 65_536

/** Of what waits, the oldest that are looked at again: who sent them may be gone, and they may have been forgotten. */
const MAX_DOUBTED = 256

/** Places looked at in one step: where what leaves is worked out for each, about a millisecond. */
export const PAGE_ITEMS = 128

export interface Backlog {
  readonly waiting: number
  /** When the oldest was accepted, wall time in milliseconds; undefined for none. */
  readonly oldestMs: number | undefined
}

interface WaitingParts {
  readonly ring: Pick<RingView, 'epoch' | 'firstSeq' | 'get' | 'read'>
  /** Whether it leaves over the lane. */
  readonly leaves: (retained: Retained) => boolean
}

export class Waiting {
  readonly #parts: WaitingParts
  #epoch = ''
  /** The place behind which it was counted. */
  #afterSeq = 0
  /** The last place that was looked at. */
  #cursor = 0
  /** Places of what leaves, between the two. */
  #places: number[] = []

  constructor(parts: WaitingParts) {
    this.#parts = parts
  }

  /** What leaves is said anew. */
  recount(): void {
    this.#epoch = ''
  }

  /**
   * Looks at the next page.
   *
   * @param seq - how far the hub has it
   * @param upToSeq - the last place that is asked about
   * @returns whether everything up to there has been looked at, or as much waits as is told of
   */
  count(seq: number, upToSeq: number): boolean {
    this.#goOnFrom(seq)
    return this.#isCounted(upToSeq) || this.#look() || this.#isCounted(upToSeq)
  }

  /** @param seq - how far the hub has it @returns what has been counted, and no more is looked at */
  after(seq: number): Backlog {
    this.#goOnFrom(seq)
    this.#doubt()
    const [oldest = 0] = this.#places
    return { waiting: this.#places.length, oldestMs: this.#parts.ring.get(oldest)?.acceptedAtMs }
  }

  #isCounted(upToSeq: number): boolean {
    return this.#cursor >= upToSeq || this.#places.length >= MAX_WAITING
  }

  #goOnFrom(seq: number): void {
    const { epoch, firstSeq } = this.#parts.ring
    if (epoch !== this.#epoch || seq < this.#afterSeq) {
      this.#epoch = epoch
      this.#cursor = seq
      this.#places = []
    }
    this.#afterSeq = seq
    this.#cursor = Math.max(this.#cursor, seq)
    this.#dropUpTo(Math.max(seq, firstSeq - 1))
  }

  #dropUpTo(seq: number): void {
    const left = this.#places.findIndex((place) => place > seq)
    this.#places.splice(0, left === -1 ? this.#places.length : left)
  }

  #doubt(): void {
    const { ring, leaves } = this.#parts
    const doubted = this.#places.slice(0, MAX_DOUBTED)
    const kept = doubted.filter((place) => {
      const retained = ring.get(place)
      return retained !== undefined && leaves(retained)
    })
    if (kept.length < doubted.length) this.#places.splice(0, doubted.length, ...kept)
  }

  /** @returns whether there is nothing behind what has been looked at */
  #look(): boolean {
    const { ring, leaves } = this.#parts
    const page = ring.read(this.#cursor, PAGE_ITEMS)
    for (const retained of page) if (leaves(retained)) this.#places.push(retained.seq)
    this.#cursor = page.at(-1)?.seq ?? this.#cursor
    return page.length === 0
  }
}
