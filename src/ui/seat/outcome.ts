/**
 * What came of something the person did, and how it is told.
 *
 * @see SEAT-19, SEAT-23
 */
import { numberOf, objectOf, textsOf, type JsonObject } from '../../core/text/json-object.ts'
import { refusedWords, sentWords, signedWords, UNANSWERED } from './words.ts'

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
  const remote = objectOf(body['remote'])
  const sent = sentWords({
    recipientCount: numberOf(body, 'recipient_count') ?? 0,
    queuedCount: numberOf(body, 'queued_count') ?? 0,
    peopleCount: numberOf(body, 'people_count'),
    terminalCount: numberOf(body, 'terminal_count'),
    remote: {
      sessions: numberOf(remote, 'sessions') ?? 0,
      nodes: textsOf(remote, 'nodes'),
      away: textsOf(remote, 'away'),
    },
  })
  return isSigned === undefined ? sent : `${sent} ${signedWords(isSigned)}`
}

const FORGET_UNANSWERED = 'No answer came, so it may or may not have been forgotten.'

/** Why nothing was forgotten, or nobody knows whether. */
export function forgetFailedWords(outcome: Exclude<CallOutcome, { readonly kind: 'done' }>): string {
  return outcome.kind === 'refused' ? `Not forgotten. ${outcome.message}` : FORGET_UNANSWERED
}
