/**
 * Writing frames and trimming them: what one transaction does.
 */
import type { RetainedFrame, Retention } from '../broker/ring.ts'
import type { AudienceRows } from './audience-rows.ts'
import { bytesOf } from './row.ts'
import type { Statements } from './statements.ts'

/** Frames trimmed per transaction at the most, besides as many as came in: no turn stalls for a backlog. */
const TRIM_FRAMES = 512

/** How much the ring holds. */
export interface Totals {
  readonly frames: number
  readonly bytes: number
}

/** Inserts a turn's frames from a place on, with what waits for whom. @returns what they come to */
export function writeFrames(
  statements: Statements,
  audiences: AudienceRows,
  batch: readonly RetainedFrame[],
  lastSeq: number,
): Totals {
  let seq = lastSeq
  let bytes = 0
  for (const frame of batch) {
    seq += 1
    bytes += bytesOf(frame)
    statements.insertFrame.run(
      seq,
      frame.frameId,
      frame.digest,
      frame.kind,
      frame.senderHandle,
      frame.tool ?? null,
      frame.senderAddress ?? null,
      frame.scopeText,
      frame.acceptedAtMs,
      frame.expiresAtMs,
      frame.delivery.recipientCount,
      frame.delivery.queuedCount,
      audiences.idOf(frame.delivery),
      bytesOf(frame),
      frame.text,
    )
    for (const address of frame.delivery.queuedTo) statements.queue.run(address, seq)
  }
  return { frames: batch.length, bytes }
}

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
export function trimFrames(statements: Statements, { retention, held, nowMs, upToSeq }: TrimRequest): Totals {
  const excessFrames = held.frames - retention.maxFrames
  const excessBytes = held.bytes - retention.maxBytes
  const oldestAllowedMs = nowMs - retention.maxAgeMs
  const [oldest] = statements.oldest.all(1)
  if (excessFrames <= 0 && excessBytes <= 0 && (oldest?.accepted_at_ms ?? nowMs) >= oldestAllowedMs) {
    return { frames: 0, bytes: 0 }
  }
  let frames = 0
  let bytes = 0
  let lastTrimmed = 0
  for (const row of statements.oldest.all(TRIM_FRAMES + Math.max(0, excessFrames))) {
    const isOver = frames < excessFrames || bytes < excessBytes || row.accepted_at_ms < oldestAllowedMs
    if (!isOver || row.seq > upToSeq || frames >= TRIM_FRAMES + excessFrames) break
    frames += 1
    bytes += row.bytes
    lastTrimmed = row.seq
  }
  if (frames > 0) deleteUpTo(statements, lastTrimmed)
  return { frames, bytes }
}

function deleteUpTo(statements: Statements, seq: number): void {
  statements.trimFrames.run(seq)
  statements.trimOutcomes.run(seq)
  statements.trimMailboxes.run(seq)
}
