/**
 * The replay ring on disk: one writer, one transaction per loop turn, the newest frames also in memory.
 *
 * What a turn brought is committed before anything of it is emitted or answered. A disk that refuses refuses
 * the whole turn; a damaged file is set aside and a new epoch begun, and everybody who resumes is told.
 *
 * @see docs/reliability.md §1.5, R-14…R-26
 */
import { messageOf } from '../../core/thrown.ts'
import type { EnvelopeFacts, Retained, RetainedEnvelope } from '../../broker/ring/retained.ts'
import type {
  Deletion,
  Forgotten,
  PlaceRange,
  RetentionBounds,
  Ring,
  RingFigures,
  ThreadLink,
} from '../../broker/ring/ring.ts'
import type { Ack } from '../../protocol/http/frame-replies.ts'
import { formatEventId } from '../../protocol/address/event-id.ts'
import { driverFailure } from '../driver/driver.ts'
import { EnvelopeRows } from '../rows/envelope-rows.ts'
import { LookBack } from '../../broker/ring/look-back.ts'
import type { PlacedFacts } from '../../broker/ring/filter-index.ts'
import type { Arrival } from '../../broker/origins/origins.ts'
import { Deletions } from './deletion.ts'
import { Extent } from './extent.ts'
import { Ids } from './ids.ts'
import { commitBatch } from './batch-commit.ts'
import type { KeptFrames } from './kept-frames.ts'
import { Refusals } from '../file/refusals.ts'
import { SqliteOrigins } from './sqlite-origins.ts'
import { StoreFile, type StoreFileParts } from '../file/store-file.ts'
import { ItemReader, type DamageGuard } from './item-reader.ts'
import { Tail } from './tail.ts'
import { Trimming } from './trimming.ts'

export interface SqliteRingParts extends StoreFileParts {
  readonly retention: RetentionBounds
}

const NOTHING_FORGOTTEN: Forgotten = { places: [], nextSeq: undefined }

export class SqliteRing implements Ring, DamageGuard {
  onReset: Ring['onReset']
  /** For the ledger, which writes beside the ring. */
  readonly file: StoreFile
  readonly #parts: SqliteRingParts
  readonly #extent: Extent
  readonly #tail: Tail
  readonly #ids: Ids
  readonly #items: ItemReader
  readonly #envelopes: EnvelopeRows
  readonly #trimming = new Trimming()
  readonly #deletions: Deletions
  readonly #kept: KeptFrames
  readonly lookBack: LookBack
  readonly origins: SqliteOrigins
  readonly #refusals: Refusals

  /** @throws Error with SQLite's code when another process holds the file, or the disk refuses */
  constructor(parts: SqliteRingParts) {
    this.#parts = parts
    this.#refusals = new Refusals(parts.log)
    const file = new StoreFile(parts)
    this.file = file
    this.origins = new SqliteOrigins({ file, log: parts.log, nowMs: parts.place.nowMs() })
    this.#extent = new Extent(file.opened)
    this.#tail = new Tail((seq, delivery) => file.audiences.keep(seq, delivery))
    this.#ids = new Ids({ tail: this.#tail, file })
    this.#items = new ItemReader(file, this)
    this.#envelopes = new EnvelopeRows(file)
    this.lookBack = new LookBack(this)
    const { lookBack, origins } = this
    const [tail, trimming, extent] = [this.#tail, this.#trimming, this.#extent]
    this.#kept = { file, tail, trimming, extent, lookBack, origins }
    this.#deletions = new Deletions(this.#kept)
    this.unlessDamaged(() => this.origins.load())
  }

  get ack(): Ack {
    return this.file.condition.isKept ? this.#parts.place.ack : 'memory'
  }

  get epoch(): string {
    return this.file.opened.epoch
  }

  get lastSeq(): number {
    return this.#extent.lastSeq
  }

  get firstSeq(): number {
    return this.#extent.firstSeq
  }

  get count(): number {
    return this.#extent.frames
  }

  get bytes(): number {
    return this.#extent.bytes
  }

  get oldestEventId(): string | null {
    return this.count === 0 ? null : this.eventId(this.firstSeq)
  }

  eventId(seq: number): string {
    return formatEventId(this.epoch, seq)
  }

  append(batch: readonly Retained[], arrivals?: readonly Arrival[]): void {
    if (batch.length === 0 && arrivals === undefined) return
    const commit = (): void => commitBatch(this.#kept, this.#parts.retention, { batch, arrivals })
    try {
      this.file.twice(commit)
    } catch (error) {
      // None of the turn is in the damaged file; all of it begins the fresh one.
      if (!this.recover(error)) throw this.#refusals.translate(error)
      this.#orRefuse(commit)
    }
    this.#refusals.clear()
  }

  read(afterSeq: number, limit: number): readonly Retained[] {
    if (this.#tail.covers(afterSeq, this.lastSeq)) return this.#tail.after(afterSeq, limit)
    return this.#items.after(afterSeq, limit)
  }

  readBack(beforeSeq: number, limit: number): readonly Retained[] {
    return this.#items.before(beforeSeq, limit)
  }

  factsBefore(seq: number, limit: number): readonly PlacedFacts[] {
    return this.unlessDamaged(() => this.#items.factsBefore(seq, limit)) ?? []
  }

  get(seq: number): Retained | undefined {
    return this.#tail.get(seq) ?? this.#items.at(seq)
  }

  find(key: string): Retained | undefined {
    return this.#atPlace(this.unlessDamaged(() => this.#ids.find(key, this)))
  }

  findKnown(key: string): Retained | undefined {
    return this.#atPlace(this.unlessDamaged(() => this.#ids.findKnown(key, this)))
  }

  learnIds(): boolean {
    return this.unlessDamaged(() => this.#ids.learn(this)) ?? true
  }

  thread(corr: string, afterSeq?: number, limit?: number): readonly ThreadLink[] {
    return this.unlessDamaged(() => this.#envelopes.thread(corr, afterSeq, limit)) ?? []
  }

  hasParty(corr: string, entity: string): boolean {
    return this.unlessDamaged(() => this.#envelopes.hasParty(corr, entity)) ?? false
  }

  threadMark(corr: string): string {
    return this.unlessDamaged(() => this.#envelopes.threadMark(corr)) ?? ''
  }

  answersTo(id: string): readonly EnvelopeFacts[] {
    return this.unlessDamaged(() => this.#envelopes.answersTo(id)) ?? []
  }

  refutationsOf(id: string): readonly RetainedEnvelope[] {
    return this.#items.refutationsOf(id)
  }

  entities(): readonly string[] {
    return this.unlessDamaged(() => this.#envelopes.entities()) ?? []
  }

  forget(which: Deletion, range: PlaceRange): Forgotten {
    const forgotten = this.unlessDamaged(() => this.#deletions.step(which, range)) ?? NOTHING_FORGOTTEN
    if (forgotten.places.length > 0) this.#envelopes.forgotten()
    return forgotten
  }

  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt' {
    return this.file.fateOf(epoch)
  }

  health(): RingFigures {
    return {
      enabled: this.file.condition.isKept,
      ...this.file.describe(),
      retention: this.#parts.retention,
      details: [...this.#refusals.details, ...this.file.condition.details],
    }
  }

  close(): void {
    this.file.close({ lastSeq: this.lastSeq, ...this.#extent.totals })
  }

  /**
   * When an error says that the file is damaged, sets it aside and begins anew.
   *
   * @returns whether that was it
   * @throws AgentdError `store-full` when the disk does not take a fresh file
   */
  recover(error: unknown): boolean {
    if (driverFailure(error) !== 'damaged') return false
    const previousEpoch = this.epoch
    this.#parts.log.error('store-damaged', {
      message: messageOf(error),
    })
    this.#orRefuse(() => this.file.replace())
    this.#tail.clear()
    this.#ids.clear()
    this.#envelopes.clear()
    this.origins.clear()
    this.#trimming.forget()
    this.#extent.reset()
    this.lookBack.reset()
    this.onReset?.('corrupt', previousEpoch)
    return true
  }

  /**
   * Reads; undefined when the file turned out to be damaged and the ring began anew.
   *
   * @throws AgentdError `store-full` when the disk refuses
   */
  unlessDamaged<T>(read: () => T): T | undefined {
    try {
      return this.file.twice(read)
    } catch (error) {
      if (this.recover(error)) return undefined
      throw this.#refusals.translate(error)
    }
  }

  #atPlace(seq: number | undefined): Retained | undefined {
    return seq === undefined ? undefined : this.get(seq)
  }

  #orRefuse(act: () => void): void {
    this.#refusals.translating(act)
  }
}
