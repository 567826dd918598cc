/**
 * A signature of a document as it stands there: whose it is, by which key, and its value.
 *
 * @see FED-40; docs/requirements.md §3
 */
import { invalidField, missingField } from '../aee/envelope/fault.ts'
import { readMember } from '../aee/envelope/record.ts'
import { isKid } from '../aee/keys/fields.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { isHandle } from '../protocol/address/handle.ts'

/** Where the signatures stand: one party's as `sig`, several parties' as the list `sigs`. */
export type SignatureMember = 'sig' | 'sigs'

/** One signature, under the names it has in a document. */
export interface DocumentSignature {
  /** The handle that signs. */
  readonly by: string
  readonly alg: 'ed25519'
  readonly kid: string
  /** 64 bytes as base64. */
  readonly value: string
}

/** Parties of one document; protects the verifier. */
const MAX_SIGNATURES = 2

/** Both ends of base64 of 64 bytes, and room for a padding. */
const MAX_VALUE_LENGTH = 96

const NAMES = ['by', 'alg', 'kid', 'value'] as const

/**
 * Reads `sig` or `sigs`; absent and null are no signature.
 *
 * @throws AgentdError `field-invalid` or `field-missing`
 */
export function readSignatures(value: unknown, member: SignatureMember): readonly DocumentSignature[] {
  if (value === undefined || value === null) return []
  if (member === 'sig') return [readSignature(value, member)]
  if (!Array.isArray(value) || value.length > MAX_SIGNATURES)
    throw invalidField(member, `must be a list of at most ${MAX_SIGNATURES} signatures`)
  return value.map((one, i) => readSignature(one, `${member}[${i}]`))
}

function readSignature(value: unknown, field: string): DocumentSignature {
  if (!isJsonObject(value)) throw invalidField(field, `must be an object of ${NAMES.join(', ')}`)
  const stranger = Object.keys(value).find((name) => !NAMES.some((known) => known === name))
  if (stranger !== undefined) throw invalidField(field, `must be an object of ${NAMES.join(', ')}`)
  const [by, alg, kid, text] = NAMES.map((name) => readMember(value, name))
  if (by === undefined) throw missingField(`${field}.by`)
  if (typeof by !== 'string' || !isHandle(by)) throw invalidField(`${field}.by`, 'must be a canonical handle')
  if (alg !== 'ed25519') throw invalidField(`${field}.alg`, 'must be ed25519')
  if (!isKid(kid)) throw invalidField(`${field}.kid`, 'must be the id of a key')
  if (typeof text !== 'string' || text.length > MAX_VALUE_LENGTH)
    throw invalidField(`${field}.value`, 'must be a signature of 64 bytes as base64')
  return { by, alg, kid, value: text }
}
