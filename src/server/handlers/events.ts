/** Everything that is retained, frames and envelopes in the one sequence (docs/http.md §5, W-2). */
import { describePassed } from '../../broker/stream/passed.ts'
import type { Broker } from '../../broker/broker.ts'
import { ENVELOPE_KIND, type Retained } from '../../broker/ring/retained.ts'
import { AgentdError } from '../../core/errors.ts'
import { isHandle } from '../../protocol/address/handle.ts'
import type { Filter } from '../../protocol/frame/filter.ts'
import { EventsQuery } from '../../protocol/http/requests.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import type { RouteAnswer } from '../request/answer.ts'
import { askerOf, paramOf, queryOf, requirePlace, type RequestContext } from '../request/context.ts'

/** A page: behind `after` the oldest first, else before `before`, or now, the newest first. */
export async function getEvents(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const query = queryOf(context, EventsQuery)
  const { before, after, limit } = query
  const page = await broker.readHistory({
    afterSeq: after === undefined ? undefined : requirePlace(broker, after),
    beforeSeq: before === undefined ? undefined : requirePlace(broker, before, 'before'),
    limit,
    search: { filter: filterOf(query), handle: undefined, withEnvelopes: takesEnvelopes(query) },
    asker: askerOf(context),
    admits: admitting(query),
  })
  const isBackwards = after === undefined
  const items = isBackwards ? page.frames.toReversed() : page.frames
  const nextSeq = isBackwards ? page.olderSeq : page.nextSeq
  const next = nextSeq === undefined ? 'null' : `"${broker.ring.eventId(nextSeq)}"`
  const text = `{"items":[${items.map((item) => formatEvent(broker, item)).join(',')}],"next":${next}}`
  return { kind: 'text', status: 200, text, mediaType: MEDIA_JSON }
}

/** One item and its receipts. @throws AgentdError `not-found`, field `event_id` */
export function getEvent(context: RequestContext): RouteAnswer {
  const { broker } = context
  const seq = requirePlace(broker, paramOf(context, 'event_id'), 'event_id')
  const retained = broker.ring.get(seq)
  if (retained === undefined)
    throw new AgentdError('not-found', 'Nothing with this id is retained.', { field: 'event_id' })
  const receipts = JSON.stringify(broker.receipts.describe(retained).receipts)
  const text = `${formatEvent(broker, retained).slice(0, -1)},"receipts":${receipts}}`
  return { kind: 'text', status: 200, text, mediaType: MEDIA_JSON }
}

function formatEvent({ ring }: Broker, retained: Retained): string {
  return `{"event_id":"${ring.eventId(retained.seq)}",${describePassed(retained)}}`
}

/** What can be looked for without reading the rest: one kind of frame, and a sender's handle. */
function filterOf({ kind, sender, corr }: EventsQuery): Filter {
  const only = kind?.length === 1 ? kind[0] : undefined
  const one = only ?? (corr === undefined ? undefined : ENVELOPE_KIND)
  return [
    ...(one === undefined ? [] : [{ axis: 'kind', value: one } as const]),
    ...(sender !== undefined && isHandle(sender) ? [{ axis: 'sender', value: sender } as const] : []),
  ]
}

function takesEnvelopes({ kind }: EventsQuery): boolean {
  return kind === undefined || kind.includes(ENVELOPE_KIND)
}

/** Whether an item is one of those asked for; every parameter has to fit. */
function admitting({ kind, sender, session, corr, text }: EventsQuery): (retained: Retained) => boolean {
  const words = text?.toLowerCase()
  const kinds = kind && new Set<string>(kind)
  return (retained) => {
    const { senderAddress, senderHandle, scopeText, delivery, envelope } = retained
    if (kinds?.has(retained.kind) === false) return false
    if (sender !== undefined && sender !== senderAddress && sender !== senderHandle) return false
    if (corr !== undefined && envelope?.corr !== corr) return false
    const isOf = senderAddress === session || scopeText === session || delivery.reached(session ?? '')
    if (session !== undefined && !isOf) return false
    return words === undefined || saysSo(JSON.parse(retained.text), words)
  }
}

/** Whether any text of an item holds the words, whatever the case; names of members are not its text. */
export function saysSo(value: unknown, words: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(words)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((member) => saysSo(member, words))
}
