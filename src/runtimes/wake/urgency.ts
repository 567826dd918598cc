/**
 * How urgent what waits is: whether it may start or prolong a turn.
 *
 * By kind, unless the sender wished otherwise. What answers somebody is never urgent: two sessions that wake
 * each other with their answers would not stop (PD-06).
 *
 * @see PD-02, PD-06
 */
import { listMember, memberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'

/** `interrupt` may wake, `next-turn` waits for the next hook, `digest` for a quiet moment. */
export type Urgency = 'interrupt' | 'next-turn' | 'digest'

/** What is known about one item besides its content. */
export interface ItemFacts {
  /** What it was addressed to, such as `~alice/cc@s1`; undefined where the daemon does not say. */
  readonly scope: string | undefined
}

/** Kinds whose class does not depend on the frame. Every other kind waits for the next turn. */
const BY_KIND: Readonly<Record<string, Urgency>> = {
  agent_binding_moment: 'interrupt',
  agent_advisory: 'digest',
  intent_declare: 'digest',
  intent_withdraw: 'digest',
  flush_executed: 'digest',
}

/** Kinds and envelope types that answer: no wish makes them wake anyone. */
const NEVER_WAKE = new Set(['agent_response', 'agent_return_event', 'peer_diagnostic_response'])
const ANSWER_TYPES = new Set(['result', 'error', 'stream'])

const WISHES: Readonly<Record<string, Urgency>> = {
  'urgency.interrupt': 'interrupt',
  'urgency.next-turn': 'next-turn',
  'urgency.digest': 'digest',
}

/** @param item - of `POST /v1/inbox/drain` */
export function urgencyOf(item: EventMembers, facts: ItemFacts): Urgency {
  const frame = memberOf(item, 'frame')
  return frame === undefined ? envelopeUrgency(item) : frameUrgency(objectOf(frame), facts)
}

/** Whether the class of an item hangs on what it was addressed to. */
export function isQuery(item: EventMembers): boolean {
  return textMember(objectOf(memberOf(item, 'frame')), 'kind') === 'agent_query'
}

function frameUrgency(frame: EventMembers, { scope }: ItemFacts): Urgency {
  const kind = textMember(frame, 'kind') ?? ''
  if (NEVER_WAKE.has(kind)) return 'next-turn'
  const wish = wishOf(frame)
  if (wish !== undefined) return wish
  if (kind === 'agent_query') return isOneSession(scope) ? 'interrupt' : 'next-turn'
  if (kind === 'peer_diagnostic_request') {
    return textMember(objectOf(memberOf(frame, 'payload')), 'severity') === 'blocked'
      ? 'interrupt'
      : 'next-turn'
  }
  return (Object.hasOwn(BY_KIND, kind) ? BY_KIND[kind] : undefined) ?? 'next-turn'
}

/** A sender's wish: the first of the tags that says one. */
function wishOf(frame: EventMembers): Urgency | undefined {
  const tags = listMember(frame, 'provenance_method')
  const tag = tags.find((one) => typeof one === 'string' && Object.hasOwn(WISHES, one))
  return typeof tag === 'string' ? WISHES[tag] : undefined
}

function envelopeUrgency(item: EventMembers): Urgency {
  const envelope = objectOf(memberOf(item, 'envelope'))
  if (ANSWER_TYPES.has(textMember(envelope, 'type') ?? '')) return 'next-turn'
  const priority = textMember(item, 'effective_priority') ?? textMember(envelope, 'priority')
  if (textMember(envelope, 'type') === 'task' && priority === 'urgent') return 'interrupt'
  return priority === 'low' ? 'digest' : 'next-turn'
}

/** `~alice/cc@s1` names one session; with a pattern in it, it names any number. */
function isOneSession(scope: string | undefined): boolean {
  return scope !== undefined && /^~[^/]+\/[^/@*]+@[^*]+$/.test(scope)
}
