/**
 * The replay ring in memory: the newest accepted frames, in order, within a count, a size and an age.
 *
 * It begins a new epoch with every daemon, so a cursor from another life is told apart (ACQ-21).
 */
import { formatEventId } from '../../protocol/address/event-id.ts'
import { MemoryOrigins } from '../origins/memory-origins.ts'
import type { Arrival } from '../origins/origins.ts'
import { RecipientLists, REMOTE_RECEIPT_BYTES } from './delivery.ts'
import { EnvelopeIndex } from './envelope-index.ts'
import { LookBack } from './look-back.ts'
import { sizeInMemory, type EnvelopeFacts, type Retained, type RetainedEnvelope } from './retained.ts'
import {
  isDeleted,
  searchFor,
  type Deletion,
  type Forgotten,
  type PlaceRange,
  type RetentionBounds,
  type Ring,
  type RingFigures,
  type ThreadLink,
} from './ring.ts'

/** Trimmed places at the front of the array before it is compacted. */
const COMPACT_AFTER = 4_096

/** Places looked at in one step of forgetting. */
const FORGOTTEN_PLACES = 1_024

export class MemoryRing implements Ring {
  readonly epoch: string
  readonly ack = 'memory'
  onReset: Ring['onReset']
  readonly #retention: RetentionBounds
  /**
   * One place per sequence number behind `#head` trimmed ones; a forgotten frame leaves an empty place, so
   * that a number is still an index.
   */
  #places: (Retained | undefined)[] = []
  #head = 0
  #lastSeq = 0
  #count = 0
  #bytes = 0
  /** What frames are charged with besides themselves, by their places: what is kept for their recipients (HD-03). */
  readonly #charged = new Map<number, number>()
  readonly #lists = new RecipientLists()
  readonly #byKey = new Map<string, Retained>()
  readonly origins: MemoryOrigins
  readonly #envelopes = new EnvelopeIndex()
  readonly lookBack = new LookBack(this)

  /** @param firstReport - above whatever an earlier daemon has numbered a report with */
  constructor(epoch: string, retention: RetentionBounds, firstReport = 1) {
    this.epoch = epoch
    this.#retention = retention
    this.origins = new MemoryOrigins(firstReport)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get firstSeq(): number {
    return this.#lastSeq - (this.#places.length - this.#head) + 1
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  eventId(seq: number): string {
    return formatEventId(this.epoch, seq)
  }

  get oldestEventId(): string | null {
    return this.#count === 0 ? null : this.eventId(this.firstSeq)
  }

  append(batch: readonly Retained[], arrivals?: readonly Arrival[]): void {
    if (arrivals !== undefined) this.#arrived(arrivals)
    for (const retained of batch) {
      this.#lastSeq += 1
      retained.seq = this.#lastSeq
      this.#places.push(retained)
      this.#count += 1
      this.#bytes += sizeInMemory(retained)
      this.#byKey.set(retained.key, retained)
      if (retained.type === 'envelope') this.#envelopes.add(retained)
      this.charge(retained.seq, this.#lists.bytesOf(retained.delivery))
    }
    this.lookBack.appended(batch)
    this.#trim(batch.at(-1)?.acceptedAtMs ?? 0)
    this.lookBack.trimmed()
  }

  /** Charges a frame with something that is kept as long as it is, in bytes. */
  charge(seq: number, bytes: number): void {
    if (bytes === 0 || this.get(seq) === undefined) return
    this.#charged.set(seq, (this.#charged.get(seq) ?? 0) + bytes)
    this.#bytes += bytes
  }

  read(afterSeq: number, limit: number): readonly Retained[] {
    const page: Retained[] = []
    const start = this.#head + Math.max(0, afterSeq + 1 - this.firstSeq)
    for (let i = start; i < this.#places.length && page.length < limit; i += 1) {
      const retained = this.#places[i]
      if (retained !== undefined) page.push(retained)
    }
    return page
  }

  readBack(beforeSeq: number, limit: number): readonly Retained[] {
    const page: Retained[] = []
    const start = Math.min(this.#places.length, this.#head + beforeSeq - this.firstSeq)
    for (let i = start - 1; i >= this.#head && page.length < limit; i -= 1) {
      const retained = this.#places[i]
      if (retained !== undefined) page.push(retained)
    }
    return page
  }

  /** All is known from the first on. */
  factsBefore(): readonly Retained[] {
    return []
  }

  get(seq: number): Retained | undefined {
    return seq < this.firstSeq ? undefined : this.#places[this.#head + seq - this.firstSeq]
  }

  find(key: string): Retained | undefined {
    return this.#byKey.get(key)
  }

  findKnown(key: string): Retained | undefined {
    return this.find(key)
  }

  learnIds(): boolean {
    return true
  }

  thread(corr: string, afterSeq = 0, limit = Number.MAX_SAFE_INTEGER): readonly ThreadLink[] {
    return this.#envelopes.thread(corr, afterSeq, limit)
  }

  hasParty(corr: string, entity: string): boolean {
    return this.#envelopes.hasParty(corr, entity)
  }

  threadMark(corr: string): string {
    return this.#envelopes.threadMark(corr)
  }

  answersTo(id: string): readonly EnvelopeFacts[] {
    return this.#envelopes.answersTo(id)
  }

  refutationsOf(id: string): readonly RetainedEnvelope[] {
    return this.#envelopes.refutationsOf(id)
  }

  entities(): readonly string[] {
    return this.#places.flatMap((retained) =>
      retained?.type === 'envelope' ? [retained.envelope.from, retained.envelope.to] : [],
    )
  }

  forget(which: Deletion, { afterSeq, upToSeq }: PlaceRange): Forgotten {
    const looked = this.lookBack.places(afterSeq, FORGOTTEN_PLACES, searchFor(which))
    const places = looked.filter((seq) => {
      const retained = this.get(seq)
      return retained !== undefined && seq <= upToSeq && isDeleted(retained, which)
    })
    for (const seq of places) this.#forgetAt(seq)
    this.#skipEmpty()
    this.lookBack.forgotten(places)
    const last = looked.at(-1)
    return { places, nextSeq: last === undefined || last >= upToSeq ? undefined : last }
  }

  fateOf(): 'epoch' {
    return 'epoch'
  }

  health(): RingFigures {
    return { enabled: false, sqliteVersion: null, synchronous: null, retention: this.#retention, details: [] }
  }

  close(): void {
    this.#places = []
    this.#head = 0
    this.#byKey.clear()
  }

  #arrived(arrivals: readonly Arrival[]): void {
    this.origins.arrived(arrivals, this)
    for (const { receipts } of arrivals)
      for (const { seq } of receipts) this.charge(seq, REMOTE_RECEIPT_BYTES)
  }

  #trim(nowMs: number): void {
    const { maxFrames, maxBytes, maxAgeMs, clockAheadMs = 0 } = this.#retention
    const oldestAllowedMs = nowMs - clockAheadMs - maxAgeMs
    for (;;) {
      const oldest = this.#places[this.#head]
      if (oldest === undefined || this.#count <= 1) break
      const over = this.#count > maxFrames || this.#bytes > maxBytes || oldest.acceptedAtMs < oldestAllowedMs
      if (!over) break
      this.#discard(oldest)
      // The place is only given up when there are many; what was in it is not kept until then.
      this.#places[this.#head] = undefined
      this.#head += 1
      this.#skipEmpty()
    }
    if (this.#head > COMPACT_AFTER && this.#head * 2 > this.#places.length) {
      this.#places = this.#places.slice(this.#head)
      this.#head = 0
    }
  }

  #forgetAt(seq: number): void {
    const at = this.#head + seq - this.firstSeq
    const retained = this.#places[at]
    if (retained !== undefined) this.#discard(retained)
    this.#places[at] = undefined
  }

  #discard(retained: Retained): void {
    this.#count -= 1
    this.#bytes -= sizeInMemory(retained) + (this.#charged.get(retained.seq) ?? 0)
    this.#charged.delete(retained.seq)
    if (this.#byKey.get(retained.key) === retained) this.#byKey.delete(retained.key)
    if (retained.type === 'envelope') this.#envelopes.remove(retained)
  }

  /** The first place is never an empty one: `firstSeq` names a frame that is there. */
  #skipEmpty(): void {
    while (this.#head < this.#places.length && this.#places[this.#head] === undefined) this.#head += 1
  }
}
