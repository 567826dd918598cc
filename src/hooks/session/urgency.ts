/**
 * How urgent what waits is: whether it may start or prolong a turn.
 *
 * By kind, unless the sender wished otherwise. What answers somebody is never urgent: two sessions that wake
 * each other with their answers would not stop (PD-06).
 *
 * @see PD-02, PD-06
 */
import {
  frameOf,
  type Retained,
  type RetainedEnvelope,
  type RetainedFrame,
} from '../../broker/ring/retained.ts'

/** `interrupt` may wake, `next-turn` waits for the next hook, `digest` for a quiet moment. */
export type Urgency = 'interrupt' | 'next-turn' | 'digest'

/** Kinds whose class does not depend on the frame. Every other kind waits for the next turn. */
const BY_KIND: Readonly<Record<string, Urgency>> = {
  agent_binding_moment: 'interrupt',
  agent_advisory: 'digest',
  intent_declare: 'digest',
  intent_withdraw: 'digest',
  flush_executed: 'digest',
}

/** Kinds and envelope types that answer: no wish makes them wake anyone. */
const NEVER_WAKE: ReadonlySet<string> = new Set([
  'agent_response',
  'agent_return_event',
  'peer_diagnostic_response',
])
const ANSWER_TYPES: ReadonlySet<string> = new Set(['result', 'error', 'stream'])

const WISHES: Readonly<Record<string, Urgency>> = {
  'urgency.interrupt': 'interrupt',
  'urgency.next-turn': 'next-turn',
  'urgency.digest': 'digest',
}

/** How all of them begin, as text: most frames hold no such word and need not be read for it. */
const WISH = '"urgency.'

export function urgencyOf(retained: Retained): Urgency {
  return retained.type === 'frame' ? frameUrgency(retained) : envelopeUrgency(retained)
}

/** Whether its sender wished no more for it than a place in the digest of a quiet moment (OP-22). */
export function isForQuiet(retained: Retained): boolean {
  return retained.type === 'frame' && wishOf(retained) === 'digest'
}

function frameUrgency(retained: RetainedFrame): Urgency {
  const { kind } = retained
  if (NEVER_WAKE.has(kind)) return 'next-turn'
  const wish = wishOf(retained)
  if (wish !== undefined) return wish
  if (kind === 'agent_query') return isOneSession(retained.scopeText) ? 'interrupt' : 'next-turn'
  if (kind === 'peer_diagnostic_request') {
    const frame = frameOf(retained)
    const isBlocked = frame.kind === 'peer_diagnostic_request' && frame.payload.severity === 'blocked'
    return isBlocked ? 'interrupt' : 'next-turn'
  }
  return (Object.hasOwn(BY_KIND, kind) ? BY_KIND[kind] : undefined) ?? 'next-turn'
}

/** A sender's wish: the first of the tags that says one. */
function wishOf(retained: RetainedFrame): Urgency | undefined {
  if (!retained.text.includes(WISH)) return undefined
  const { provenance_method: tags } = frameOf(retained)
  const tag = tags.find((one) => Object.hasOwn(WISHES, one))
  return tag === undefined ? undefined : WISHES[tag]
}

function envelopeUrgency({ envelope: { type, effectivePriority } }: RetainedEnvelope): Urgency {
  if (ANSWER_TYPES.has(type)) return 'next-turn'
  if (type === 'task' && effectivePriority === 'urgent') return 'interrupt'
  return effectivePriority === 'low' ? 'digest' : 'next-turn'
}

/** `~alice/cc@s1` names one session; with a pattern in it, it names any number. */
function isOneSession(scope: string): boolean {
  return /^~[^/]+\/[^/@*]+@[^*]+$/.test(scope)
}
