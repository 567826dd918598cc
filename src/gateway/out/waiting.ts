/**
 * How much may leave and is not on the hub yet, and how old the oldest of it is.
 *
 * Whoever watches asks for it again and again, of every lane, and nearly all that a ring holds may be from
 * elsewhere or for nobody there. So each place is looked at once, and what leaves is remembered.
 *
 * @see FED-65
 */
import type { RingView } from '../../broker/ports.ts'
import type { Retained } from '../../broker/ring/retained.ts'

/** Places looked at for one answer; the next one goes on behind them. */
export const MAX_LOOKED_AT = 4_096

/** Records that are told of; where more wait, as many are told. */
export const MAX_WAITING = 65_536

/** Of what waits, the oldest that are looked at again: who sent them may be gone, and they may have been forgotten. */
const MAX_DOUBTED = 256

const PAGE_ITEMS = 256

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

  /** @param seq - how far the hub has it */
  after(seq: number): Backlog {
    const { epoch, firstSeq } = this.#parts.ring
    if (epoch !== this.#epoch || seq < this.#afterSeq) {
      this.#epoch = epoch
      this.#cursor = seq
      this.#places = []
    }
    this.#afterSeq = seq
    this.#cursor = Math.max(this.#cursor, seq)
    this.#dropUpTo(Math.max(seq, firstSeq - 1))
    this.#doubt()
    this.#look()
    const [oldest = 0] = this.#places
    return { waiting: this.#places.length, oldestMs: this.#parts.ring.get(oldest)?.acceptedAtMs }
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

  #look(): void {
    const { ring, leaves } = this.#parts
    for (let looked = 0; looked < MAX_LOOKED_AT && this.#places.length < MAX_WAITING;) {
      const page = ring.read(this.#cursor, PAGE_ITEMS)
      if (page.length === 0) return
      looked += page.length
      for (const retained of page) if (leaves(retained)) this.#places.push(retained.seq)
      this.#cursor = page.at(-1)?.seq ?? this.#cursor
    }
  }
}
