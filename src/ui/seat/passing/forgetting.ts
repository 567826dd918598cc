/**
 * What can be forgotten from one item on: it, the envelopes of its thread, its kind, or all that is as old. What goes is told
 * by the daemon, to everybody who watches.
 *
 * @see W-8, SEAT-23; docs/http.md §5
 */
import { memberOf, numberOf, objectOf, textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { spokenKind } from '../../../protocol/frame/spoken-kind.ts'

/** One of them. */
export interface ForgetChoice {
  /** In our words. */
  readonly says: string
  /** The criteria, as the wire has them. */
  readonly query: Readonly<Record<string, string>>
}

/** How much a choice is, and up to where that was counted. */
export interface Forgettable {
  readonly choice: ForgetChoice
  readonly count: number
  /** An event id; '' where nothing was ever accepted. */
  readonly upTo: string
}

/** What a yes forgets: `forget 3 items for good (every envelope of its thread)`. */
export function forgetWords({ choice, count }: Forgettable): string {
  return `forget ${formatCount(count, 'item')} for good (${choice.says})`
}

/** Said of what is not there any more. */
export const NOTHING_LEFT = 'Nothing of it is retained any more.'

/** @param item - as `GET /v1/events/{event_id}` answers it; empty while it is not there */
export function forgetChoices(eventId: string, item: JsonObject): readonly ForgetChoice[] {
  const kind = textMember(objectOf(memberOf(item, 'frame')), 'kind')
  const corr = textMember(objectOf(memberOf(item, 'envelope')), 'corr')
  return [
    { says: 'this item', query: { event_id: eventId } },
    ...(corr === undefined ? [] : [{ says: 'every envelope of its thread', query: { corr } }]),
    ...(kind === undefined ? [] : [{ says: `every ${spokenKind(kind)}`, query: { kind } }]),
    { says: 'this item and all before it', query: { up_to: eventId } },
  ]
}

/** The path that counts a choice, with nothing forgotten. */
export function countPath({ query }: ForgetChoice): string {
  return `/v1/frames?${new URLSearchParams({ ...query, dry_run: 'true' }).toString()}`
}

/** @param answer - to {@link countPath} */
export function readForgettable(choice: ForgetChoice, answer: JsonObject): Forgettable {
  return {
    choice,
    count: numberOf(answer, 'would_forget') ?? 0,
    upTo: textMember(answer, 'up_to') ?? '',
  }
}

/** The path that forgets what was counted, and nothing that came behind it. */
export function forgetPath({ choice, upTo }: Forgettable): string {
  return `/v1/frames?${new URLSearchParams({ ...choice.query, ...(upTo !== '' && { up_to: upTo }) }).toString()}`
}
