/**
 * Where a reader begins, as it asks for it: behind a cursor, so many items back, or now.
 *
 * @see docs/http.md §6, ACQ-22
 */
import { readEventId } from '../../protocol/address/event-id.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'
import type { Ring } from '../ring/ring.ts'

/** What is asked for; with nothing of it, the newest frame. */
export interface BeginningWish {
  /** The last event id the reader has, as it was given. */
  readonly cursor?: string | undefined
  /** How many of the newest matching frames to begin with. */
  readonly replay?: number | undefined
}

/** Where that is. */
export interface Beginning {
  /** The place the reader already has. */
  readonly afterSeq: number
  /** What it cannot get any more. */
  readonly gap?: Gap | undefined
  /** It begins with what comes, and is told of nothing that was before. */
  readonly isNow?: boolean
  /** Begin with so many of the newest it is shown, instead of after the place it has. */
  readonly replay?: number | undefined
}

/** A cursor never is an error: one that says nothing begins at the newest frame, after a gap (ACQ-22). */
export function findBeginning(ring: Ring, { cursor: given, replay }: BeginningWish): Beginning {
  if (given === undefined || given === '')
    return { afterSeq: ring.lastSeq, replay, isNow: replay === undefined }
  // A cursor that was given, even one that says nothing, wins over a number of frames.
  const cursor = readEventId(given)
  if (cursor !== undefined && cursor.epoch === ring.epoch && cursor.seq <= ring.lastSeq) {
    return { afterSeq: cursor.seq }
  }
  const reason =
    cursor === undefined || cursor.epoch === ring.epoch ? 'unknown-id' : ring.fateOf(cursor.epoch)
  const gap: Gap = { reason, requested: given, oldest: ring.oldestEventId, missed: null }
  return { afterSeq: ring.lastSeq, gap, isNow: true }
}
