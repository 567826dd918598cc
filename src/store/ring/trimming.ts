/**
 * Letting go of the oldest frames that the bounds no longer cover: part of every transaction that adds some.
 */
import type { RetentionBounds } from '../../broker/ring/ring.ts'
import type { Statements } from '../rows/statements.ts'
import type { Totals } from '../file/totals.ts'

/**
 * Frames trimmed at a time. The ring is cut a little below its bound and then left alone for as many frames
 * again, so that most turns of a full ring trim nothing; and never more than this, so that no turn stalls for
 * a backlog.
 */
const TRIM_FRAMES = 512

/** The share of a bound that a cut may go below it; it only matters for very small rings. */
const MAX_SLACK = 1 / 8

/**
 * What the file may hold beyond the bound of the frames: receipts, lanes and lists of recipients are rows as well, and
 * no frame is charged with what is concluded about it later.
 */
const MAX_FILE_SHARE = 1.1
const MAX_FILE_SLACK_BYTES = 1024 * 1024

/** Turns between two looks at the file's length: a sixty-fourth of what the look costs, and no receipts to speak of. */
export const LOOK_EVERY_TURNS = 64

const NOTHING: Totals = { frames: 0, bytes: 0 }

/** What trimming has to go by. */
export interface TrimRequest {
  readonly statements: Statements
  readonly retention: RetentionBounds
  /** What the ring holds, the new frames included. */
  readonly held: Totals
  readonly nowMs: number
  /** The newest frame that may be trimmed: never one of the turn that is being written. */
  readonly upToSeq: number
}

export class Trimming {
  /** When the oldest frame was accepted; undefined until it is read, and after it went. */
  #oldestMs: number | undefined
  #turns = 0

  /** Deletes what the bounds do not cover. @returns what went */
  trim(request: TrimRequest): Totals {
    const { statements, retention, held, nowMs } = request
    const bytes = Math.max(held.bytes - retention.maxBytes, this.#excessOfFile(request))
    const excess = { frames: held.frames - retention.maxFrames, bytes }
    const oldestAllowedMs = nowMs - (retention.clockAheadMs ?? 0) - retention.maxAgeMs
    const isAged = this.#readOldestMs(request) < oldestAllowedMs
    if (excess.frames <= 0 && excess.bytes <= 0 && !isAged) return NOTHING
    const { lastSeq, ...gone } = chooseOldest(request, excess, oldestAllowedMs)
    if (gone.frames === 0) return NOTHING
    this.forget()
    deleteUpTo(statements, lastSeq)
    return gone
  }

  /** Somebody else may have taken the oldest frame away, or a transaction that took it was undone. */
  forget(): void {
    this.#oldestMs = undefined
  }

  /** Octets the file holds too many; the frames whose receipts they are go with them (HD-03). */
  #excessOfFile({ statements, retention }: TrimRequest): number {
    this.#turns += 1
    if (this.#turns % LOOK_EVERY_TURNS !== 0) return 0
    const allowed = retention.maxBytes * MAX_FILE_SHARE + MAX_FILE_SLACK_BYTES
    return (statements.usedBytes.get() ?? 0) - allowed
  }

  /** Read once for as long as it is the oldest: most turns have no other reason to look at a row. */
  #readOldestMs({ statements, upToSeq }: TrimRequest): number {
    if (this.#oldestMs !== undefined) return this.#oldestMs
    const oldest = statements.oldest.get(0, 1)
    // A frame of this very turn may yet be rolled back.
    if (oldest === undefined || oldest.seq > upToSeq) return Infinity
    this.#oldestMs = oldest.accepted_at_ms
    return this.#oldestMs
  }
}

/** The frames from the front that have to go, and the place of the last of them. */
function chooseOldest(
  { statements, retention, upToSeq }: TrimRequest,
  excess: Totals,
  oldestAllowedMs: number,
): Totals & { readonly lastSeq: number } {
  let { frames, bytes, lastSeq } = countOldest(statements, upToSeq, framesToCut(excess.frames, retention))
  // Read as they are needed: a ring that is full by its bytes trims a row or two a turn.
  for (const row of statements.oldest.iterate(lastSeq, TRIM_FRAMES)) {
    const isOver = bytes < excess.bytes || row.accepted_at_ms < oldestAllowedMs
    if (!isOver || row.seq > upToSeq) break
    frames += 1
    bytes += row.bytes
    lastSeq = row.seq
  }
  return { frames, bytes, lastSeq }
}

function framesToCut(excess: number, { maxFrames }: RetentionBounds): number {
  return excess <= 0 ? 0 : excess + Math.floor(Math.min(TRIM_FRAMES, maxFrames * MAX_SLACK))
}

/** SQLite adds up what goes by its number alone: none of those rows has to be looked at here. */
function countOldest(
  { countOldest: count }: Statements,
  upToSeq: number,
  limit: number,
): Totals & { readonly lastSeq: number } {
  const counted = limit === 0 ? undefined : count.get(upToSeq, limit)
  return { frames: counted?.frames ?? 0, bytes: counted?.bytes ?? 0, lastSeq: counted?.last_seq ?? 0 }
}

function deleteUpTo(statements: Statements, seq: number): void {
  statements.trimFrames.run(seq)
  statements.trimOutcomes.run(seq)
  statements.trimRemoteReceipts.run(seq)
  statements.trimAudiences.run(seq)
}
