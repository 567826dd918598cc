/**
 * What a `sig` says of itself, in either of its forms, before anybody believes it: the object of the draft, or a
 * detached JWS as a string.
 *
 * @see draft-cowles-aee-00 §8, AEE-046, AEE-047; AEQ-13…AEQ-15
 */
import { AgentdError } from '../../core/errors.ts'
import { detachedSigningInput, readDetachedJws } from './detached-jws.ts'
import { isAlgorithm, isKid } from './fields.ts'
import type { Algorithm } from './fields.ts'
import { readMember } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'

/** Which bytes a signature is over; the names are agentd's, the draft defines none (AEQ-14). */
export type Canon = 'aee-jcs-1' | 'aee-jcs-10'

/** A signature's claim to be checked. */
export interface SigClaim {
  readonly kid: string
  readonly alg: Algorithm
  readonly canon: Canon
  /** The signature, base64 or base64url. Whether it decodes to anything is not known yet. */
  readonly value: string
  /** From the bytes the canon binds to the bytes that were signed: a JWS wraps them. */
  readonly signedBytes: (bound: Uint8Array) => Uint8Array
}

/**
 * Reads a `sig` that is there. A missing `canon` stands for `aee-jcs-1`, the one that binds most.
 *
 * @throws AgentdError `signature-unverifiable`, naming the member, for any other form or name (AEQ-13)
 */
export function readSigClaim(sig: RecordMembers | string): SigClaim {
  return typeof sig === 'string' ? readStringClaim(sig) : readObjectClaim(sig)
}

/** What cannot be checked is refused as if it had failed (AEQ-13). @param message - a whole sentence */
export function unverifiable(message: string, field: string): AgentdError {
  return new AgentdError('signature-unverifiable', message, { field })
}

function readObjectClaim(sig: RecordMembers): SigClaim {
  const value = readMember(sig, 'value')
  if (typeof value !== 'string' || value === '')
    throw unverifiable('A signature carries its "value" as base64.', 'sig.value')
  const canon = readMember(sig, 'canon') ?? 'aee-jcs-1'
  if (canon !== 'aee-jcs-1' && canon !== 'aee-jcs-10')
    throw unverifiable('The "canon" of a signature is "aee-jcs-1", or left out.', 'sig.canon')
  const alg = readMember(sig, 'alg')
  if (!isAlgorithm(alg)) throw unverifiable('The "alg" of a signature is "ed25519" or "HS256".', 'sig.alg')
  return { kid: requireKid(readMember(sig, 'kid'), 'sig.kid'), alg, canon, value, signedBytes: asTheyAre }
}

function readStringClaim(sig: string): SigClaim {
  const jws = readDetachedJws(sig)
  if (jws === undefined) {
    throw unverifiable(
      'A "sig" that is a string is a detached compact JWS (RFC 7515, Appendix F) with "alg" and "kid" in its header.',
      'sig',
    )
  }
  const { alg, kid, header, value } = jws
  return {
    kid: requireKid(kid, 'sig'),
    alg,
    canon: 'aee-jcs-1',
    value,
    signedBytes: (bound) => detachedSigningInput(header, bound),
  }
}

function requireKid(kid: unknown, field: string): string {
  if (isKid(kid)) return kid
  throw unverifiable('The "kid" of a signature names a key this daemon trusts; this one cannot.', field)
}

function asTheyAre(bound: Uint8Array): Uint8Array {
  return bound
}
