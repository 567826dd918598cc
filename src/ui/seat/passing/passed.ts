/**
 * One item that passed, as a row shows it: when, from whom, to whom, of what kind, and what it says in one line.
 *
 * The words are the sender's, not yet safe to show: `visible-text.ts` comes after. The whole item is one fetch away.
 *
 * @see W-1, SEAT-35
 */
import { clip } from '../../../core/text/clip.ts'
import {
  isJsonObject,
  memberOf,
  numberOf,
  objectOf,
  parseMembers,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import { readEventId } from '../../../protocol/address/event-id.ts'
import { spokenKind } from '../../../protocol/frame/spoken-kind.ts'
import { timeOf } from '../text/times.ts'
import { textOfEnvelope, textOfFrame, tieOf } from './row-text.ts'

/** What a row holds of an item. */
export interface PassedItem {
  readonly eventId: string
  readonly atMs: number
  /** The address it came from, or the handle where no session sent it; of an envelope the entity. */
  readonly from: string
  /** The scope, or of an envelope the entity. */
  readonly to: string
  /** `advisory`, `query`, `task`, … */
  readonly kind: string
  /** Never longer than {@link MAX_ROW_CHARACTERS}, and held by nothing larger. */
  readonly text: string
  readonly recipients: number
  readonly queued: number
  /** The id that ties it to others: a query's, a lease's, a thread's; '' where there is none. */
  readonly thread: string
  /** An envelope whose task had come to its end before. */
  readonly isLate: boolean
}

/** What an envelope is called on its row, and no frame is. */
export const ENVELOPE_TYPES: readonly string[] = ['task', 'result', 'event', 'error', 'stream']

/** What of its text a row holds, in characters; more than any screen shows on one line. */
export const MAX_ROW_CHARACTERS = 240

/** @returns undefined for an item that cannot be placed in the sequence, or is neither frame nor envelope */
export function readPassed(value: unknown, eventId: string | undefined): PassedItem | undefined {
  const said = objectOf(value)
  const id = eventId ?? textMember(said, 'event_id')
  const [frame, envelope] = [memberOf(said, 'frame'), memberOf(said, 'envelope')]
  const content = isJsonObject(frame)
    ? contentOfFrame(frame)
    : isJsonObject(envelope) && contentOfEnvelope(envelope)
  if (id === undefined || !content) return undefined
  return {
    eventId: id,
    atMs: timeOf(said, 'accepted_at') ?? 0,
    ...content,
    from: textMember(said, 'sender') ?? content.from,
    to: textMember(said, 'scope') ?? content.to,
    text: ownText(onOneLine(content.text)),
    recipients: numberOf(said, 'recipient_count') ?? 0,
    queued: numberOf(said, 'queued_count') ?? 0,
    isLate: memberOf(said, 'late') === true,
  }
}

/** A row has no second line, and a line that ends is nothing to be warned of. */
function onOneLine(text: string): string {
  // Nothing in front of the break is looked for: among blanks that takes the square of their number.
  return text.replaceAll(/\r?\n\s*/g, ' ')
}

type Content = Pick<PassedItem, 'from' | 'to' | 'kind' | 'text' | 'thread'>

function contentOfFrame(frame: JsonObject): Content {
  const payload = objectOf(memberOf(frame, 'payload'))
  return {
    from: textMember(frame, 'sender_handle') ?? '',
    to: textMember(frame, 'recipient_handle') ?? '',
    kind: spokenKind(textMember(frame, 'kind') ?? ''),
    text: textOfFrame(frame),
    thread: tieOf(payload),
  }
}

function contentOfEnvelope(envelope: JsonObject): Content {
  return {
    from: textMember(envelope, 'from') ?? '',
    to: textMember(envelope, 'to') ?? '',
    kind: textMember(envelope, 'type') ?? '',
    text: textOfEnvelope(envelope),
    thread: textMember(envelope, 'corr') ?? '',
  }
}

/**
 * The text by itself: a piece of a longer string keeps the whole of it in memory, and a hundred thousand rows would keep
 * everything that ever passed.
 */
function ownText(text: string): string {
  const copy = parseMembers(JSON.stringify({ text: clip(text, MAX_ROW_CHARACTERS) }))
  return copy === undefined ? '' : (textMember(copy, 'text') ?? '')
}

/** Whether an item comes behind another; of two lives of the counter, whichever comes later does. */
export function isBehind(eventId: string, other: string): boolean {
  const [one, two] = [readEventId(eventId), readEventId(other)]
  if (one === undefined || two === undefined || one.epoch !== two.epoch) return true
  return one.seq > two.seq
}
