/**
 * What the person does about a need, as the request that is sent for it.
 *
 * Every answer goes to whoever asked, and to nobody else.
 *
 * @see W-7, W-9, SEAT-12, SEAT-21
 */
import { memberOf, objectOf, textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { formatDecision, type Decision } from '../../../protocol/decision.ts'
import type { SeatNeed } from './need.ts'

/** A request on a route of the wire. */
export interface SeatRequest {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  /** Undefined for a DELETE. */
  readonly body: JsonObject | undefined
}

/** What the person says to a need. */
export type NeedAnswer =
  | { readonly by: 'text'; readonly text: string }
  | { readonly by: 'decision'; readonly decision: Decision }
  | { readonly by: 'verdict'; readonly isApproved: boolean; readonly note: string }
  | { readonly by: 'dismissal'; readonly why: string }

/** What an envelope needs of whoever makes it. */
export interface Seat {
  /** `human.<principal without ~>` */
  readonly entity: string
  /** A new id, of eight characters or more. */
  readonly newId: () => string
  readonly nowMs: () => number
}

/** What a dismissal says where the person gives no reason: the asker learns that no answer comes. */
export const DISMISSED = 'Dismissed by the person; no answer comes.'

/** What the frame of a dismissal refers to: what it answers is named by its id. */
const DISMISSAL_REF = 'seat:dismissed'

/** @returns undefined for what cannot be answered from here: a session's own prompt, or an answer that does not fit */
export function requestOf(need: SeatNeed, answer: NeedAnswer, seat: Seat): SeatRequest | undefined {
  switch (need.type) {
    case 'question':
    case 'diagnostic':
    case 'decision':
      return answerByFrame(need, answer)
    case 'task':
    case 'approval':
      return answerByEnvelope(need, answer, seat)
    case 'prompt':
    default:
      return undefined
  }
}

/** A verb's request. */
export function verbRequest(verb: string, body: JsonObject): SeatRequest {
  return { method: 'POST', path: `/v1/verbs/${verb}`, body }
}

function answerByFrame(need: SeatNeed, answer: NeedAnswer): SeatRequest | undefined {
  const { address } = need.from
  if (answer.by === 'dismissal') {
    const dismissal = { return_event_ref: DISMISSAL_REF, summary: answer.why, query_id: need.needId }
    return verbRequest('agent_return', { ...dismissal, ...toAsker(need) })
  }
  // A question says itself where its answer goes; the others are answered to whoever asked.
  const to = need.type === 'question' || address === '' ? {} : { recipient_scope: address }
  const text = answer.by === 'text' ? answer.text : textOfDecision(answer)
  if (text === undefined) return undefined
  const frameId = textMember(need.message, 'frame_id')
  const about = frameId === undefined ? {} : { responded_to_frame_id: frameId }
  return verbRequest('agent_respond', { query_id: need.needId, text, ...about, ...to })
}

/** It is the asker that learns it (SEAT-12); of a question that no session asked, whoever was to hear the answers. */
function toAsker({ from, message }: SeatNeed): JsonObject {
  const scope = from.address || textMember(objectOf(memberOf(message, 'payload')), 'response_scope')
  return scope === undefined ? {} : { recipient_scope: scope }
}

function textOfDecision(answer: NeedAnswer): string | undefined {
  return answer.by === 'decision' ? formatDecision(answer.decision) : undefined
}

function answerByEnvelope(
  { type, message }: SeatNeed,
  answer: NeedAnswer,
  seat: Seat,
): SeatRequest | undefined {
  const payload = payloadOf(type, message, answer)
  if (payload === undefined) return undefined
  const [id, from, intent, corr] = ['id', 'from', 'intent', 'corr'].map((name) => textMember(message, name))
  const body = {
    v: '1',
    id: seat.newId(),
    ts: new Date(seat.nowMs()).toISOString(),
    type: answer.by === 'dismissal' ? 'error' : 'result',
    from: seat.entity,
    to: from,
    intent,
    corr,
    reply_to: id,
    priority: 'normal',
    payload,
  }
  return { method: 'POST', path: '/v1/envelopes', body }
}

/** What the answer to a task holds; an approval names the task and its hash again, as they were asked about. */
function payloadOf(type: SeatNeed['type'], message: JsonObject, answer: NeedAnswer): JsonObject | undefined {
  if (answer.by === 'dismissal') return { code: 'E_REJECTED', message: answer.why, retryable: false }
  if (type === 'task') return answer.by === 'text' ? { text: answer.text } : undefined
  if (answer.by !== 'verdict') return undefined
  const task = objectOf(memberOf(objectOf(memberOf(message, 'payload')), 'task'))
  const named = { id: memberOf(task, 'id'), hash: memberOf(task, 'hash') }
  return { approved: answer.isApproved, task: named, ...(answer.note !== '' && { note: answer.note }) }
}
