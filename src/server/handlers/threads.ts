/** The envelopes of one workflow (docs/http.md §9). */
import type { Broker } from '../../broker/broker.ts'
import { envelopeOf, type RetainedEnvelope } from '../../broker/ring/retained.ts'
import type { Refutation } from '../../protocol/http/envelope-replies.ts'
import { ThreadQuery } from '../../protocol/http/requests.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import type { RouteAnswer } from '../request/answer.ts'
import { askerOf, paramOf, queryOf, requirePlace, type RequestContext } from '../request/context.ts'

export async function getThread(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const corr = paramOf(context, 'corr')
  const { after, limit } = queryOf(context, ThreadQuery)
  const afterSeq = after === undefined ? undefined : requirePlace(broker, after)
  const request = { corr, afterSeq, limit, asker: askerOf(context) }
  const { items, nextSeq } = await broker.readThread(request, (retained) => formatItem(broker, retained))
  const next = nextSeq === undefined ? 'null' : `"${broker.ring.eventId(nextSeq)}"`
  const text = `{"corr":${JSON.stringify(corr)},"items":[${items.join(',')}],"next":${next}}`
  return { kind: 'text', status: 200, text, mediaType: MEDIA_JSON }
}

/** The envelope goes in as text, byte for byte. */
function formatItem(broker: Broker, retained: RetainedEnvelope): string {
  const { seq, acceptedAtMs, envelope: facts, delivery, text } = retained
  const beside = {
    event_id: broker.ring.eventId(seq),
    accepted_at: new Date(acceptedAtMs).toISOString(),
    effective_priority: facts.effectivePriority,
    late: facts.isLate,
    refuted: broker.ring.refutationsOf(facts.id).map(toRefutation),
    recipient_count: delivery.recipientCount,
    queued_count: delivery.queuedCount,
  }
  return `${JSON.stringify(beside).slice(0, -1)},"envelope":${text}}`
}

function toRefutation(retained: RetainedEnvelope): Refutation {
  const { acceptedAtMs, envelope } = retained
  const { reason } = envelopeOf(retained).payload
  return {
    by: envelope.from,
    reason: typeof reason === 'string' ? reason : '',
    at: new Date(acceptedAtMs).toISOString(),
    id: envelope.id,
  }
}
