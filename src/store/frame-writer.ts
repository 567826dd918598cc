/**
 * Writing frames and trimming them: what one transaction does.
 */
import { answeredBy, type Retained, type Retention } from '../broker/ring.ts'
import type { AudienceRows } from './audience-rows.ts'
import { bytesOf, checkOf, type CheckedColumns } from './row.ts'
import type { Statements } from './statements.ts'

/**
 * Frames trimmed at a time. The ring is cut a little below its bound and then left alone for as many frames
 * again, so that most turns of a full ring trim nothing; and never more than this, so that no turn stalls for
 * a backlog.
 */
const TRIM_FRAMES = 512

/** The share of a bound that a cut may go below it; it only matters for very small rings. */
const MAX_SLACK = 1 / 8

/** How much the ring holds. */
export interface Totals {
  readonly frames: number
  readonly bytes: number
}

/** Inserts a turn's frames from a place on, with what waits for whom. @returns what they come to */
export function writeFrames(
  statements: Statements,
  audiences: AudienceRows,
  batch: readonly Retained[],
  lastSeq: number,
): Totals {
  let seq = lastSeq
  let bytes = 0
  for (const frame of batch) {
    seq += 1
    const { id, writtenBytes } = audiences.rowOf(frame.delivery, seq)
    const row = toRow(frame, { seq, audience: id, bytes: bytesOf(frame) + writtenBytes })
    bytes += row.bytes
    insertRow(statements, row, frame.text)
    for (const address of frame.delivery.queuedTo) statements.queue.run(seq, address)
  }
  return { frames: batch.length, bytes }
}

function toRow(frame: Retained, at: Pick<CheckedColumns, 'seq' | 'audience' | 'bytes'>): CheckedColumns {
  return {
    seq: at.seq,
    frame_id: frame.key,
    digest: frame.digest,
    kind: frame.kind,
    sender_handle: frame.senderHandle,
    tool: frame.tool ?? null,
    sender_address: frame.senderAddress ?? null,
    scope: frame.scopeText,
    accepted_at_ms: frame.acceptedAtMs,
    expires_at_ms: frame.expiresAtMs,
    recipient_count: frame.delivery.recipientCount,
    queued_count: frame.delivery.queuedCount,
    audience: at.audience,
    bytes: at.bytes,
    envelope: frame.envelope === undefined ? null : JSON.stringify(frame.envelope),
    corr: frame.envelope?.corr ?? null,
    refutes: frame.envelope?.refutes ?? null,
    answers: answeredBy(frame.envelope) ?? null,
  }
}

function insertRow({ insertFrame }: Statements, row: CheckedColumns, text: string): void {
  insertFrame.run(
    row.seq,
    row.frame_id,
    row.digest,
    row.kind,
    row.sender_handle,
    row.tool,
    row.sender_address,
    row.scope,
    row.accepted_at_ms,
    row.expires_at_ms,
    row.recipient_count,
    row.queued_count,
    row.audience,
    row.bytes,
    text,
    row.envelope,
    row.corr,
    row.refutes,
    row.answers,
    checkOf(row),
  )
}

const NOTHING_TRIMMED: Totals = { frames: 0, bytes: 0 }

/** What trimming has to go by. */
export interface TrimRequest {
  readonly retention: Retention
  /** What the ring holds, the new frames included. */
  readonly held: Totals
  readonly nowMs: number
  /** The newest frame that may be trimmed: never one of the turn that is being written. */
  readonly upToSeq: number
}

/** Deletes the oldest rows that the bounds no longer cover. @returns what went */
export function trimFrames(
  statements: Statements,
  { retention, held, nowMs, upToSeq }: TrimRequest,
): Totals {
  const { maxFrames, maxBytes, maxAgeMs } = retention
  const oldestAllowedMs = nowMs - maxAgeMs
  const oldest = statements.oldest.get(1)
  const isAged = oldest !== undefined && oldest.accepted_at_ms < oldestAllowedMs
  if (held.frames <= maxFrames && held.bytes <= maxBytes && !isAged) return NOTHING_TRIMMED
  const slackFrames = held.frames > maxFrames ? Math.floor(Math.min(TRIM_FRAMES, maxFrames * MAX_SLACK)) : 0
  const excessFrames = held.frames - maxFrames + slackFrames
  const excessBytes = held.bytes - maxBytes
  const trimmed = { frames: 0, bytes: 0 }
  let lastTrimmed = 0
  // Read as they are needed: a ring that is full by its bytes trims a row or two a turn.
  for (const row of statements.oldest.iterate(TRIM_FRAMES + Math.max(0, excessFrames))) {
    const isOver =
      trimmed.frames < excessFrames || trimmed.bytes < excessBytes || row.accepted_at_ms < oldestAllowedMs
    if (!isOver || row.seq > upToSeq) break
    trimmed.frames += 1
    trimmed.bytes += row.bytes
    lastTrimmed = row.seq
  }
  if (trimmed.frames > 0) deleteUpTo(statements, lastTrimmed)
  return trimmed
}

function deleteUpTo(statements: Statements, seq: number): void {
  statements.trimFrames.run(seq)
  statements.trimOutcomes.run(seq)
  statements.countLosses.run(seq)
  statements.trimMailboxes.run(seq)
  statements.trimAudiences.run(seq)
}
