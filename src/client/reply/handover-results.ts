/**
 * What taking over gives: a handover, whole, and who has it.
 *
 * @see HO-03, HO-04
 */
import type { SubmissionResult } from './results.ts'

/** A handover, whole. */
export interface FoundHandover {
  /** Its frame. */
  readonly frameId: string
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** The address of the session that wrote it, or the handle of whoever did without one. */
  readonly from: string
  /** The node that session is on; undefined for this one. */
  readonly node?: string | undefined
  /** On another node: the repository it works in, such as `git:example.org/alice/api`, where the node tells; only for `admits`. */
  readonly repositoryId?: string | undefined
  /** The id of the session that left it. */
  readonly previousSessionId: string
  /** Whom it is for, where it says so. */
  readonly nextSessionId: string | undefined
  /** As it was written. */
  readonly text: string
  /** Files and places to look at. */
  readonly pointerRefs: readonly string[]
  /** When it was accepted; RFC 3339. */
  readonly at: string
}

/** Who has it. */
export interface HandoverHolder {
  /** The address of a session, or the handle of whoever has none. */
  readonly from: string
  /** The id of the session, or `shell` for whoever has none. */
  readonly sessionId: string
  /** Since when, RFC 3339. */
  readonly since: string
  /** The frame that claims it. */
  readonly frameId: string
}

/** What came of taking over. */
export type TakeOver =
  | {
      /** It is this session's now, or was already, or was only looked at. */
      readonly state: 'taken'
      /** The handover. */
      readonly handover: FoundHandover
      /** What became of the claim; undefined where none was made. */
      readonly claim: SubmissionResult | undefined
      /** Who had it before, of one that was only looked at or was this session's already; undefined for nobody. */
      readonly holder: HandoverHolder | undefined
    }
  | {
      /** Somebody else claimed it first. */
      readonly state: 'held'
      /** The handover. */
      readonly handover: FoundHandover
      /** Who has it. */
      readonly holder: HandoverHolder
      /** The newest that nobody has, where no single one was asked for. */
      readonly free?: FoundHandover | undefined
    }
  | {
      /** There is none. */
      readonly state: 'none'
      /** How many were passed over, because they are for somebody else. */
      readonly others: number
    }
