/**
 * What came of something the person did, and how it is told.
 *
 * @see SEAT-19, SEAT-23
 */
import { isJsonObject, numberOf, textsOf, type JsonObject } from '../../core/text/json-object.ts'
import type { Elsewhere } from '../../protocol/verb/sent-line.ts'
import { refusedWords, sentWords, signedWords, UNANSWERED } from './words.ts'

/** What a node is called. */
const LABEL = /^[a-z0-9-]{1,32}$/

/** What came of a request. `unanswered`: nobody knows whether it was done; nothing is sent twice by itself. */
export type CallOutcome =
  | {
      readonly kind: 'done'
      readonly body: JsonObject
      readonly version: string
      /** Of the answer to an approval alone: whether it was signed (SEAT-05). */
      readonly isSigned?: boolean | undefined
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unanswered' }

/** The outcome in one sentence. */
export function outcomeWords(outcome: CallOutcome): string {
  if (outcome.kind === 'unanswered') return UNANSWERED
  if (outcome.kind === 'refused') return refusedWords(outcome.message)
  const { body, isSigned } = outcome
  const sent = sentWords({
    recipientCount: numberOf(body, 'recipient_count') ?? 0,
    queuedCount: numberOf(body, 'queued_count') ?? 0,
    peopleCount: numberOf(body, 'people_count'),
    remote: elsewhereOf(body),
  })
  return isSigned === undefined ? sent : `${sent} ${signedWords(isSigned)}`
}

/** Whom it names on other nodes, whose labels are a daemon's own word. */
function elsewhereOf(body: JsonObject): Elsewhere | undefined {
  const { remote } = body
  if (!isJsonObject(remote)) return undefined
  const labels = (name: string): readonly string[] => textsOf(remote, name).filter((one) => LABEL.test(one))
  return { sessions: numberOf(remote, 'sessions') ?? 0, nodes: labels('nodes'), away: labels('away') }
}

const FORGET_UNANSWERED = 'No answer came, so it may or may not have been forgotten.'

/** Why nothing was forgotten, or nobody knows whether. */
export function forgetFailedWords(outcome: Exclude<CallOutcome, { readonly kind: 'done' }>): string {
  return outcome.kind === 'refused' ? `Not forgotten. ${outcome.message}` : FORGET_UNANSWERED
}
