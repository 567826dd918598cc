/** Inbox and what has been seen (docs/http.md §7). */
import type { Drain } from '../../broker/inbox/inbox.ts'
import type { Retained } from '../../broker/ring/retained.ts'
import { describeElsewhere } from '../../broker/stream/passed.ts'
import type { RingView } from '../../broker/ports.ts'
import { unreachable } from '../../core/errors.ts'
import { DrainRequest, SeenRequest, WaitQuery } from '../../protocol/http/requests.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { askerOf, bodyOf, held, queryOf, requireSession, type RequestContext } from '../request/context.ts'

export async function drainInbox(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const session = requireSession(context)
  broker.inbox.require(session)
  const request = await bodyOf(context, DrainRequest)
  // Before anything is handed over: a refusal must not lose it.
  context.charge.hold(request.max_bytes)
  const drain = broker.drain(session, request)
  return { kind: 'text', status: 200, text: formatDrain(broker.ring, drain), mediaType: MEDIA_JSON }
}

export function waitInbox(context: RequestContext): Promise<RouteAnswer> {
  const session = requireSession(context)
  const { timeout_ms } = queryOf(context, WaitQuery)
  context.broker.inbox.require(session)
  return held(context, (answer) =>
    context.broker.inbox.wait(session, timeout_ms, (unread) => answer(json({ unread }))),
  )
}

export async function handleSeen(context: RequestContext): Promise<RouteAnswer> {
  const session = requireSession(context)
  const request = await bodyOf(context, SeenRequest)
  const { receipts } = context.broker
  // What is named are a thousand at the most; what lies up to a place may be all of the ring.
  const isShort = request.up_to === undefined
  const seen = isShort
    ? receipts.markSeen(session, request)
    : await receipts.markSeenInSteps(session, request, askerOf(context))
  return json({ seen })
}

/** Frames and envelopes go in as the text that is retained: signatures hang on every byte of an envelope. */
function formatDrain(
  ring: RingView,
  { taken, coalesced, remaining, gap, holes, text, atMs, again, foreign }: Drain,
): string {
  const items = taken.map((retained) =>
    formatItem(ring, retained, { atMs, isPerhapsKnown: again.has(retained.seq) }),
  )
  const beside = JSON.stringify({
    coalesced,
    remaining,
    gap,
    ...(holes.length > 0 && { holes }),
    ...(text !== undefined && { text }),
    ...(foreign.counts.length > 0 && { foreign: foreign.counts }),
  })
  return `{"items":[${items.join(',')}],${beside.slice(1)}`
}

interface ItemFacts {
  readonly atMs: number
  readonly isPerhapsKnown: boolean
}

function formatItem(ring: RingView, retained: Retained, { atMs, isPerhapsKnown }: ItemFacts): string {
  const { seq, acceptedAtMs, senderAddress, text } = retained
  const ageMs = Math.max(0, atMs - acceptedAtMs)
  const sender = JSON.stringify(senderAddress ?? null)
  const head = `{"event_id":"${ring.eventId(seq)}","age_ms":${ageMs},${describeElsewhere(retained)}"sender":${sender},${isPerhapsKnown ? '"perhaps_shown":true,' : ''}`
  switch (retained.type) {
    case 'frame':
      return `${head}"frame":${text}}`
    case 'envelope': {
      const { effectivePriority, isLate } = retained.envelope
      const remarks = { effective_priority: effectivePriority, late: isLate }
      return `${head}"envelope":${text},${JSON.stringify(remarks).slice(1)}`
    }
    default:
      return unreachable(retained)
  }
}
