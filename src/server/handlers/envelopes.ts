/** Envelopes (docs/http.md §9): submitting, fetching, and what became of them. */
import { decodeEnvelope } from '../../aee/envelope/envelope.ts'
import { envelopeTooLarge } from '../../aee/envelope/record.ts'
import { AgentdError } from '../../core/errors.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import type { EnvelopeReceiptsReply } from '../../protocol/http/envelope-replies.ts'
import { ReceiptsQuery } from '../../protocol/http/requests.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import type { BodyBound } from '../request/body.ts'
import { held, paramOf, queryOf, type RequestContext } from '../request/context.ts'
import type { LineTaker } from '../lines/lines.ts'
import { answerSubmission } from '../lines/submission.ts'

/** One envelope, and what may stand around it. */
export const ENVELOPE_BODY: BodyBound = {
  maxOctets: MAX_ENVELOPE_OCTETS,
  field: 'envelope',
  tooLarge: envelopeTooLarge,
}

export function submitEnvelope(context: RequestContext): Promise<RouteAnswer> {
  return answerSubmission(context, takeEnvelope(context))
}

/** The stored bytes. */
export function getEnvelope(context: RequestContext): RouteAnswer {
  const { text } = context.broker.receipts.requireEnvelope(paramOf(context, 'id'))
  return { kind: 'text', status: 200, text, mediaType: MEDIA_JSON }
}

export function getEnvelopeReceipts(context: RequestContext): RouteAnswer | Promise<RouteAnswer> {
  const { receipts } = context.broker
  const { wait, timeout_ms } = queryOf(context, ReceiptsQuery)
  const id = paramOf(context, 'id')
  const retained = receipts.requireEnvelope(id)
  const describe = (): RouteAnswer => {
    const reply: EnvelopeReceiptsReply = { id, ...receipts.describe(retained) }
    return json(reply)
  }
  if (wait === undefined) return describe()
  return held(context, (answer) => receipts.wait(retained, wait, timeout_ms, () => answer(describe())))
}

function takeEnvelope({ broker, caller, records }: RequestContext): LineTaker {
  return {
    ...ENVELOPE_BODY,
    take: (bytes, respond) => {
      const answer: typeof respond = (outcome) => {
        // Such as by a store that is full, which is only known at the end of the turn.
        if (outcome instanceof AgentdError) records.refused(outcome, bytes.length)
        respond(outcome)
      }
      try {
        broker.submitEnvelope(decodeEnvelope(bytes), caller, answer)
      } catch (error) {
        if (error instanceof AgentdError) records.refused(error, bytes.length)
        throw error
      }
    },
  }
}
