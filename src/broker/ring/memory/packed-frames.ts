/**
 * What was accepted lately, packed: a frame's text in pages of octets, what else is its own in columns of numbers, and
 * what it shares with others in one object for all of them.
 *
 * A hundred thousand frames that nobody reads again are so no hundred thousand objects for the collector to copy, to
 * visit and to sweep. What is no plain frame (an envelope, what came from another node, whatever somebody waits on) is
 * kept as it is, and so is all of the last turn: whoever has just got it may still be looking at it.
 */
import { IdTable, NO_PLACE } from '../../../core/collections/id-table.ts'
import { TextPages } from '../../../core/collections/text-pages.ts'
import { DeliveryRecord } from '../delivery.ts'
import { Headings } from './headings.ts'
import { PackedColumns } from './packed-columns.ts'
import { PackedFrame } from './packed-frame.ts'
import type { Retained, RetainedFrame } from '../retained.ts'

/** Rows there are at first; there are twice as many whenever those are full. */
const FIRST_ROWS = 256

/** Receipts of packed frames that are kept after somebody looked at them, before those that nothing happened to go. */
export const MIN_UNSWEPT = 1_024

export class PackedFrames {
  /** The first place, and the one behind the last. */
  #first = 1
  #end = 1
  #columns = new PackedColumns(FIRST_ROWS)
  #ids = new IdTable()
  readonly #pages = new TextPages()
  readonly #headings = new Headings()
  /** By place, what is not packed; of the last turn, from {@link #freshFrom} on. */
  readonly #whole = new Map<number, Retained>()
  #fresh: (Retained | undefined)[] = []
  #freshFrom = 1
  /** Receipts that somebody has looked at: a second look has to find the same object, with its waiters. */
  readonly #deliveries = new Map<number, DeliveryRecord>()
  #sweepAt = MIN_UNSWEPT

  get firstSeq(): number {
    return this.#first
  }

  get endSeq(): number {
    return this.#end
  }

  /** Puts a turn behind what is there; each of it has its place. */
  append(turn: readonly Retained[]): void {
    this.#packFresh()
    const [begins] = turn
    if (begins === undefined) return
    if (this.#first === this.#end) this.#beginAt(begins.seq)
    this.#freshFrom = this.#end
    for (const { key, text, acceptedAtMs } of turn) {
      if (this.#end - this.#first === this.#columns.rows)
        this.#columns = this.#columns.doubled(this.#first, this.#end)
      const slot = this.#columns.slotOf(this.#end)
      this.#columns.chars[slot] = text.length
      this.#columns.acceptedMs[slot] = acceptedAtMs
      this.#ids.add(key)
      this.#end += 1
    }
    this.#fresh = [...turn]
  }

  get(seq: number): Retained | undefined {
    if (seq < this.#first || seq >= this.#end) return undefined
    return this.keptAt(seq) ?? this.#packed(seq)
  }

  /** As {@link get}, of what is not packed: all envelopes, among others. */
  keptAt(seq: number): Retained | undefined {
    return seq >= this.#freshFrom ? this.#fresh[seq - this.#freshFrom] : this.#whole.get(seq)
  }

  has(seq: number): boolean {
    if (seq < this.#first || seq >= this.#end) return false
    return this.keptAt(seq) !== undefined || this.#columns.headings[this.#columns.slotOf(seq)] !== undefined
  }

  /** Up to so many from a place on, upwards or downwards, in that order. */
  from(seq: number, step: 1 | -1, limit: number): readonly Retained[] {
    const page: Retained[] = []
    const start = step === 1 ? Math.max(seq, this.#first) : Math.min(seq, this.#end - 1)
    for (let at = start; at >= this.#first && at < this.#end && page.length < limit; at += step) {
      const retained = this.get(at)
      if (retained !== undefined) page.push(retained)
    }
    return page
  }

  /** The newest place of an id, in lower case. */
  find(key: string): number | undefined {
    const place = this.#ids.find(key)
    return place === NO_PLACE ? undefined : this.#first + place - this.#ids.oldest
  }

  /** Characters of the text at a place where something is. */
  charsAt(seq: number): number {
    return this.#columns.chars[this.#columns.slotOf(seq)] ?? 0
  }

  /** When that was accepted, wall time in milliseconds. */
  acceptedMsAt(seq: number): number {
    return this.#columns.acceptedMs[this.#columns.slotOf(seq)] ?? 0
  }

  /** The receipts at a place, where they may be more than what was recorded of it: undefined where nobody has looked. */
  lookedAt(seq: number): DeliveryRecord | undefined {
    return this.#deliveries.get(seq) ?? this.keptAt(seq)?.delivery
  }

  /** All that {@link keptAt} finds. */
  *kept(): Generator<Retained> {
    yield* this.#whole.values()
    for (const retained of this.#fresh) if (retained !== undefined) yield retained
  }

  /** Forgets what is at a place, to the last octet. Leaves an empty place behind, so that the others keep theirs. */
  remove(seq: number): void {
    if (!this.has(seq)) return
    const slot = this.#columns.slotOf(seq)
    if (this.#columns.headings[slot] !== undefined) this.#pages.erase(this.#columns.textAt(slot))
    this.#empty(seq)
  }

  /** Gives up the first place, and what is there. */
  dropFirst(): void {
    if (this.#first === this.#end) return
    if (this.has(this.#first)) this.#empty(this.#first)
    this.#ids.dropOldest()
    this.#first += 1
    const isPacked = this.#first < this.#freshFrom
    this.#pages.dropBefore(
      isPacked ? (this.#columns.pages[this.#columns.slotOf(this.#first)] ?? 0) : this.#pages.last,
    )
  }

  clear(): void {
    this.#beginAt(this.#end)
    this.#columns = new PackedColumns(FIRST_ROWS)
    this.#ids = new IdTable()
    this.#pages.clear()
    this.#whole.clear()
    this.#fresh = []
    this.#deliveries.clear()
  }

  /** Each place has an id, in the order of both. */
  #idPlace(seq: number): number {
    return this.#ids.oldest + seq - this.#first
  }

  #empty(seq: number): void {
    this.#ids.remove(this.#idPlace(seq))
    if (seq >= this.#freshFrom) this.#fresh[seq - this.#freshFrom] = undefined
    this.#whole.delete(seq)
    const slot = this.#columns.slotOf(seq)
    this.#columns.headings[slot] = undefined
    this.#columns.reaches[slot] = undefined
    // Whoever waits on it goes on to see what it saw.
    if (this.#deliveries.get(seq)?.isWatched === false) this.#deliveries.delete(seq)
  }

  /** There is nothing, so it may begin anywhere. */
  #beginAt(seq: number): void {
    this.#first = seq
    this.#end = seq
    this.#freshFrom = seq
  }

  #packFresh(): void {
    for (const retained of this.#fresh) {
      if (retained === undefined) continue
      const isPacked = retained.type === 'frame' && isPlain(retained) && this.#pack(retained)
      if (!isPacked) this.#whole.set(retained.seq, retained)
      this.#columns.pages[this.#columns.slotOf(retained.seq)] = this.#pages.last
    }
    this.#fresh = []
    this.#freshFrom = this.#end
  }

  /** @returns whether its text can be kept so */
  #pack(frame: RetainedFrame): boolean {
    const columns = this.#columns
    const slot = columns.slotOf(frame.seq)
    const place = this.#pages.put(frame.text)
    if (place === undefined) return false
    columns.froms[slot] = place.from
    columns.tos[slot] = place.to
    columns.expiresMs[slot] = frame.expiresAtMs
    columns.headings[slot] = this.#headings.of(frame)
    columns.reaches[slot] = frame.delivery.reach
    return true
  }

  #packed(seq: number): PackedFrame | undefined {
    const columns = this.#columns
    const slot = columns.slotOf(seq)
    const heading = columns.headings[slot]
    if (heading === undefined) return undefined
    const key = this.#ids.idAt(this.#idPlace(seq)) ?? ''
    const fields = {
      seq,
      key,
      text: this.#pages.at(columns.textAt(slot)),
      acceptedAtMs: columns.acceptedMs[slot] ?? 0,
      expiresAtMs: columns.expiresMs[slot] ?? 0,
    }
    return new PackedFrame(fields, heading, this.#deliveryAt)
  }

  readonly #deliveryAt = (seq: number): DeliveryRecord => {
    const known = this.#deliveries.get(seq)
    if (known !== undefined) return known
    const delivery = new DeliveryRecord()
    const reach = this.has(seq) ? this.#columns.reaches[this.#columns.slotOf(seq)] : undefined
    if (reach === undefined) return delivery
    delivery.record(reach, this.acceptedMsAt(seq))
    if (this.#deliveries.size >= this.#sweepAt) this.#sweep()
    this.#deliveries.set(seq, delivery)
    return delivery
  }

  /** Those that nothing has happened to are made anew when somebody looks again. */
  #sweep(): void {
    for (const [seq, delivery] of this.#deliveries)
      if (delivery.isUntouched || (!delivery.isWatched && !this.has(seq))) this.#deliveries.delete(seq)
    this.#sweepAt = Math.max(MIN_UNSWEPT, 2 * this.#deliveries.size)
  }
}

/** Whether all of it has a column. */
function isPlain({ origin, delivery }: RetainedFrame): boolean {
  return origin === undefined && delivery.named === undefined && delivery.isUntouched
}
