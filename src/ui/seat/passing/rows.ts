/**
 * Everything that passed, as columns: a hundred thousand rows take less room than a tenth of them as objects.
 *
 * A row is named by its place, which counts up from 0 and is never given again, so whoever looks at one keeps looking at
 * it when old rows go.
 *
 * @see SEAT-35, SEAT-36
 */
import { BoundedMap } from '../../../core/collections/bounded.ts'
import { formatEventId, readEventId, type EventId } from '../../../protocol/address/event-id.ts'
import type { PassedItem } from './passed.ts'

/** Rows that are held; beyond them the oldest go. */
export const MAX_ROWS = 100_000

/** Texts that are told apart by their value while rows come in: names, kinds, scopes. */
const MAX_SHARED_TEXTS = 4_096

/** Items of which it is remembered by their ids how many they reached; who asks does so soon after they passed. */
const REACHED = { most: 1_024, atOnce: 128 }

/** Items that follow each other, by the numbers of their event ids. */
export interface Run {
  readonly first: number
  readonly last: number
}

/** One row: an item, or a place where something is missing. */
export interface Row extends PassedItem {
  readonly place: number
  /** What is missing here, in words; undefined for an item. */
  readonly gap: string | undefined
}

/** A ring of rows, the oldest first. */
export class Rows {
  readonly #capacity: number
  readonly #at: Float64Array
  readonly #recipients: Uint32Array
  readonly #queued: Uint32Array
  /** 1: an envelope that came late. 2: a gap, whose text says what is missing. 3: one that was forgotten. */
  readonly #marks: Uint8Array
  /** Event ids, as the life of the counter that many share and a number: a piece of a stream would keep all of it. */
  readonly #epochs: string[] = []
  readonly #seqs: Float64Array
  readonly #from: string[] = []
  readonly #to: string[] = []
  readonly #kinds: string[] = []
  readonly #texts: string[] = []
  readonly #threads: string[] = []
  readonly #shared = new Map<string, string>()
  readonly #reached = new BoundedMap<string, number>(REACHED)
  #end = 0
  #forgettings = 0

  constructor(capacity: number = MAX_ROWS) {
    this.#capacity = capacity
    this.#at = new Float64Array(capacity)
    this.#seqs = new Float64Array(capacity)
    this.#recipients = new Uint32Array(capacity)
    this.#queued = new Uint32Array(capacity)
    this.#marks = new Uint8Array(capacity)
  }

  /** The place of the oldest row that is still held. */
  get start(): number {
    return Math.max(0, this.#end - this.#capacity)
  }

  /** The place behind the newest row. */
  get end(): number {
    return this.#end
  }

  /** Adds an item behind the newest. */
  add(item: PassedItem): void {
    this.#put(item, item.isLate ? LATE : 0)
    // By the id as the row writes it: the item's own is a piece of the stream.
    const slot = (this.#end - 1) % this.#capacity
    const id = formatEventId(this.#epochs[slot] ?? '', this.#seqs[slot] ?? 0)
    this.#reached.set(id, item.recipients + item.queued)
  }

  /** Adds a line that says what is missing here. */
  addGap(text: string, atMs: number): void {
    this.#put({ ...NOTHING, text, atMs }, GAP)
  }

  /** @returns undefined for a place that is not held, not yet taken, or whose row was forgotten */
  get(place: number): Row | undefined {
    if (place < this.start || place >= this.#end) return undefined
    const slot = place % this.#capacity
    const mark = this.#marks[slot]
    if (mark === FORGOTTEN) return undefined
    const text = this.#texts[slot] ?? ''
    return {
      place,
      eventId: mark === GAP ? '' : formatEventId(this.#epochs[slot] ?? '', this.#seqs[slot] ?? 0),
      atMs: this.#at[slot] ?? 0,
      from: this.#from[slot] ?? '',
      to: this.#to[slot] ?? '',
      kind: this.#kinds[slot] ?? '',
      text,
      recipients: this.#recipients[slot] ?? 0,
      queued: this.#queued[slot] ?? 0,
      thread: this.#threads[slot] ?? '',
      isLate: mark === LATE,
      gap: mark === GAP ? text : undefined,
    }
  }

  /** How often rows were forgotten: whoever keeps places has to look at them again. */
  get forgettings(): number {
    return this.#forgettings
  }

  /** Leaves nothing of items that were forgotten. @param runs - numbers of their event ids, in order, as rows are */
  forget(epoch: string, runs: readonly Run[]): void {
    let next = 0
    for (let place = this.start; place < this.#end; place += 1) {
      const slot = place % this.#capacity
      const seq = this.#seqs[slot] ?? 0
      if (this.#epochs[slot] !== epoch) continue
      while (seq > (runs[next]?.last ?? seq)) next += 1
      if (seq < (runs[next]?.first ?? Infinity)) continue
      this.#marks[slot] = FORGOTTEN
      this.#texts[slot] = this.#threads[slot] = ''
    }
    this.#forgettings += 1
  }

  /** How many streams and mailboxes an item reached, the person's own among them; undefined where that is not known. */
  reachedBy(eventId: string): number | undefined {
    return this.#reached.get(eventId)
  }

  #put(item: PassedItem, mark: number): void {
    const slot = this.#end % this.#capacity
    const { epoch, seq } = readEventId(item.eventId) ?? NO_EVENT
    this.#epochs[slot] = this.#share(epoch)
    this.#seqs[slot] = seq
    this.#at[slot] = item.atMs
    this.#recipients[slot] = item.recipients
    this.#queued[slot] = item.queued
    this.#marks[slot] = mark
    this.#from[slot] = this.#share(item.from)
    this.#to[slot] = this.#share(item.to)
    this.#kinds[slot] = this.#share(item.kind)
    this.#texts[slot] = item.text
    this.#threads[slot] = item.thread
    this.#end += 1
  }

  /** One string for all that are equal: the same few names stand on every row. */
  #share(text: string): string {
    const known = this.#shared.get(text)
    if (known !== undefined) return known
    if (this.#shared.size >= MAX_SHARED_TEXTS) this.#shared.clear()
    this.#shared.set(text, text)
    return text
  }
}

const LATE = 1
const GAP = 2
const FORGOTTEN = 3

const NO_EVENT: EventId = { epoch: '', seq: 0 }

const NOTHING: PassedItem = {
  eventId: '',
  atMs: 0,
  from: '',
  to: '',
  kind: '',
  text: '',
  recipients: 0,
  queued: 0,
  thread: '',
  isLate: false,
}
