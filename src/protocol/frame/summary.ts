/**
 * A frame in one line of prose, for `agentd tail`, for digests and for logs that people read.
 *
 * The text is the sender's and not yet safe to print; `safe-text.ts` comes after.
 */
import { unreachable } from '../../core/errors.ts'
import type { Frame } from './frame.ts'
import { summariseDecision } from './spoken-decision.ts'

/** What the frame says, without who says it. */
export function summarise(frame: Frame): string {
  switch (frame.kind) {
    case 'agent_advisory':
      return withRefs(frame.payload.advisory_text, frame.payload.file_refs)
    case 'agent_broadcast':
      return withRefs(spokenBroadcast(frame.payload), frame.payload.refs)
    case 'agent_handover':
      return withRefs(frame.payload.handover_body, frame.payload.pointer_refs)
    case 'agent_query':
      return `${frame.payload.query_text} [query ${frame.payload.query_id}]`
    case 'agent_response':
      return `${frame.payload.response_text} [query ${frame.payload.query_id}]`
    case 'agent_return_event':
      return `${frame.payload.summary} (${frame.payload.return_event_ref})`
    case 'agent_binding_moment':
      return summariseDecision(frame)
    case 'peer_diagnostic_request':
      return `${frame.payload.severity}: ${frame.payload.symptom} [diagnostic ${frame.payload.diagnostic_id}]`
    case 'peer_diagnostic_response':
      return `${frame.payload.finding} [diagnostic ${frame.payload.diagnostic_id}]`
    case 'agent_lock_request':
    case 'agent_lock_release':
    case 'agent_lease_extend':
      return summariseLease(frame)
    case 'intent_declare':
    case 'intent_withdraw':
    case 'flush_executed':
      return summariseConvergence(frame)
    default:
      return unreachable(frame)
  }
}

type BroadcastPayload = Extract<Frame, { kind: 'agent_broadcast' }>['payload']
type LeaseFrame = Extract<Frame, { kind: 'agent_lock_request' | 'agent_lock_release' | 'agent_lease_extend' }>
type ConvergenceFrame = Extract<Frame, { kind: 'intent_declare' | 'intent_withdraw' | 'flush_executed' }>

function summariseLease(frame: LeaseFrame): string {
  const { payload } = frame
  const lease = `[lease ${payload.lease_id}]`
  if (frame.kind === 'agent_lock_request') {
    const { resource, ttl_ms, intent } = frame.payload
    return `${resource} for ${seconds(ttl_ms)}${intent === undefined ? '' : `: ${intent}`} ${lease}`
  }
  if (frame.kind === 'agent_lease_extend') return `by ${seconds(frame.payload.additional_ttl_ms)} ${lease}`
  const { resource = '' } = frame.payload
  return resource === '' ? lease : `${resource} ${lease}`
}

function summariseConvergence(frame: ConvergenceFrame): string {
  if (frame.kind === 'intent_declare')
    return `${frame.payload.convergence_class} ${frame.payload.payload_ref}`
  if (frame.kind === 'intent_withdraw')
    return `${frame.payload.convergence_class} ${frame.payload.intent_ref}`
  return withRefs(`${frame.payload.convergence_class} ${frame.payload.result_ref}`, frame.payload.batch_refs)
}

/** What is of no class says so by naming none. */
function spokenBroadcast({ event_class: eventClass, broadcast_text: text }: BroadcastPayload): string {
  return eventClass === 'other' ? text : `${eventClass}: ${text}`
}

/** Characters of a text that are looked through for what is named beside it. */
const LOOKED_THROUGH = 2_048

/** What the words name already is not named again. */
function withRefs(text: string, refs: readonly string[] = []): string {
  // A handover may be long, and most have none.
  if (refs.length === 0) return text
  // Of a long text its beginning: to look for full stops at the end takes the square of a word's length.
  const begun = text.slice(0, LOOKED_THROUGH).split(/[\s,;:()'"`]+/)
  const words = new Set(begun.map((word) => word.replace(/[.!?]+$/, '')))
  const others = refs.filter((ref) => !words.has(ref))
  return others.length === 0 ? text : `${text} (${others.join(', ')})`
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)}s`
}
