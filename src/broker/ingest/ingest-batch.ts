/**
 * What is let in of a batch that another node sent: judged before, not yet applied.
 *
 * @see FED-17, FED-27…FED-29, FED-33
 */
import type { DecodedEnvelope, Priority } from '../../aee/envelope/envelope.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Submission } from '../../protocol/frame/submission.ts'
import type { LinkCursor, MissingRange, ReportItem } from '../origins/origins.ts'

/** A frame that was accepted on another node first. */
export interface ArrivingFrame {
  readonly kind: 'frame'
  /** Its event id there. */
  readonly eventId: string
  readonly submission: Submission
  /** The session that sent it; absent for the principal itself. */
  readonly senderAddress?: string | undefined
  readonly tool?: string | undefined
  /** By the wall clock here (FED-32). */
  readonly expiresAtMs: number
}

/** An envelope that was accepted on another node first. */
export interface ArrivingEnvelope {
  readonly kind: 'envelope'
  readonly eventId: string
  readonly decoded: DecodedEnvelope
  readonly senderAddress?: string | undefined
  readonly tool?: string | undefined
  readonly expiresAtMs: number
  /** What it is treated as, as its origin said. */
  readonly priority: Priority
}

/** What the sending node says of frames: those of ours are meant where `node` is this one. */
export interface ArrivingReport {
  readonly kind: 'report'
  readonly node: string
  /** Under an accord: of which side the machine is that says it, `~globex`. */
  readonly org?: string | undefined
  readonly items: readonly ReportItem[]
}

/** What the person had forgotten on the sending node: ids of frames, and `aee:` and the id of an envelope. */
export interface ArrivingForget {
  readonly kind: 'forget'
  readonly ids: readonly string[]
}

/** What was refused before it came here: its mark advances, and its origin is told (FED-29). */
export interface RefusedArrival {
  readonly kind: 'refused'
  readonly eventId: string
  /** A frame's, or `aee:` and an envelope's. */
  readonly id: string
  readonly code: ErrorCode
}

export type IngestItem = ArrivingFrame | ArrivingEnvelope | ArrivingReport | ArrivingForget | RefusedArrival

/** One batch of one lane. */
export interface IngestBatch {
  readonly realm: string
  readonly lane: string
  /** Who sent it: a node of one's own realm by its label, any other as `~bob/box`. */
  readonly node: string
  readonly epoch: string
  /** Where the stream goes on behind it; absent, the cursor stays where it is. */
  readonly cursor?: LinkCursor | undefined
  /** What the cursor is kept under; absent: the realm. */
  readonly cursorKey?: string | undefined
  /** Where reports about its records wait; absent: the realm. */
  readonly reportsKey?: string | undefined
  /** What is missing between the lane's mark and this batch. */
  readonly hole?: MissingRange | undefined
  /** The last event that the batch stands for: everything up to it counts as known, whether or not it is in here. */
  readonly upTo?: string | undefined
  readonly items: readonly IngestItem[]
}

/** What became of one item; `eventId` is empty where it had none. */
export interface Ingested {
  readonly eventId: string
  readonly outcome: 'applied' | 'repeat' | 'refused'
  readonly code?: ErrorCode
}

/** Batches that wait for their turn: each link has one under way, and a bridge that was restarted another. */
export const MAX_WAITING_BATCHES = 64

/**
 * Items that are applied in one turn of the loop, and committed with their marks: a larger batch is several of them, and what
 * is submitted here goes between, so that catching up holds up nobody. What is said back is a message for each turn, which
 * is why it is no smaller (FT-13).
 */
export const MAX_TURN_ITEMS = 128

/** Items of one batch, four times what a batch may carry (FED-18). */
export const MAX_BATCH_ITEMS = 1_024
