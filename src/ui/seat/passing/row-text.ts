/**
 * What a row says in one line: the words of a frame or an envelope, without the ids that its detail has.
 *
 * @see SEAT-20, SEAT-35
 */
import {
  isJsonObject,
  memberOf,
  objectOf,
  textMember,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import type { Envelope } from '../../../aee/envelope/envelope.ts'
import { summarisePayload } from '../../../aee/envelope/summary.ts'
import type { Frame } from '../../../protocol/frame/frame.ts'
import { summarise } from '../../../protocol/frame/summary.ts'

/** The members of a payload that tie frames to one another, as the summary names them at its end. */
const TIES = { query: 'query_id', diagnostic: 'diagnostic_id', lease: 'lease_id' } as const

/** The id that ties a frame to others; '' where there is none. */
export function tieOf(payload: JsonObject): string {
  return Object.values(TIES).reduce((tie, member) => tie || (textMember(payload, member) ?? ''), '')
}

/** @returns the JSON of a payload that this program knows no words for */
export function textOfFrame(frame: JsonObject): string {
  const payload = objectOf(memberOf(frame, 'payload'))
  if (!isKnownFrame(frame)) return JSON.stringify(payload)
  const text = summarise(frame)
  for (const [word, member] of Object.entries(TIES)) {
    const end = `[${word} ${textMember(payload, member) ?? ''}]`
    if (text.endsWith(end)) return text.slice(0, -end.length).trimEnd()
  }
  return text
}

/** What is wanted, and of whatever says so itself its own words. */
export function textOfEnvelope(envelope: JsonObject): string {
  const intent = textMember(envelope, 'intent') ?? ''
  const payload = memberOf(envelope, 'payload')
  const own = textMember(objectOf(payload), 'summary')
  if (own !== undefined) return `${intent}: ${own}`
  return `${intent}: ${isKnownEnvelope(envelope) ? summarisePayload(envelope) : ''}`
}

/** The daemon lets in nothing else; the names are asked for so that a newer daemon's kinds are shown as their JSON. */
export const FRAME_KINDS: readonly string[] = [
  'agent_advisory',
  'agent_broadcast',
  'agent_handover',
  'agent_lock_request',
  'agent_lock_release',
  'agent_lease_extend',
  'agent_query',
  'agent_response',
  'agent_return_event',
  'agent_binding_moment',
  'peer_diagnostic_request',
  'peer_diagnostic_response',
  'intent_declare',
  'intent_withdraw',
  'flush_executed',
] satisfies readonly Frame['kind'][]

function isKnownFrame(frame: JsonObject): frame is JsonObject & Frame {
  const kind = textMember(frame, 'kind') ?? ''
  if (kind === 'agent_binding_moment') return hasQuestion(objectOf(memberOf(frame, 'payload')))
  return FRAME_KINDS.includes(kind) && isJsonObject(memberOf(frame, 'payload'))
}

/** Only here the summary looks deeper than one level. */
function hasQuestion(payload: JsonObject): boolean {
  return Array.isArray(memberOf(objectOf(memberOf(payload, 'question')), 'options'))
}

function isKnownEnvelope(envelope: JsonObject): envelope is JsonObject & Envelope {
  return isJsonObject(memberOf(envelope, 'payload'))
}
