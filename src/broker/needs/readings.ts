/**
 * What one item that passes says of the person's needs: it opens one, it may close one, or, as most do, neither.
 *
 * @see docs/http.md §7; SEAT-08, SEAT-10, W-3
 */
import { timeoutMsOf } from '../../aee/conformance/advice.ts'
import { isHuman } from '../../aee/envelope/entity.ts'
import { summariseEnvelope } from '../../aee/envelope/summary.ts'
import { APPROVAL_INTENT, readApprovalRequest } from '../../aee/intents/approval.ts'
import { clip } from '../../core/text/clip.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import {
  ENVELOPE_KIND,
  answeredBy,
  envelopeKey,
  envelopeOf,
  frameOf,
  type Retained,
  type RetainedEnvelope,
  type RetainedFrame,
} from '../ring/retained.ts'
import { HUMAN_TOOL } from '../session/facts.ts'
import type { Session } from '../session/session.ts'
import { NEED_MS, type NeedEnd, type OpenNeed } from './open-needs.ts'

/** The kinds of frames that may open a need, and those that may close one. */
export const OPENING_KINDS = ['agent_query', 'agent_binding_moment', 'peer_diagnostic_request'] as const
export const CLOSING_KINDS = ['agent_response', 'agent_return_event', 'peer_diagnostic_response'] as const

const OPENING: ReadonlySet<string> = new Set([...OPENING_KINDS, ENVELOPE_KIND])
const CLOSING: ReadonlySet<string> = new Set([...CLOSING_KINDS, ENVELOPE_KIND])

/** What the instrument of a person's seat begins with (SEAT-01), and so what a scope for the person does. */
const PERSON = 'human'

/** What is told of the text of a need, in characters; the whole is in what opened it. */
const MAX_NEED_TEXT_LENGTH = 2_048

/** @param principal - whose needs they are @returns undefined for what opens none */
export function readOpening(retained: Retained, principal: string): OpenNeed | undefined {
  if (!OPENING.has(retained.kind) || retained.tool === HUMAN_TOOL) return undefined
  return retained.type === 'frame' ? readAsked(retained, principal) : readTask(retained)
}

/** @returns undefined for what closes none, whatever there is */
export function readEnd(retained: Retained): NeedEnd | undefined {
  if (!CLOSING.has(retained.kind)) return undefined
  if (retained.type === 'frame') return readAnswer(retained)
  const { envelope: facts, seq } = retained
  const id = answeredBy(facts)
  if (id === undefined) return undefined
  return { key: envelopeKey(id), by: facts.type === 'error' ? 'error' : 'result', entity: facts.from, seq }
}

/** What a session waits for at a prompt of its own; undefined for one that does not. */
export function readPrompt({ activity, address }: Session): OpenNeed | undefined {
  if (activity?.state !== 'waiting') return undefined
  return {
    key: promptKey(address),
    id: address,
    type: 'prompt',
    addressed: 'you',
    seq: 0,
    askedAtMs: activity.sinceMs,
    untilMs: undefined,
    from: address,
    asked: undefined,
    text: activity.text ?? activity.reason ?? '',
  }
}

/** No id of a frame has a slash, and no key of an envelope begins so. */
export function promptKey(address: string): string {
  return `at ${address}`
}

/**
 * Whom a scope can name: only the person, anyone, or, where no person can be meant, undefined.
 */
export function addressedBy(scope: Scope, principal: string): OpenNeed['addressed'] | undefined {
  if (scope.form === 'org' || scope.form === 'accord' || scope.handle !== principal) return undefined
  if (scope.form === 'all') return 'anyone'
  const name = scope.form === 'prefix' ? scope.prefix : scope.instrument
  if (name.startsWith(PERSON)) return 'you'
  return scope.form === 'prefix' && PERSON.startsWith(name) ? 'anyone' : undefined
}

function readAsked(retained: RetainedFrame, principal: string): OpenNeed | undefined {
  // Before it is parsed: most questions are for somebody else.
  const addressed = addressedBy(retained.scope, principal)
  if (addressed === undefined) return undefined
  const frame = frameOf(retained)
  if (frame.drafted_with.startsWith(`~${PERSON}`)) return undefined
  const asked = question(frame, retained)
  if (asked === undefined) return undefined
  const { id, type, untilMs, text } = asked
  const key = id.toLowerCase()
  return { key, id, type, addressed, asked: undefined, text, ...originOf(retained, untilMs) }
}

/** What a frame asks. */
type Asked = Pick<OpenNeed, 'id' | 'type' | 'text'> & { readonly untilMs: number }

function question(frame: Frame, { acceptedAtMs, expiresAtMs }: RetainedFrame): Asked | undefined {
  if (frame.kind === 'agent_query') {
    const { query_id: id, query_text: text, timeout_ms } = frame.payload
    return { id, type: 'question', untilMs: acceptedAtMs + timeout_ms, text }
  }
  if (frame.kind === 'agent_binding_moment')
    return {
      id: frame.frame_id,
      type: 'decision',
      untilMs: expiresAtMs,
      text: clip(frame.payload.synopsis, MAX_NEED_TEXT_LENGTH),
    }
  if (frame.kind !== 'peer_diagnostic_request' || frame.payload.severity !== 'blocked') return undefined
  const { diagnostic_id: id, symptom: text } = frame.payload
  return { id, type: 'diagnostic', untilMs: expiresAtMs, text }
}

function readTask(retained: RetainedEnvelope): OpenNeed | undefined {
  const { id, type, from, to, intent } = retained.envelope
  if (type !== 'task' || !isHuman(to) || isHuman(from)) return undefined
  const envelope = envelopeOf(retained)
  const isApproval = intent === APPROVAL_INTENT
  const summary = isApproval ? readApprovalRequest(envelope.payload)?.summary : undefined
  const timeoutMs = timeoutMsOf(envelope)
  return {
    key: envelopeKey(id),
    id,
    type: isApproval ? 'approval' : 'task',
    addressed: 'you',
    asked: to,
    text: clip(summary ?? `${intent}: ${summariseEnvelope(envelope)}`, MAX_NEED_TEXT_LENGTH),
    ...originOf(retained, timeoutMs === undefined ? undefined : retained.acceptedAtMs + timeoutMs),
  }
}

/** @param untilMs - of any size: whoever asks may say that it waits for ever, and a need does not */
function originOf(
  { seq, acceptedAtMs, senderAddress }: Retained,
  untilMs: number | undefined,
): Pick<OpenNeed, 'seq' | 'askedAtMs' | 'untilMs' | 'from'> {
  const endMs = untilMs === undefined ? undefined : Math.min(untilMs, acceptedAtMs + NEED_MS)
  return { seq, askedAtMs: acceptedAtMs, untilMs: endMs, from: senderAddress }
}

function readAnswer(retained: RetainedFrame): NeedEnd | undefined {
  const frame = frameOf(retained)
  const id = answeredId(frame)
  if (id === undefined) return undefined
  return {
    key: id.toLowerCase(),
    by: frame.kind === 'agent_return_event' ? 'return' : 'answer',
    seq: retained.seq,
  }
}

function answeredId(frame: Frame): string | undefined {
  if (frame.kind === 'agent_response' || frame.kind === 'agent_return_event') return frame.payload.query_id
  return frame.kind === 'peer_diagnostic_response' ? frame.payload.diagnostic_id : undefined
}
