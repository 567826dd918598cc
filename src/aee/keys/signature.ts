/**
 * Signing an envelope, and checking who signed one.
 *
 * The draft says which members a signature should bind and not as which bytes (AEE-045). Here they are the
 * canonical JSON of an object of exactly these members, and `requires` is bound as well: `human_approval` could
 * be taken off otherwise. `trace` and `priority` change on the way and stay unbound (AEE-095).
 *
 * @see draft-cowles-aee-00 §§8, 11.2; AEQ-13…AEQ-15
 */
import { AgentdError, UsageError } from '../../core/errors.ts'
import { readBase64 } from './base64.ts'
import { canonicalJson } from '../envelope/canonical.ts'
import { detachedSigningInput, formatDetachedJws, formatJwsHeader } from './detached-jws.ts'
import type { Envelope } from '../envelope/envelope.ts'
import type { Key, KeyRing } from './key.ts'
import type { Algorithm } from './fields.ts'
import { readMember } from '../envelope/record.ts'
import { readSigClaim, unverifiable } from './sig-claim.ts'
import type { Canon, SigClaim } from './sig-claim.ts'

/** A `sig` as an object (AEE-047), with the bytes it is over named (AEQ-14). */
export interface SigObject {
  /** What it was made with. */
  readonly alg: Algorithm
  /** The key it was made with. */
  readonly kid: string
  /** The signature, as base64 with its padding. */
  readonly value: string
  /** Which members were signed, and in what spelling. */
  readonly canon: 'aee-jcs-1'
  /** Whatever else was there. */
  readonly [name: string]: unknown
}

/** How a signature is written. */
export interface SignOptions {
  /** `object`, the default, is the draft's recommendation; `jws` is for readers that know only JOSE. */
  readonly form?: 'object' | 'jws' | undefined
}

/** What a signature is checked against. */
export interface VerifyOptions {
  /** Where the key of a signature is looked up. */
  readonly keys: KeyRing
  /** The wall time, in milliseconds since 1970; keys hold from when to when they say. */
  readonly nowMs: number
  /** Takes `aee-jcs-10` of third parties as well, whose `requires` nobody has signed. Off by default. */
  readonly allowTenFields?: boolean | undefined
}

/** The members a signature binds at least (AEE-045); canonical JSON sorts them. */
const TEN_FIELDS = ['v', 'id', 'ts', 'type', 'from', 'to', 'intent', 'corr', 'reply_to', 'payload'] as const

const ELEVEN_FIELDS = [...TEN_FIELDS, 'requires'] as const

/** Twice the text of any signature we know; a longer one is not decoded to find out that it is too long. */
const MAX_VALUE_LENGTH = 256

/**
 * The bytes a signature is over: UTF-8 of the canonical JSON of the bound members. An absent `reply_to` or
 * `requires` counts as null, so that writing it out breaks no signature.
 *
 * @throws AgentdError `envelope-malformed` for an envelope without a canonical form
 */
export function boundBytes(envelope: Envelope, canon: Canon): Uint8Array {
  const fields = canon === 'aee-jcs-10' ? TEN_FIELDS : ELEVEN_FIELDS
  const bound = fields.map((field) => [field, readMember(envelope, field) ?? null] as const)
  return Buffer.from(canonicalJson(Object.fromEntries(bound)))
}

/**
 * Signs over eleven members, `aee-jcs-1`.
 *
 * @returns the value of `sig`; the envelope stays as it is
 * @throws UsageError when the key cannot sign, is revoked, or is not for `from`: nobody would take the signature
 * @throws AgentdError `envelope-malformed` for an envelope without a canonical form
 */
export function signEnvelope(envelope: Envelope, key: Key, options: SignOptions = {}): SigObject | string {
  if (key.status === 'revoked') throw new UsageError(`The key "${key.kid}" is revoked; sign with another.`)
  if (!key.covers(envelope.from))
    throw new UsageError(`The key "${key.kid}" may not sign for ${JSON.stringify(envelope.from)}.`)
  const bound = boundBytes(envelope, 'aee-jcs-1')
  if (options.form === 'jws') {
    const header = formatJwsHeader(key.alg, key.kid)
    return formatDetachedJws(header, key.sign(detachedSigningInput(header, bound)))
  }
  return { alg: key.alg, kid: key.kid, value: key.sign(bound).toString('base64'), canon: 'aee-jcs-1' }
}

/**
 * Checks a signature before anybody acts on the envelope (AEE-084, AEE-085).
 *
 * @returns `unsigned` when `sig` is absent or null (AEE-082); whether that will do is the caller's policy
 * @throws AgentdError `signature-unverifiable` when it cannot be checked: another form, an unknown `alg`, `canon`
 *   or `kid`, a key that does not hold now or is not for `from` (AEQ-13)
 * @throws AgentdError `signature-invalid` when it was checked and is wrong, or `alg` is not the key's
 * @throws AgentdError `envelope-malformed` for an envelope without a canonical form
 */
export function verifyEnvelope(
  envelope: Envelope,
  { keys, nowMs, allowTenFields = false }: VerifyOptions,
): 'unsigned' | 'verified' {
  const { sig } = envelope
  if (sig === undefined || sig === null) return 'unsigned'
  const claim = readSigClaim(sig)
  if (claim.canon === 'aee-jcs-10' && !allowTenFields) {
    throw unverifiable(
      'This daemon takes no signature that leaves "requires" unbound; sign as "aee-jcs-1".',
      'sig.canon',
    )
  }
  const key = requireKey(claim.kid, { keys, nowMs, from: envelope.from })
  if (key.alg !== claim.alg) throw invalid(`The key "${key.kid}" is of ${key.alg}, and "alg" says otherwise.`)
  const signature = readSignature(claim, key)
  if (!key.verify(claim.signedBytes(boundBytes(envelope, claim.canon)), signature))
    throw invalid(`The signature was not made over this envelope by the key "${key.kid}".`)
  return 'verified'
}

interface KeyQuery {
  readonly keys: KeyRing
  readonly nowMs: number
  readonly from: string
}

function requireKey(kid: string, { keys, nowMs, from }: KeyQuery): Key {
  const key = keys.find(kid)
  if (key === undefined) throw unverifiable(`This daemon knows no key "${kid}".`, 'sig')
  const state = key.stateAt(nowMs)
  if (state !== 'trusted') throw unverifiable(`The key "${kid}" is ${state}.`, 'sig')
  if (!key.covers(from)) throw unverifiable(`The key "${kid}" may not sign for whoever "from" names.`, 'sig')
  return key
}

function readSignature({ value }: SigClaim, key: Key): Uint8Array {
  const signature = value.length > MAX_VALUE_LENGTH ? undefined : readBase64(value)
  if (signature?.length !== key.signatureBytes)
    throw invalid(`A signature of ${key.alg} is ${key.signatureBytes} bytes as base64, and this one is not.`)
  return signature
}

function invalid(message: string): AgentdError {
  return new AgentdError('signature-invalid', message, { field: 'sig' })
}
