/**
 * From what an author has to say to a complete envelope on one line.
 *
 * @see AEE-005, AEE-007, AEE-C03, AEQ-06
 */
import {
  decodeEnvelopeText,
  parseEnvelope,
  type Envelope,
  type EnvelopeType,
  type Priority,
  type Trace,
} from '../../aee/envelope/envelope.ts'
import type { Key } from '../../aee/keys/key.ts'
import { signEnvelope } from '../../aee/keys/signature.ts'
import { encodeJson } from '../../core/text/json.ts'
import { newSessionId } from '../../core/ids.ts'

/** What an envelope is about; everything else has a default. */
export interface EnvelopeDraft {
  /** What the message is for. */
  readonly type: EnvelopeType
  /** An entity that the author registered, such as `agent.reviewer`. */
  readonly from: string
  /** An entity, or a channel such as `bus.ops`. */
  readonly to: string
  /** What is to be done or has happened, such as `ops.backup.status.check`. */
  readonly intent: string
  /** What it carries; its shape is the intent's. */
  readonly payload: Readonly<Record<string, unknown>>
  /** The workflow it belongs to; default: a new ULID, so that it begins one. */
  readonly corr?: string | undefined
  /** The envelope it answers or follows from; a result and an error have to name their task (AEE-013). */
  readonly replyTo?: string | null | undefined
  /** How soon it wants to be looked at; default `normal`. */
  readonly priority?: Priority | undefined
  /** Such as `{ timeout_ms: 30_000, human_approval: true }`. No place for secrets (AEE-089). */
  readonly requires?: Readonly<Record<string, unknown>> | null | undefined
  /** Its place in a distributed trace; absent or null, in none. */
  readonly trace?: Trace | null | undefined
  /** Names the envelope; default: a new ULID. */
  readonly id?: string | undefined
  /** When it was made; default: now, as `…Z` with milliseconds. */
  readonly ts?: string | undefined
}

/**
 * A complete envelope: all fourteen members stand in it, those without a value as null (AEE-C03).
 *
 * @param key - signs it
 * @throws AgentdError `field-invalid` and its kin here already, as the daemon would; UsageError for a key
 *   that cannot sign
 */
export function composeEnvelope(draft: EnvelopeDraft, nowMs: number, key?: Key): Envelope {
  const { type, from, to, intent, payload } = draft
  const members = {
    v: '1',
    id: draft.id ?? newSessionId(),
    ts: draft.ts ?? new Date(nowMs).toISOString(),
    type,
    from,
    to,
    intent,
    corr: draft.corr ?? newSessionId(),
    reply_to: draft.replyTo ?? null,
    trace: draft.trace ?? null,
    priority: draft.priority ?? 'normal',
    requires: draft.requires ?? null,
    payload,
    sig: null,
  }
  // What JSON makes of the members is what is sent, and so what is signed.
  const envelope = parseEnvelope(JSON.parse(encodeJson(members, 'envelope', 'envelope-malformed')))
  return key === undefined ? envelope : { ...envelope, sig: signEnvelope(envelope, key) }
}

/**
 * The line of an envelope.
 *
 * @param envelope - an object, or the text of one, which is sent as it was written
 * @throws AgentdError `envelope-too-large` and its kin here already: sent, it would end the pipe for the
 *   envelopes behind it
 */
export function encodeEnvelope(envelope: Envelope | string): string {
  const text =
    typeof envelope === 'string' ? envelope : encodeJson(envelope, 'envelope', 'envelope-malformed')
  return decodeEnvelopeText(text).text
}
