/**
 * Ids in the order they came, the oldest forgotten first, found by what they are.
 *
 * Flat arrays of numbers: a hundred thousand ids are not a hundred thousand entries for the collector to visit, and one
 * look answers where a map of each age would have to be asked in turn. A UUID is four of these numbers, and no text.
 */
import { randomBytes } from 'node:crypto'
import { UUID_WORDS, formatUuid, readUuid } from './uuid-words.ts'

/** Where no id is. */
export const NO_PLACE = -1

/** Ids there is room for at first; there is room for twice as many whenever that is full. */
const FIRST_ROOM = 256

/** What stands in a slot: nothing, a UUID in its words, or another id beside them. */
const [EMPTY, IS_UUID, IS_OTHER] = [0, 1, 2]

export class IdTable {
  readonly #capacity: number
  /** Slots; a power of two, so that the last bits of a place are its slot. */
  #room = FIRST_ROOM
  /** By the first bits of a hash: the slot that was last put there, counted from 1; 0 for none. */
  #heads = new Int32Array(FIRST_ROOM)
  /** By slot: the one that was put there before it, counted from 1; 0 for none. */
  #next = new Int32Array(FIRST_ROOM)
  #hashes = new Int32Array(FIRST_ROOM)
  #states = new Uint8Array(FIRST_ROOM)
  #words = new Int32Array(UUID_WORDS * FIRST_ROOM)
  /** By slot, those that are no UUIDs. */
  #others = new Map<number, string>()
  /** Nobody who names ids knows where they go: two words, the second odd. */
  readonly #seed = randomBytes(4).readInt32LE()
  readonly #factor = randomBytes(4).readInt32LE() | 1
  #oldest = 0
  #used = 0
  /** The id that was last read, its words, and its hash: what is looked for is mostly added next. */
  #read: string | undefined
  #isUuid = false
  #hash = 0
  readonly #ownWords = new Int32Array(UUID_WORDS)

  /** @param capacity - ids it holds; from then on each pushes out the oldest */
  constructor(capacity = Infinity) {
    this.#capacity = capacity
  }

  /** The place of the oldest there is, or has been: one that was taken out stands there until it is dropped. */
  get oldest(): number {
    return this.#used === 0 ? NO_PLACE : this.#oldest
  }

  /** The place of an id, of the newest where it was put in twice. */
  find(id: string): number {
    this.#readId(id)
    let link = this.#heads[this.#hash >>> this.#shift] ?? 0
    while (link !== 0 && !this.#isOwnAt(link - 1, id)) link = this.#next[link - 1] ?? 0
    return link === 0 ? NO_PLACE : this.#placeOf(link - 1)
  }

  /** Puts in an id. @returns its place: they are counted from 0, and no two are the same */
  add(id: string): number {
    if (this.#used === this.#capacity) this.dropOldest()
    if (this.#used === this.#room) this.#grow()
    this.#readId(id)
    const place = this.#oldest + this.#used
    const slot = this.#slotOf(place)
    this.#used += 1
    this.#hashes[slot] = this.#hash
    this.#states[slot] = this.#isUuid ? IS_UUID : IS_OTHER
    if (this.#isUuid)
      for (let i = 0; i < UUID_WORDS; i += 1) this.#words[UUID_WORDS * slot + i] = this.#ownWords[i] ?? 0
    else this.#others.set(slot, id)
    this.#link(slot)
    return place
  }

  /** Whether what was put in at a place is still there. */
  has(place: number): boolean {
    return this.#holds(place) && this.#states[this.#slotOf(place)] !== EMPTY
  }

  /** The id at a place; undefined where there is none any more. */
  idAt(place: number): string | undefined {
    if (!this.#holds(place)) return undefined
    const slot = this.#slotOf(place)
    if (this.#states[slot] !== IS_UUID) return this.#others.get(slot)
    return formatUuid(this.#words, UUID_WORDS * slot)
  }

  /** Takes the id at a place out. */
  remove(place: number): void {
    if (!this.has(place)) return
    const slot = this.#slotOf(place)
    if (this.#states[slot] === IS_OTHER) this.#others.delete(slot)
    this.#states[slot] = EMPTY
    const bucket = (this.#hashes[slot] ?? 0) >>> this.#shift
    const behind = this.#next[slot] ?? 0
    let at = this.#heads[bucket] ?? 0
    if (at === slot + 1) {
      this.#heads[bucket] = behind
      return
    }
    while (at !== 0 && this.#next[at - 1] !== slot + 1) at = this.#next[at - 1] ?? 0
    if (at !== 0) this.#next[at - 1] = behind
  }

  dropOldest(): void {
    if (this.#used === 0) return
    this.remove(this.#oldest)
    this.#oldest += 1
    this.#used -= 1
  }

  get #shift(): number {
    return Math.clz32(this.#room) + 1
  }

  #holds(place: number): boolean {
    return place >= this.#oldest && place < this.#oldest + this.#used
  }

  #slotOf(place: number): number {
    return place & (this.#room - 1)
  }

  #placeOf(slot: number): number {
    return this.#oldest + ((slot - this.#oldest) & (this.#room - 1))
  }

  /** Whether the id that was read last is the one in a slot. */
  #isOwnAt(slot: number, id: string): boolean {
    if (this.#hashes[slot] !== this.#hash) return false
    if (!this.#isUuid) return this.#others.get(slot) === id
    if (this.#states[slot] !== IS_UUID) return false
    for (let i = 0; i < UUID_WORDS; i += 1)
      if (this.#words[UUID_WORDS * slot + i] !== this.#ownWords[i]) return false
    return true
  }

  #link(slot: number): void {
    const bucket = (this.#hashes[slot] ?? 0) >>> this.#shift
    this.#next[slot] = this.#heads[bucket] ?? 0
    this.#heads[bucket] = slot + 1
  }

  /** Twice the room. Places stay what they are; their slots do not. */
  #grow(): void {
    const before = { room: this.#room, hashes: this.#hashes, states: this.#states, words: this.#words }
    const others = this.#others
    this.#room *= 2
    this.#heads = new Int32Array(this.#room)
    this.#next = new Int32Array(this.#room)
    this.#hashes = new Int32Array(this.#room)
    this.#states = new Uint8Array(this.#room)
    this.#words = new Int32Array(UUID_WORDS * this.#room)
    this.#others = new Map()
    for (let place = this.#oldest; place < this.#oldest + this.#used; place += 1) {
      const from = place & (before.room - 1)
      const state = before.states[from] ?? EMPTY
      if (state === EMPTY) continue
      const to = this.#slotOf(place)
      this.#hashes[to] = before.hashes[from] ?? 0
      this.#states[to] = state
      for (let i = 0; i < UUID_WORDS; i += 1)
        this.#words[UUID_WORDS * to + i] = before.words[UUID_WORDS * from + i] ?? 0
      const other = others.get(from)
      if (other !== undefined) this.#others.set(to, other)
      this.#link(to)
    }
  }

  #readId(id: string): void {
    if (id === this.#read) return
    this.#read = id
    this.#isUuid = readUuid(id, this.#ownWords)
    let hash = this.#seed
    if (this.#isUuid)
      for (let i = 0; i < UUID_WORDS; i += 1) hash = Math.imul(hash ^ (this.#ownWords[i] ?? 0), this.#factor)
    else for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), this.#factor)
    this.#hash = hash
  }
}
