/**
 * The replay ring in memory: the newest accepted frames, in order, within a count, a size and an age.
 *
 * It begins a new epoch with every daemon, so a cursor from another life is told apart (ACQ-21).
 */
import { formatEventId } from '../../../protocol/address/event-id.ts'
import { MemoryOrigins } from '../../origins/memory-origins.ts'
import type { Arrival } from '../../origins/origins.ts'
import { REMOTE_RECEIPT_BYTES } from '../delivery.ts'
import { EnvelopeIndex } from './envelope-index.ts'
import { LookBack } from '../look-back.ts'
import { PackedFrames } from './packed-frames.ts'
import { RecipientLists } from './recipient-lists.ts'
import { sizeInMemory, type EnvelopeFacts, type Retained, type RetainedEnvelope } from '../retained.ts'
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
} from '../ring.ts'

/** Places looked at in one step of forgetting. */
const FORGOTTEN_PLACES = 1_024

export class MemoryRing implements Ring {
  readonly epoch: string
  readonly ack = 'memory'
  onReset: Ring['onReset']
  readonly #retention: RetentionBounds
  /** One place per sequence number; a forgotten frame leaves an empty one. */
  readonly #frames = new PackedFrames()
  #count = 0
  #bytes = 0
  /** What frames are charged with besides themselves, by their places: what is kept for their recipients (HD-03). */
  readonly #charged = new Map<number, number>()
  readonly #lists = new RecipientLists()
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
    return this.#frames.endSeq - 1
  }

  get firstSeq(): number {
    return this.#frames.firstSeq
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
    let { lastSeq } = this
    for (const retained of batch) {
      lastSeq += 1
      retained.seq = lastSeq
      this.#count += 1
      this.#bytes += sizeInMemory(retained.text.length)
      if (retained.type === 'envelope') this.#envelopes.add(retained)
    }
    this.#frames.append(batch)
    for (const { seq, delivery } of batch) this.charge(seq, this.#lists.bytesOf(delivery))
    this.lookBack.appended(batch)
    this.#trim(batch.at(-1)?.acceptedAtMs ?? 0)
    this.lookBack.trimmed()
  }

  /** Charges a frame with something that is kept as long as it is, in bytes. */
  charge(seq: number, bytes: number): void {
    if (bytes === 0 || !this.#frames.has(seq)) return
    this.#charged.set(seq, (this.#charged.get(seq) ?? 0) + bytes)
    this.#bytes += bytes
  }

  read(afterSeq: number, limit: number): readonly Retained[] {
    return this.#frames.from(afterSeq + 1, 1, limit)
  }

  readBack(beforeSeq: number, limit: number): readonly Retained[] {
    return this.#frames.from(beforeSeq - 1, -1, limit)
  }

  /** All is known from the first on. */
  factsBefore(): readonly Retained[] {
    return []
  }

  get(seq: number): Retained | undefined {
    return this.#frames.get(seq)
  }

  find(key: string): Retained | undefined {
    const seq = this.#frames.find(key)
    return seq === undefined ? undefined : this.get(seq)
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
    return [...this.#frames.kept()].flatMap((retained) =>
      retained.type === 'envelope' ? [retained.envelope.from, retained.envelope.to] : [],
    )
  }

  forget(which: Deletion, { afterSeq, upToSeq }: PlaceRange): Forgotten {
    const looked = this.lookBack.places(afterSeq, FORGOTTEN_PLACES, searchFor(which))
    const places = looked.filter((seq) => {
      const retained = this.get(seq)
      return retained !== undefined && seq <= upToSeq && isDeleted(retained, which)
    })
    for (const seq of places) {
      this.#discard(seq)
      this.#frames.remove(seq)
    }
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
    this.#frames.clear()
  }

  #arrived(arrivals: readonly Arrival[]): void {
    this.origins.arrived(arrivals, this)
    for (const { receipts } of arrivals)
      for (const { seq } of receipts) this.charge(seq, REMOTE_RECEIPT_BYTES)
  }

  #trim(nowMs: number): void {
    const { maxFrames, maxBytes, maxAgeMs, clockAheadMs = 0 } = this.#retention
    const oldestAllowedMs = nowMs - clockAheadMs - maxAgeMs
    while (this.#count > 1) {
      const { firstSeq } = this.#frames
      const isOld = this.#frames.acceptedMsAt(firstSeq) < oldestAllowedMs
      if (this.#count <= maxFrames && this.#bytes <= maxBytes && !isOld) return
      this.#discard(firstSeq)
      this.#frames.dropFirst()
      this.#skipEmpty()
    }
  }

  #discard(seq: number): void {
    this.#count -= 1
    this.#bytes -= sizeInMemory(this.#frames.charsAt(seq)) + (this.#charged.get(seq) ?? 0)
    this.#charged.delete(seq)
    const kept = this.#frames.keptAt(seq)
    if (kept?.type === 'envelope') this.#envelopes.remove(kept)
  }

  /** The first place is never an empty one: `firstSeq` names a frame that is there. */
  #skipEmpty(): void {
    const { endSeq } = this.#frames
    while (this.#frames.firstSeq < endSeq && !this.#frames.has(this.#frames.firstSeq))
      this.#frames.dropFirst()
  }
}
