/**
 * What taking over gives: a handover, whole, and who has it.
 *
 * @see HO-03, HO-04
 */
import type { SubmissionResult } from './results.ts'

/** A handover, whole. */
export interface FoundHandover {
  readonly frameId: string
  readonly eventId: string
  /** The address of the session that wrote it, or the handle of whoever did without one. */
  readonly from: string
  readonly previousSessionId: string
  /** Whom it is for, where it says so. */
  readonly nextSessionId: string | undefined
  /** As it was written. */
  readonly text: string
  readonly pointerRefs: readonly string[]
  /** When it was accepted; RFC 3339. */
  readonly at: string
}

/** Who has it. */
export interface HandoverHolder {
  /** The address of a session, or the handle of whoever has none. */
  readonly from: string
  readonly sessionId: string
  /** RFC 3339. */
  readonly since: string
  /** Of the claim. */
  readonly frameId: string
}

/**
 * What came of it: `taken`, with the claim, unless it was this session's already or was only looked at; `held` by somebody
 * else, who claimed it first; or `none` there is. Of those that were passed over there are so many.
 */
export type TakeOver =
  | {
      readonly state: 'taken'
      readonly handover: FoundHandover
      readonly claim: SubmissionResult | undefined
      readonly holder: HandoverHolder | undefined
    }
  | {
      readonly state: 'held'
      readonly handover: FoundHandover
      readonly holder: HandoverHolder
      /** The newest that nobody has, where no single one was asked for. */
      readonly free?: FoundHandover | undefined
    }
  | { readonly state: 'none'; readonly others: number }
