/**
 * One workflow as it is shown: its hops from top to bottom, each with what sets it apart, and the diagram of all of it.
 *
 * It is worked out once, where the envelopes are read, and sent on without what they carry.
 *
 * @see SEAT-25; docs/ui.md "What the listener allows"
 */
import {
  listMember,
  memberOf,
  numberOf,
  objectOf,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'

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
  /** Whether there is more of it than is shown. */
  readonly more: boolean
  /** As `agentd envelope thread --mermaid` prints it. */
  readonly mermaid: string
}

/** Where the view of a workflow is asked for. */
export function threadPath(corr: string): string {
  return `/thread?corr=${encodeURIComponent(corr)}`
}

/** What was answered. */
export function readThreadView(body: JsonObject): ThreadView {
  return {
    corr: textMember(body, 'corr') ?? '',
    says: textMember(body, 'says') ?? '',
    hops: listMember(body, 'hops').map((hop) => readHop(objectOf(hop))),
    more: memberOf(body, 'more') === true,
    mermaid: textMember(body, 'mermaid') ?? '',
  }
}

function readHop(said: JsonObject): ShownHop {
  const text = (name: string): string => textMember(said, name) ?? ''
  return {
    event: text('event'),
    depth: numberOf(said, 'depth') ?? 0,
    at: numberOf(said, 'at') ?? 0,
    type: text('type'),
    intent: text('intent'),
    from: text('from'),
    to: text('to'),
    after: text('after'),
    notes: listMember(said, 'notes').map((note) => ({
      ours: textMember(objectOf(note), 'ours') ?? '',
      theirs: textMember(objectOf(note), 'theirs') ?? '',
    })),
  }
}
