/**
 * One workflow as it is shown: its hops from top to bottom, each with what sets it apart, and the diagram of all of it.
 *
 * It is worked out once, where the envelopes are read, and sent on without what they carry.
 *
 * @see SEAT-25; docs/ui.md "What the listener allows"
 */
import type { JsonObject } from '../../../core/text/json-object.ts'
import type { Sequence } from './sequence.ts'

/** One envelope in its place. Names, the intent and what is `theirs` of a note are others' words, not yet safe to show. */
export interface ShownHop {
  readonly event: string
  /** 0 for what answers nothing that is there. */
  readonly depth: number
  /** When it was accepted, wall time in milliseconds. */
  readonly at: number
  readonly type: string
  readonly intent: string
  readonly from: string
  readonly to: string
  /** How long after what it answers: `412ms`; '' for what answers nothing. */
  readonly after: string
  /** Open, failed, late, refuted: words of ours, and behind them somebody else's. */
  readonly notes: readonly { readonly ours: string; readonly theirs: string }[]
}

/** The whole of it. */
export interface ThreadView {
  readonly corr: string
  /** `6 envelopes, 1 task open, 3.4s from first to last` */
  readonly says: string
  readonly hops: readonly ShownHop[]
  /** The same hops by who is in it. */
  readonly sequence: Sequence
  /** Whether there is more of it than is shown. */
  readonly more: boolean
  /** As `agentd envelope thread --mermaid` prints it. */
  readonly mermaid: string
}

/** Where the view of a workflow is asked for. */
export function threadPath(corr: string): string {
  // Half a surrogate pair is no reason to throw: it names nothing.
  return `/thread?${new URLSearchParams({ corr }).toString()}`
}

/**
 * Whether an answer is a view. It is the word of the process that serves the page, which is of the same package, and so is
 * looked at no closer.
 */
export function isThreadView(body: JsonObject): body is JsonObject & ThreadView {
  return Array.isArray(body['hops'])
}
