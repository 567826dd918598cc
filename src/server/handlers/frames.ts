/** Submitting one frame, history and receipts (docs/http.md §5). */
import type { Caller } from '../../broker/session/caller.ts'
import type { Broker } from '../../broker/broker.ts'
import { senderActor } from '../../broker/origins/owner.ts'
import { describeOrigin } from '../../broker/stream/passed.ts'
import { authoriseHandle } from '../../broker/session/caller.ts'
import { frameOf, type Retained, type RetainedFrame } from '../../broker/ring/retained.ts'
import { filterAdmits, parseFilter } from '../../protocol/frame/filter.ts'
import { MAX_SUBMISSION_OCTETS } from '../../core/limits.ts'
import type { FrameTextReply } from '../../protocol/http/frame-replies.ts'
import { HistoryQuery, ReceiptsQuery } from '../../protocol/http/requests.ts'
import { SubmissionQuery } from '../../protocol/http/submission-requests.ts'
import { MEDIA_JSON, MEDIA_TEXT, MEDIA_TEXT_UTF8 } from '../../protocol/http/media.ts'
import { scopeHandle } from '../../protocol/address/scope.ts'
import { decodeSubmission, frameTooLarge } from '../../protocol/frame/submission.ts'
import { AgentdError } from '../../core/errors.ts'
import { octetLength } from '../../core/text/octets.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { prefers } from '../request/accept.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import type { BodyBound } from '../request/body.ts'
import { askerOf, held, paramOf, queryOf, requirePlace, type RequestContext } from '../request/context.ts'
import type { LineTaker } from '../lines/lines.ts'
import { answerSubmission } from '../lines/submission.ts'
import { saysSo } from './events.ts'

const FRAME_BODY: BodyBound = {
  maxOctets: MAX_SUBMISSION_OCTETS,
  field: 'frame',
  tooLarge: frameTooLarge,
}

/** @param scopeBeside - the scope of the query, for each line that has none of its own */
function takeFrame(broker: Broker, caller: Caller, scopeBeside: string | undefined): LineTaker {
  return {
    ...FRAME_BODY,
    take: (line, respond) =>
      broker.submit(
        decodeSubmission(line, { nowMs: broker.plausibleAroundMs, scopeBeside }),
        caller,
        respond,
      ),
  }
}

export async function submitFrame(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller, search } = context
  const scopeBeside = search === '' ? undefined : queryOf(context, SubmissionQuery).recipient_scope
  return answerSubmission(context, takeFrame(broker, caller, scopeBeside))
}

export async function getHistory(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller } = context
  const query = queryOf(context, HistoryQuery)
  const { handle = caller.principal, filter: expression, after, limit } = query
  authoriseHandle(handle, caller, broker)
  const filter = parseFilter(expression)
  const isWanted = admittingHistory(query)
  const request = {
    afterSeq: after === undefined ? undefined : requirePlace(broker, after),
    limit,
    search: { filter, handle, withEnvelopes: false },
    asker: askerOf(context),
    admits: (retained: Retained) =>
      retained.type === 'frame' &&
      (retained.senderHandle === handle || isTo(handle, retained, broker)) &&
      filterAdmits(filter, retained) &&
      isWanted(retained),
  }
  const found = await broker.readHistory(request)
  const items = found.frames.map(
    (retained) =>
      `{"event_id":"${broker.ring.eventId(retained.seq)}",${describeOrigin(retained)},"frame":${retained.text}}`,
  )
  const next = found.nextSeq === undefined ? 'null' : `"${broker.ring.eventId(found.nextSeq)}"`
  return {
    kind: 'text',
    status: 200,
    text: `{"items":[${items.join(',')}],"next":${next}}`,
    mediaType: MEDIA_JSON,
  }
}

/** Whether a frame is of this sender and time and says these words, as far as any of it is asked for. */
function admittingHistory({ sender, since, before, text }: HistoryQuery): (retained: Retained) => boolean {
  const [sinceMs, beforeMs] = [since, before].map((time) =>
    time === undefined ? undefined : readTimestampMs(time),
  )
  const words = text?.toLowerCase()
  return (retained) => {
    const { senderAddress, senderHandle, acceptedAtMs } = retained
    if (sender !== undefined && sender !== senderAddress && sender !== senderHandle) return false
    if (sinceMs !== undefined && acceptedAtMs < sinceMs) return false
    if (beforeMs !== undefined && acceptedAtMs >= beforeMs) return false
    return words === undefined || saysSo(JSON.parse(retained.text), words)
  }
}

/** Whether a scope is for sessions of a handle, whichever of them. */
function isTo(
  handle: string,
  sent: Pick<RetainedFrame, 'senderHandle' | 'scope' | 'kind' | 'origin' | 'delivery'>,
  { authority }: Broker,
): boolean {
  const { delivery, kind, scope } = sent
  if (scope.form === 'accord') {
    const isAnswered = kind === 'agent_response' && delivery.reachedHandle(handle)
    return isAnswered || authority.reachedBy(scope, sent)?.has(handle) === true
  }
  if (scope.form !== 'org') return scopeHandle(scope) === handle
  return authority.membersOf(scope.org, scope.role)?.has(handle) === true
}

export async function getReceipts(context: RequestContext): Promise<RouteAnswer> {
  const { receipts } = context.broker
  const { wait, timeout_ms } = queryOf(context, ReceiptsQuery)
  const frameId = paramOf(context, 'frame_id')
  await receipts.recall(frameId, askerOf(context))
  const retained = receipts.require(frameId, context.caller)
  const describe = (): RouteAnswer => json({ frame_id: retained.key, ...receipts.describe(retained) })
  if (wait === undefined) return describe()
  return held(context, (answer) => receipts.wait(retained, wait, timeout_ms, () => answer(describe())))
}

/** A session reads what its own Sovereign sent, and what is for it. @throws AgentdError `not-found` */
function requireReader(
  { broker, caller }: RequestContext,
  retained: Pick<RetainedFrame, 'senderHandle' | 'scope' | 'kind' | 'origin' | 'delivery'>,
): void {
  const { principal, session } = caller
  if (session === undefined || senderActor(retained, broker.authority) === principal) return
  if (isTo(session.handle, retained, broker)) return
  throw new AgentdError('not-found', 'No retained frame has this id.', { field: 'frame_id' })
}

/** The text of a handover as it was written, wherever it is kept; as text where that is preferred. */
export async function getFrameText(context: RequestContext): Promise<RouteAnswer> {
  const { receipts } = context.broker
  const frameId = paramOf(context, 'frame_id')
  await receipts.recall(frameId, askerOf(context))
  const retained = receipts.require(frameId)
  requireReader(context, retained)
  const { kind, payload } = frameOf(retained)
  if (kind !== 'agent_handover') {
    throw new AgentdError('not-found', 'Only a handover has a text of its own.', { field: 'frame_id' })
  }
  const text = (await context.texts.read(payload.pointer_refs ?? [])) ?? payload.handover_body
  if (prefers(context.request, MEDIA_TEXT, MEDIA_JSON))
    return { kind: 'text', status: 200, text, mediaType: MEDIA_TEXT_UTF8 }
  const reply: FrameTextReply = { frame_id: retained.key, octets: octetLength(text), text }
  return json(reply)
}
