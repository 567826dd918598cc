/**
 * What the reading calls of a participant take.
 */
import type { FrameOf } from '../protocol/frame.ts'

/** What an answer is to: the query itself, or what is known of it. */
export type QueryReference =
  | FrameOf<'agent_query'>
  | { readonly queryId: string; readonly scope?: string | undefined }

export interface HistoryOptions {
  readonly handle?: string | undefined
  readonly filter?: string | undefined
  /** Cursor: the `next` of the page before. */
  readonly after?: string | undefined
  /** Default 100, at most 1 000. */
  readonly limit?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ReceiptOptions {
  /** Answer only when one recipient has seen the frame, or every one. */
  readonly wait?: 'seen' | 'all' | undefined
  /** How long to wait for that, in milliseconds; default 30 s, at most ten minutes. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}
