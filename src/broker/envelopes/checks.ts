/**
 * What an envelope has to pass besides its own shape: signature, strictness, payload, recipient.
 *
 * @see docs/requirements.md §8; AEE-083…AEE-085, AEQ-13, AEQ-17, AEQ-20
 */
import { quoteName } from '../../aee/envelope/fault.ts'
import type { Advice } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY, isChannel, isLog, nearNames } from '../../aee/envelope/entity.ts'
import type { DecodedEnvelope, Envelope } from '../../aee/envelope/envelope.ts'
import { verifyEnvelope } from '../../aee/keys/signature.ts'
import { AgentdError } from '../../core/errors.ts'
import { findInexactNumber } from '../../protocol/refusal/json-numbers.ts'
import type { Entities } from '../audience/entities.ts'
import type { OtherNodes } from '../remote/other-nodes.ts'
import type { EnvelopePolicy } from './policy.ts'

/** Who an envelope can be for, here and on other nodes. */
interface Recipients {
  readonly entities: Entities
  readonly others: Pick<OtherNodes, 'knowsEntity' | 'entities'>
}

/** What is judged last, with the intent's own policy. */
export function isReserved({ code }: Advice): boolean {
  return code === 'intent-reserved'
}

/** @throws AgentdError the first piece of advice that the strict profile turns into a refusal */
export function refuseIfStrict({ isStrict }: EnvelopePolicy, advice: readonly Advice[]): void {
  if (!isStrict) return
  const first = advice.find((one) => one.isStrict)
  if (first === undefined) return
  const { code, field, message } = first
  throw new AgentdError(code, message, field === undefined ? {} : { field })
}

/**
 * @returns `unread` where signatures are passed on as they are
 * @throws AgentdError as `verifyEnvelope`; `signature-required` where every envelope has to have one
 */
export function requireSignature(
  { envelope, text }: DecodedEnvelope,
  policy: EnvelopePolicy,
  nowMs: number,
): 'verified' | 'unsigned' | 'unread' {
  if (policy.signatures === 'relay') return 'unread'
  const keys = { find: (kid: string) => policy.findKey(kid) }
  const verdict = verifyEnvelope(envelope, { keys, nowMs, allowTenFields: policy.allowTenFields })
  if (verdict === 'verified') {
    requireExactNumbers(text)
    return 'verified'
  }
  if (policy.signatures !== 'require') return 'unsigned'
  throw new AgentdError(
    'signature-required',
    'This daemon takes signed envelopes only; sign it with a key of "agentd keys".',
    { field: 'sig' },
  )
}

/** A signature covers the number that was parsed, and the recipient is given the text, which may say another. */
function requireExactNumbers(text: string): void {
  const inexact = findInexactNumber(text)
  if (inexact === undefined) return
  throw new AgentdError(
    'signature-unverifiable',
    `A double cannot hold the number ${quoteName(inexact)}, so that no signature covers it; send it as a string.`,
    { field: 'sig' },
  )
}

/**
 * Holds a payload against the schema of its intent, where the person wants that.
 *
 * @throws AgentdError `payload-invalid` where it is enforced
 */
export function checkPayload({ intent, type, payload }: Envelope, policy: EnvelopePolicy): readonly Advice[] {
  // An event and a stream have no schema of their own (AEE-067).
  if (type === 'event' || type === 'stream') return []
  const rule = policy.payloadPolicyFor(intent)
  if (rule === 'off') return []
  const { schemas } = policy
  if (schemas === undefined) {
    // Only for a moment, after a reload that asks for them the first time.
    if (rule === 'warn') return []
    throw new AgentdError('busy', 'The schemas of payloads are being read.', { retryAfterMs: 1_000 })
  }
  const outcome = schemas.validate(intent, type, payload)
  if (outcome.kind !== 'invalid') return []
  const message = `The payload does not fit ${intent}.${type}: ${outcome.errors.join(' ')}`
  if (rule === 'enforce') throw new AgentdError('payload-invalid', message, { field: 'payload' })
  return [{ code: 'payload-invalid', field: 'payload', message, isStrict: false }]
}

/**
 * What expects an answer, or is one, needs somebody it can be for. An event is a signal to whoever hears it, a channel and
 * a log need nobody (AEE-027, AEQ-20). Another node's roster names somebody as well as a registration here (FED-69).
 *
 * @throws AgentdError `recipient-unknown`, with names that are near
 */
export function requireRecipient({ to, type }: Envelope, { entities, others }: Recipients): void {
  if (type === 'event' || to === SERVICE_ENTITY || isChannel(to) || isLog(to) || entities.isKnown(to)) return
  // As of a name that was registered here: it stays known when whoever holds it is away.
  if (others.knowsEntity(to)) return entities.remember(to)
  const near = nearNames(to, [...entities.known, ...others.entities()])
  const hint = near.length === 0 ? '' : ` There is ${near.map(quoteName).join(', ')}.`
  throw new AgentdError(
    'recipient-unknown',
    `Nobody has ever registered ${quoteName(to)}.${hint} A session hears for the "entities" it registers.`,
    { field: 'to' },
  )
}
