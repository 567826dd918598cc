/** Workflows, and the envelopes of one (docs/http.md §9). */
import type { Broker } from '../../broker/broker.ts'
import { envelopeOf, type RetainedEnvelope } from '../../broker/ring/retained.ts'
import type { ListedThread } from '../../broker/ring/thread-list.ts'
import type { Refutation, ThreadsReply, ThreadSummary } from '../../protocol/http/envelope-replies.ts'
import { ThreadQuery, ThreadsQuery } from '../../protocol/http/requests.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { askerOf, paramOf, queryOf, requirePlace, type RequestContext } from '../request/context.ts'

/** The workflows that are retained, that with the newest envelope first. */
export async function getThreads(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const { before, limit, open } = queryOf(context, ThreadsQuery)
  const beforeSeq = before === undefined ? undefined : requirePlace(broker, before, 'before')
  const page = await broker.threadList.page({
    beforeSeq,
    limit,
    onlyOpen: open !== undefined,
    asker: askerOf(context),
  })
  const next = page.nextSeq === undefined ? null : broker.ring.eventId(page.nextSeq)
  return json({ items: page.items.map(toSummary), next } satisfies ThreadsReply)
}

/** The envelopes of one of them, in causal order. */
export async function getThread(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const corr = paramOf(context, 'corr')
  const { after, limit } = queryOf(context, ThreadQuery)
  const afterSeq = after === undefined ? undefined : requirePlace(broker, after)
  const request = { corr, afterSeq, limit, asker: askerOf(context) }
  // Each is written out in the step that reads it: a thousand of them at once would hold everybody up.
  const { items, nextSeq } = await broker.threads.page(request, (retained) =>
    Buffer.from(`,${formatItem(broker, retained)}`),
  )
  const [first, ...more] = items
  const next = nextSeq === undefined ? 'null' : `"${broker.ring.eventId(nextSeq)}"`
  const octets = Buffer.concat([
    Buffer.from(`{"corr":${JSON.stringify(corr)},"items":[`),
    // Without the comma that stands in front of each.
    ...(first === undefined ? [] : [first.subarray(1)]),
    ...more,
    Buffer.from(`],"next":${next}}`),
  ])
  return { kind: 'octets', status: 200, octets, mediaType: MEDIA_JSON }
}

function toSummary(thread: ListedThread): ThreadSummary {
  return {
    corr: thread.corr,
    first_at: new Date(thread.firstAtMs).toISOString(),
    last_at: new Date(thread.lastAtMs).toISOString(),
    envelopes: thread.envelopes,
    participants: [...thread.participants],
    intent: thread.intent,
    open_tasks: thread.openTasks,
    last_type: thread.lastType,
  }
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
