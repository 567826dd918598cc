/**
 * Ids in the order they came, the oldest forgotten first, found by what they are.
 *
 * Flat arrays of numbers beside the ids themselves: a hundred thousand ids are not a hundred thousand entries for the
 * collector to visit, and one look answers where a map of each age would have to be asked in turn.
 */
import { randomBytes } from 'node:crypto'

/** Where no id is. */
export const NO_PLACE = -1

const WORD_BITS = 32

/** Ids there is room for at first; there is room for twice as many whenever that is full. */
const FIRST_ROOM = 256

export class IdTable {
  readonly #capacity: number
  /** By the first bits of a hash: the place that was last put there, counted from 1; 0 for none. */
  #heads = new Int32Array(FIRST_ROOM)
  /** By place: the one that was put there before it, counted from 1; 0 for none. */
  #next = new Int32Array(FIRST_ROOM)
  #hashes = new Int32Array(FIRST_ROOM)
  /** By place; undefined where an id was taken out of the middle. */
  readonly #ids: (string | undefined)[] = []
  #shift = WORD_BITS - Math.log2(FIRST_ROOM)
  /** Nobody who names ids knows where they go: two words, the second odd. */
  readonly #seed = randomBytes(4).readInt32LE()
  readonly #factor = randomBytes(4).readInt32LE() | 1
  #oldest = 0
  #used = 0

  /** @param capacity - ids it holds; from then on each pushes out the oldest */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The place of the oldest there is, or has been: one that was taken out stands there until it is dropped. */
  get oldest(): number {
    return this.#used === 0 ? NO_PLACE : this.#oldest
  }

  find(id: string): number {
    const hash = this.#hashOf(id)
    let place = (this.#heads[hash >>> this.#shift] ?? 0) - 1
    while (place !== NO_PLACE && !(this.#hashes[place] === hash && this.#ids[place] === id))
      place = (this.#next[place] ?? 0) - 1
    return place
  }

  /** Puts in an id that is not there. @returns its place, which is another's when so many have come after it */
  add(id: string): number {
    if (this.#used === this.#capacity) this.dropOldest()
    const place = (this.#oldest + this.#used) % this.#capacity
    if (place === this.#next.length) this.#grow()
    this.#used += 1
    this.#ids[place] = id
    this.#hashes[place] = this.#hashOf(id)
    this.#link(place)
    return place
  }

  /** Whether the id is the one at a place. */
  isAt(id: string, place: number): boolean {
    return this.#ids[place] === id
  }

  /** Takes the id at a place out. */
  remove(place: number): void {
    if (this.#ids[place] === undefined) return
    this.#ids[place] = undefined
    const bucket = (this.#hashes[place] ?? 0) >>> this.#shift
    const behind = this.#next[place] ?? 0
    let at = this.#heads[bucket] ?? 0
    if (at === place + 1) {
      this.#heads[bucket] = behind
      return
    }
    while (at !== 0 && this.#next[at - 1] !== place + 1) at = this.#next[at - 1] ?? 0
    if (at !== 0) this.#next[at - 1] = behind
  }

  dropOldest(): void {
    if (this.#used === 0) return
    this.remove(this.#oldest)
    this.#oldest = (this.#oldest + 1) % this.#capacity
    this.#used -= 1
  }

  #link(place: number): void {
    const bucket = (this.#hashes[place] ?? 0) >>> this.#shift
    this.#next[place] = this.#heads[bucket] ?? 0
    this.#heads[bucket] = place + 1
  }

  /** Twice the room. Places stay what they are. */
  #grow(): void {
    const room = 2 * this.#next.length
    const [next, hashes] = [new Int32Array(room), new Int32Array(room)]
    hashes.set(this.#hashes)
    this.#next = next
    this.#hashes = hashes
    this.#heads = new Int32Array(room)
    this.#shift -= 1
    for (let i = 0; i < this.#used; i += 1) {
      const place = (this.#oldest + i) % this.#capacity
      if (this.#ids[place] !== undefined) this.#link(place)
    }
  }

  #hashOf(id: string): number {
    let hash = this.#seed
    for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), this.#factor)
    return hash
  }
}
