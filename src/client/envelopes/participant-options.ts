/**
 * What the reading calls of a participant take.
 */
import type { CallOptions } from '../http/call-options.ts'
import type { FrameOf } from '../../protocol/frame/frame.ts'
import type { Kind } from '../../protocol/frame/kinds.ts'

/** What an answer is to: the query itself, or what is known of it. */
export type QueryReference =
  | FrameOf<'agent_query'>
  | {
      /** What the question is named by. */
      readonly queryId: string
      /** The scope answers go to; absent, the daemon looks it up. */
      readonly scope?: string | undefined
    }

/** Which retained frames; every member that is given has to match. */
export interface HistoryOptions {
  /** Whose history; the caller's own handle when absent. */
  readonly handle?: string | undefined
  /** A filter expression such as `kind:agent_query`; absent, every frame. */
  readonly filter?: string | undefined
  /** Cursor: the `next` of the page before. */
  readonly after?: string | undefined
  /** The address of who sent it, or a handle. */
  readonly sender?: string | undefined
  /** Accepted at this RFC 3339 time or later. */
  readonly since?: string | undefined
  /** Accepted before this RFC 3339 time. */
  readonly before?: string | undefined
  /** Words that stand in any text of it, whatever the case. */
  readonly text?: string | undefined
  /** How many items at most; default 100, at most 1 000. */
  readonly limit?: number | undefined
  /** Gives up with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Which workflows are listed. */
export interface ThreadsOptions {
  /** Cursor: the `next` of the page before. */
  readonly before?: string | undefined
  /** How many workflows at most; default 50, at most 500. */
  readonly limit?: number | undefined
  /** Only those with a task that has not come to its end. */
  readonly open?: true | undefined
  /** Gives up with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Which retained frames to forget; all that is given has to match, and something has to be. */
export interface ForgetOptions extends CallOptions {
  /** One item, a frame or an envelope, by its place. */
  readonly eventId?: string | undefined
  /** The envelopes of one workflow. */
  readonly corr?: string | undefined
  /** One frame, by its id. */
  readonly frameId?: string | undefined
  /** A sender's handle. */
  readonly sender?: string | undefined
  /** The frames of one kind. */
  readonly kind?: Kind | undefined
  /** Accepted before this RFC 3339 time. */
  readonly before?: string | undefined
  /** Up to this event id, and nothing that came behind it. */
  readonly upTo?: string | undefined
  /** On the person's other machines too; what a hub keeps of it ages out (FED-33). */
  readonly everywhere?: boolean | undefined
}

/** What would be forgotten. */
export interface Forgettable {
  /** How many items. */
  readonly count: number
  /** The newest place that was looked at: the same with it as `upTo` forgets these and no more; null where nothing ever came. */
  readonly upTo: string | null
  /**
   * Of them, how many the person's other machines have or may get, and which machines these are; undefined without a link to
   * one.
   */
  readonly elsewhere:
    | {
        /** How many items. */
        readonly items: number
        /** The machines, by their names. */
        readonly nodes: readonly string[]
      }
    | undefined
}

/** Whether receipts are waited for. */
export interface ReceiptOptions {
  /** Answer only when one recipient has seen the frame, or every one. */
  readonly wait?: 'seen' | 'all' | undefined
  /** How long to wait for that, in milliseconds; default 30 s, at most ten minutes. */
  readonly timeoutMs?: number | undefined
  /** Gives up with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
