/**
 * What the reading calls of a participant take.
 */
import type { CallOptions } from '../http/call-options.ts'
import type { FrameOf } from '../../protocol/frame/frame.ts'
import type { Kind } from '../../protocol/frame/kinds.ts'

/** What an answer is to: the query itself, or what is known of it. */
export type QueryReference =
  | FrameOf<'agent_query'>
  | { readonly queryId: string; readonly scope?: string | undefined }

export interface HistoryOptions {
  readonly handle?: string | undefined
  readonly filter?: string | undefined
  /** Cursor: the `next` of the page before. */
  readonly after?: string | undefined
  /** The address of who sent it, or a handle. */
  readonly sender?: string | undefined
  /** Accepted at this RFC 3339 time or later, and before that one. */
  readonly since?: string | undefined
  readonly before?: string | undefined
  /** Words that stand in any text of it, whatever the case. */
  readonly text?: string | undefined
  /** Default 100, at most 1 000. */
  readonly limit?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Which workflows are listed. */
export interface ThreadsOptions {
  /** Cursor: the `next` of the page before. */
  readonly before?: string | undefined
  /** Default 50, at most 500. */
  readonly limit?: number | undefined
  /** Only those with a task that has not come to its end. */
  readonly open?: true | undefined
  readonly signal?: AbortSignal | undefined
}

/** Which retained frames to forget; all that is given has to match, and something has to be. */
export interface ForgetOptions extends CallOptions {
  /** One item, a frame or an envelope, by its place. */
  readonly eventId?: string | undefined
  /** The envelopes of one workflow. */
  readonly corr?: string | undefined
  readonly frameId?: string | undefined
  /** A sender's handle. */
  readonly sender?: string | undefined
  readonly kind?: Kind | undefined
  /** Accepted before this RFC 3339 time. */
  readonly before?: string | undefined
  /** Up to this event id, and nothing that came behind it. */
  readonly upTo?: string | undefined
}

/** What would be forgotten. */
export interface Forgettable {
  readonly count: number
  /** The newest place that was looked at: the same with it as `upTo` forgets these and no more; null where nothing ever came. */
  readonly upTo: string | null
}

export interface ReceiptOptions {
  /** Answer only when one recipient has seen the frame, or every one. */
  readonly wait?: 'seen' | 'all' | undefined
  /** How long to wait for that, in milliseconds; default 30 s, at most ten minutes. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}
