/**
 * The replay ring on disk: one writer, one transaction per loop turn, the newest frames also in memory.
 *
 * What a turn brought is committed before anything of it is emitted or answered. A disk that refuses refuses
 * the whole turn; a damaged file is set aside and a new epoch begun, and everybody who resumes is told.
 *
 * @see docs/reliability.md §1.5, R-14…R-26
 */
import { messageOf } from '../../core/thrown.ts'
import { DeliveryRecord } from '../../broker/ring/delivery.ts'
import type { EnvelopeFacts, Retained, RetainedEnvelope } from '../../broker/ring/retained.ts'
import {
  MAX_REFUTATIONS,
  type Deletion,
  type RetentionBounds,
  type Ring,
  type RingFigures,
  type ThreadLink,
} from '../../broker/ring/ring.ts'
import { formatEventId } from '../../protocol/address/event-id.ts'
import { driverFailure } from '../file/driver.ts'
import { EnvelopeRows } from '../rows/envelope-rows.ts'
import { deleteRows, forgettablePages } from './deletion.ts'
import { Ids } from './ids.ts'
import { writeFrames } from './frame-writer.ts'
import { withinLength } from '../rows/page.ts'
import { Refusals } from '../file/refusals.ts'
import { fromRow, toFrameRow, type FrameRow } from '../rows/row.ts'
import type { ForgettableRow } from '../rows/statements.ts'
import { StoreFile, type StoreFileParts } from '../file/store-file.ts'
import { Tail } from './tail.ts'
import type { Totals } from '../file/totals.ts'
import { Trimming } from './trimming.ts'

/** What a ring is built from. */
export interface SqliteRingParts extends StoreFileParts {
  readonly retention: RetentionBounds
}

export class SqliteRing implements Ring {
  onReset: Ring['onReset']
  readonly ack: 'process' | 'disk'
  /** For the ledger, which writes beside the ring. */
  readonly file: StoreFile
  readonly #parts: SqliteRingParts
  readonly #tail = new Tail((frame) => this.file.audiences.keep(frame.seq, frame.delivery))
  readonly #ids = new Ids({ tail: this.#tail, statements: () => this.file.statements })
  readonly #trimming = new Trimming()
  readonly #envelopes = new EnvelopeRows(() => this.file.statements)
  #lastSeq: number
  #firstSeq: number
  #count: number
  #bytes: number
  readonly #refusals: Refusals

  /** @throws Error with SQLite's code when another process holds the file, or the disk refuses */
  constructor(parts: SqliteRingParts) {
    this.#parts = parts
    this.ack = parts.place.ack
    this.#refusals = new Refusals(parts.log)
    this.file = new StoreFile(parts)
    const { firstSeq, lastSeq, totals } = this.file.opened
    this.#lastSeq = lastSeq
    this.#firstSeq = firstSeq ?? lastSeq + 1
    this.#count = totals.frames
    this.#bytes = totals.bytes
  }

  get epoch(): string {
    return this.file.opened.epoch
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get firstSeq(): number {
    return this.#firstSeq
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  get oldestEventId(): string | null {
    return this.#count === 0 ? null : this.eventId(this.#firstSeq)
  }

  eventId(seq: number): string {
    return formatEventId(this.epoch, seq)
  }

  append(batch: readonly Retained[]): void {
    if (batch.length === 0) return
    try {
      this.#commitBatch(batch)
    } catch (error) {
      // None of the turn is in the damaged file; all of it begins the fresh one.
      if (!this.recover(error)) throw this.#refusals.translate(error)
      this.#orRefuse(() => this.#commitBatch(batch))
    }
    this.#refusals.clear()
  }

  read(afterSeq: number, limit: number): readonly Retained[] {
    if (this.#tail.covers(afterSeq, this.#lastSeq)) return this.#tail.after(afterSeq, limit)
    return this.#rows(() => withinLength(this.file.statements.after.iterate(afterSeq, limit)))
  }

  readBack(beforeSeq: number, limit: number): readonly Retained[] {
    return this.#rows(() => withinLength(this.file.statements.before.iterate(beforeSeq, limit)))
  }

  get(seq: number): Retained | undefined {
    return this.#tail.get(seq) ?? this.#readOne(seq)
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

  threadMark(corr: string): string {
    return this.unlessDamaged(() => this.#envelopes.threadMark(corr)) ?? ''
  }

  answersTo(id: string): readonly EnvelopeFacts[] {
    return this.unlessDamaged(() => this.#envelopes.answersTo(id)) ?? []
  }

  refutationsOf(id: string): readonly RetainedEnvelope[] {
    return this.#rows(() =>
      this.file.statements.refutations.all(id, MAX_REFUTATIONS).toReversed().map(toFrameRow),
    ).filter((retained) => retained.type === 'envelope')
  }

  entities(): readonly string[] {
    return this.unlessDamaged(() => this.#envelopes.entities()) ?? []
  }

  forget(which: Deletion): number {
    return this.unlessDamaged(() => this.#forgetAll(which)) ?? 0
  }

  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt' {
    return this.file.fateOf(epoch)
  }

  health(): RingFigures {
    const { quarantined, ...sqlite } = this.file.describe()
    return {
      enabled: true,
      ...sqlite,
      retention: this.#parts.retention,
      details: [
        ...this.#refusals.details,
        ...(quarantined === undefined ? [] : [`A damaged store was set aside as ${quarantined}.`]),
      ],
    }
  }

  close(): void {
    this.file.close({ lastSeq: this.#lastSeq, frames: this.#count, bytes: this.#bytes })
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
    this.#trimming.forget()
    this.#lastSeq = 0
    this.#firstSeq = 1
    this.#count = 0
    this.#bytes = 0
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
      return read()
    } catch (error) {
      if (this.recover(error)) return undefined
      throw this.#refusals.translate(error)
    }
  }

  /** One transaction: the frames with who they reached, what waits for whom, and what falls out of retention. */
  #commitBatch(batch: readonly Retained[]): void {
    const { file } = this
    const [written, trimmed] = file.transact(() => {
      const added = writeFrames(file.statements, file.audiences, batch, this.#lastSeq)
      const gone = this.#trimming.trim({
        statements: file.statements,
        retention: this.#parts.retention,
        held: { frames: this.#count + added.frames, bytes: this.#bytes + added.bytes },
        nowMs: batch.at(-1)?.acceptedAtMs ?? 0,
        upToSeq: this.#lastSeq,
      })
      return [added, gone]
    })
    // Only what is committed gets a place.
    for (const frame of batch) {
      this.#lastSeq += 1
      frame.seq = this.#lastSeq
      this.#tail.push(frame)
    }
    this.#count += written.frames - trimmed.frames
    this.#bytes += written.bytes - trimmed.bytes
    file.committed(this.#lastSeq, this.#totals)
    if (trimmed.frames === 0) return
    this.#firstSeq = file.statements.firstSeq.get() ?? this.#lastSeq + 1
    this.#tail.dropBefore(this.#firstSeq)
  }

  #forgetAll(which: Deletion): number {
    let forgotten = 0
    for (const page of forgettablePages(() => this.file.statements, which)) {
      this.file.erasing(() => this.#forgetFrames(page))
      forgotten += page.length
    }
    if (forgotten > 0) this.file.scrub()
    return forgotten
  }

  #forgetFrames(rows: readonly ForgettableRow[]): void {
    const { file } = this
    // Killed between the two, the next daemon counts.
    file.committed(this.#lastSeq, undefined)
    file.transact(() => deleteRows(file.statements, rows, this.#lastSeq))
    this.#trimming.forget()
    const gone = new Set(rows.map(({ seq }) => seq))
    this.#tail.drop(({ seq }) => gone.has(seq))
    this.#count -= rows.length
    this.#bytes -= rows.reduce((sum, { bytes }) => sum + bytes, 0)
    file.committed(this.#lastSeq, this.#totals)
    this.#firstSeq = file.statements.firstSeq.get() ?? this.#lastSeq + 1
  }

  get #totals(): Totals {
    return { frames: this.#count, bytes: this.#bytes }
  }

  #atPlace(seq: number | undefined): Retained | undefined {
    return seq === undefined ? undefined : this.get(seq)
  }

  #readOne(seq: number): Retained | undefined {
    return this.unlessDamaged(() => {
      const columns = this.file.statements.at.get(seq)
      return columns && this.#toFrame(toFrameRow(columns))
    })
  }

  #rows(select: () => readonly FrameRow[]): readonly Retained[] {
    return this.unlessDamaged(() => select().map((row) => this.#toFrame(row))) ?? []
  }

  #toFrame(row: FrameRow): Retained {
    const load = (): DeliveryRecord => this.file.audiences.deliveryOf(row)
    return fromRow(row, () => this.unlessDamaged(load) ?? new DeliveryRecord())
  }

  #orRefuse(act: () => void): void {
    try {
      act()
    } catch (error) {
      throw this.#refusals.translate(error)
    }
  }
}
