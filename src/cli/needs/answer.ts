/**
 * What the person says to a need, sent to whoever asked and to nobody else.
 *
 * It says that a person said it: `drafted_with ~human`, basis `person`. That is an enrolment and no proof.
 *
 * @see SEAT-05, SEAT-12, W-7, W-9
 */
import type {
  ComposedEnvelope,
  EnvelopeOptions,
  Participant,
  PersonNeed,
  VerbResult,
} from '../../client/index.ts'
import type { Envelope, EnvelopeType } from '../../aee/envelope/envelope.ts'
import { UsageError } from '../../core/errors.ts'

/** What a person's frames say of themselves; a session's own say what it registered. */
const BY_A_PERSON = { drafted_with: '~human', provenance: { basis: 'person' } }

/** Who answers. */
export interface Answering {
  readonly participant: Participant
  /** Whether it is a session's token that speaks, and not the person. */
  readonly isSession: boolean
}

/** The text of an answer to a question, a decision or a diagnostic. */
export function respond(
  { participant, isSession }: Answering,
  need: PersonNeed,
  text: string,
): Promise<VerbResult> {
  return participant.verb('agent_respond', {
    query_id: need.needId,
    text,
    responded_to_frame_id: need.frame?.frame_id,
    recipient_scope: responseScope(need) ?? askerOf(need),
    ...(!isSession && BY_A_PERSON),
  })
}

/**
 * Says that no answer comes (SEAT-12): to the session that asked, wherever it wanted answers; where none did, to whoever
 * was to hear them.
 */
export function giveBack(
  { participant, isSession }: Answering,
  need: PersonNeed,
  why: string,
): Promise<VerbResult> {
  return participant.verb('agent_return', {
    return_event_ref: 'seat:dismissed',
    summary: why,
    query_id: need.needId,
    recipient_scope: askerOf(need) ?? responseScope(need),
    ...(!isSession && BY_A_PERSON),
  })
}

/** What ends a task to the person. */
export function endTask(
  participant: Participant,
  task: Envelope,
  { type, payload, sign }: { readonly type: EnvelopeType; readonly payload: object } & EnvelopeOptions,
): Promise<ComposedEnvelope> {
  const { id, from, to, intent, corr, priority } = task
  const answer = { type, from: to, to: from, intent, corr, replyTo: id, priority, payload: { ...payload } }
  return participant.sendEnvelope(answer, { sign })
}

/** The task of a need. @throws UsageError where what was sent is not told with it */
export function requireTask({ envelope, needId }: PersonNeed): Envelope {
  if (envelope !== undefined) return envelope
  throw new UsageError(`The task "${needId}" is too large to be told of here; see "agentd envelope get".`)
}

/** Where answers to a question go, as it says itself; undefined for anything else. */
function responseScope({ frame }: PersonNeed): string | undefined {
  return frame?.kind === 'agent_query' ? frame.payload.response_scope : undefined
}

/** The session that asked; undefined where none did. */
function askerOf({ from }: PersonNeed): string | undefined {
  return from.address ?? undefined
}
