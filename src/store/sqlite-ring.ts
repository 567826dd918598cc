/**
 * The replay ring on disk: one writer, one transaction per loop turn, the newest frames also in memory.
 *
 * What a turn brought is committed before anything of it is emitted or answered. A disk that refuses refuses
 * the whole turn; a damaged file is set aside and a new epoch begun, and everybody who resumes is told.
 *
 * @see design/reliability.md 1.5, R-14…R-26
 */
import type { Forgetting, RetainedFrame, Retention, Ring, RingHealth } from '../broker/ring.ts'
import { isForgotten } from '../broker/ring.ts'
import { AgentdError } from '../core/errors.ts'
import type { Logger } from '../core/log.ts'
import { formatEventId } from '../protocol/event-id.ts'
import { AudienceRows } from './audience-rows.ts'
import { failureOf, type Driver } from './driver.ts'
import { ANY_EPOCH, openStore, replaceStore, type OpenStore, type StorePlace } from './open.ts'
import { trimFrames, writeFrames } from './frame-writer.ts'
import { DamagedRow, StoredFrame, bytesOf, type FrameRow } from './row.ts'
import { prepareStatements, type Statements } from './statements.ts'
import { Tail } from './tail.ts'

/** What a ring is built from. */
export interface SqliteRingParts {
  readonly driver: Driver
  readonly place: StorePlace
  readonly retention: Retention
  readonly log: Logger
}

/** Frames looked at per step of forgetting. */
const FORGET_FRAMES = 512

/** How long a refused sender should wait, in milliseconds. */
const RETRY_MS = 1_000

export class SqliteRing implements Ring {
  onReset: Ring['onReset']
  readonly ack: 'process' | 'disk'
  readonly #parts: SqliteRingParts
  readonly #tail = new Tail()
  #store: OpenStore
  #statements: Statements
  #audiences: AudienceRows
  #lastSeq: number
  #firstSeq: number
  #count: number
  #bytes: number
  /** Why the last turn was refused; cleared by the next that was not. */
  #refusal: string | undefined

  /** @throws Error with SQLite's code when another process holds the file, or the disk refuses */
  constructor(parts: SqliteRingParts) {
    this.#parts = parts
    this.ack = parts.place.ack
    this.#store = openStore(parts.driver, parts.place)
    this.#statements = prepareStatements(this.#store.database)
    this.#audiences = new AudienceRows(this.#statements)
    this.#lastSeq = this.#store.lastSeq
    this.#count = this.#store.totals.frames
    this.#bytes = this.#store.totals.bytes
    this.#firstSeq = this.#statements.firstSeq.get() ?? this.#lastSeq + 1
  }

  get epoch(): string {
    return this.#store.epoch
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

  /** For the ledger, which writes beside the ring. */
  get statements(): Statements {
    return this.#statements
  }

  eventId(seq: number): string {
    return formatEventId(this.epoch, seq)
  }

  append(batch: readonly RetainedFrame[]): void {
    try {
      this.#commitBatch(batch)
    } catch (error) {
      if (this.#recover(error)) return this.#commitOrRefuse(batch)
      throw this.#refuse(error)
    }
    this.#refusal = undefined
  }

  read(afterSeq: number, limit: number): readonly RetainedFrame[] {
    if (this.#tail.covers(afterSeq, this.#lastSeq)) return this.#tail.after(afterSeq, limit)
    return this.#rows(() => this.#statements.after.all(afterSeq, limit))
  }

  readBack(beforeSeq: number, limit: number): readonly RetainedFrame[] {
    return this.#rows(() => this.#statements.before.all(beforeSeq, limit))
  }

  get(seq: number): RetainedFrame | undefined {
    return this.#tail.get(seq) ?? this.#rows(() => this.#statements.at.all(seq))[0]
  }

  findByFrameId(frameId: string): RetainedFrame | undefined {
    const wanted = frameId.toLowerCase()
    return (
      this.#tail.find((frame) => frame.frameId === wanted) ??
      this.#rows(() => this.#statements.byFrameId.all(wanted))[0]
    )
  }

  forget(which: Forgetting): number {
    let forgotten = 0
    for (let after = 0; ;) {
      const page = this.#rows(() => this.#statements.after.all(after, FORGET_FRAMES))
      const last = page.at(-1)
      if (last === undefined) break
      forgotten += this.#forgetFrames(page.filter((frame) => isForgotten(frame, which)))
      after = last.seq
    }
    if (forgotten === 0) return 0
    this.#tail.drop((frame) => isForgotten(frame, which))
    this.#firstSeq = this.#statements.firstSeq.get() ?? this.#lastSeq + 1
    // The log still holds the pages as they were: written back and cut, so that little is left to find.
    this.#store.database.pragma('wal_checkpoint(TRUNCATE)')
    return forgotten
  }

  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt' {
    return this.#store.fates.get(epoch) ?? this.#store.fates.get(ANY_EPOCH) ?? 'epoch'
  }

  health(): RingHealth {
    const { database, quarantined } = this.#store
    const synchronous: unknown = database.pragma('synchronous', { simple: true })
    return {
      enabled: true,
      sqliteVersion: String(database.prepare('SELECT sqlite_version()').pluck().get()),
      synchronous: synchronous === 2 ? 'full' : synchronous === 1 ? 'normal' : String(synchronous),
      details: [
        ...(this.#refusal === undefined ? [] : [`The store refuses frames: ${this.#refusal}.`]),
        ...(quarantined === undefined ? [] : [`A damaged store was set aside as ${quarantined}.`]),
      ],
    }
  }

  /** Runs some writes as one: all of them are committed when this returns, or none. */
  transact<T>(write: () => T): T {
    const { begin, commit, rollback } = this.#statements
    begin.run()
    try {
      const result = write()
      commit.run()
      return result
    } catch (error) {
      this.#audiences.forget()
      if (this.#store.database.inTransaction) rollback.run()
      throw error
    }
  }

  /** Ends cleanly: the log is written back, and the next daemon can trust the totals. */
  close(): void {
    if (!this.#store.database.open) return
    try {
      this.#statements.end.run(this.#lastSeq, this.#count, this.#bytes)
      this.#store.database.pragma('wal_checkpoint(TRUNCATE)')
    } catch (error) {
      if (failureOf(error) === undefined) throw error
      this.#parts.log.error('store-close', { message: messageOf(error) })
    }
    this.#store.database.close()
  }

  /** One transaction: the frames with who they reached, what waits for whom, and what falls out of retention. */
  #commitBatch(batch: readonly RetainedFrame[]): void {
    const [written, trimmed] = this.transact(() => {
      const added = writeFrames(this.#statements, this.#audiences, batch, this.#lastSeq)
      const gone = trimFrames(this.#statements, {
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
    if (trimmed.frames === 0) return
    this.#firstSeq = this.#statements.firstSeq.get() ?? this.#lastSeq + 1
    this.#tail.dropBefore(this.#firstSeq)
  }

  #forgetFrames(frames: readonly RetainedFrame[]): number {
    this.transact(() => {
      for (const { seq } of frames) {
        this.#statements.forgetFrame.run(seq)
        this.#statements.forgetOutcomes.run(seq)
        this.#statements.forgetQueued.run(seq)
      }
      // The number of a forgotten newest frame must not be given out again.
      this.#statements.setLastSeq.run(this.#lastSeq)
    })
    this.#count -= frames.length
    this.#bytes -= frames.reduce((sum, frame) => sum + bytesOf(frame), 0)
    return frames.length
  }

  #rows(select: () => readonly FrameRow[]): readonly RetainedFrame[] {
    try {
      return select().map((row) => new StoredFrame(row, () => this.#audiences.deliveryOf(row)))
    } catch (error) {
      if (this.#recover(error)) return []
      throw this.#refuse(error)
    }
  }

  /** A damaged file is set aside and a new one begun. @returns whether that was it */
  #recover(error: unknown): boolean {
    if (!(error instanceof DamagedRow) && failureOf(error) !== 'damaged') return false
    const previousEpoch = this.epoch
    this.#parts.log.error('store-damaged', { message: messageOf(error) })
    this.#store.database.close()
    this.#store = replaceStore(this.#parts.driver, this.#parts.place)
    this.#statements = prepareStatements(this.#store.database)
    this.#audiences = new AudienceRows(this.#statements)
    this.#tail.clear()
    this.#lastSeq = 0
    this.#firstSeq = 1
    this.#count = 0
    this.#bytes = 0
    this.onReset?.('corrupt', previousEpoch)
    return true
  }

  #commitOrRefuse(batch: readonly RetainedFrame[]): void {
    try {
      this.#commitBatch(batch)
    } catch (error) {
      throw this.#refuse(error)
    }
  }

  /** A disk that refuses is the sender's to know; anything else is a defect and goes to the top. */
  #refuse(error: unknown): unknown {
    if (failureOf(error) !== 'refused') return error
    this.#refusal = messageOf(error)
    this.#parts.log.error('store-refused', { message: this.#refusal })
    return new AgentdError(
      'store-full',
      'The store cannot take frames now; nothing was delivered. Send it again later.',
      {
        retryAfterMs: RETRY_MS,
        cause: error,
      },
    )
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
