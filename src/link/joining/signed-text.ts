/**
 * A text that somebody hands over and has signed as a whole: one JSON object with a signature beside its other members,
 * whatever those are.
 *
 * @see FED-40, FED-41
 */
import { verify } from 'node:crypto'
import { canonicalJson } from '../../aee/envelope/canonical.ts'
import { invalidField } from '../../aee/envelope/fault.ts'
import { readMember, type RecordMembers } from '../../aee/envelope/record.ts'
import { readBase64 } from '../../aee/keys/base64.ts'
import { publicKeyOf } from '../../aee/keys/public-key.ts'
import { AgentdError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { parseJson } from '../../core/text/json.ts'
import { octetLength } from '../../core/text/octets.ts'
import { unlessRefused } from '../../core/thrown.ts'

/** What sort of text it is. */
export interface SignedTextKind {
  /** What an error names: `request`. */
  readonly noun: string
  /** Stands in front of what is signed, so that nothing signed as something else is ever taken for it. */
  readonly context: string
  /** The whole text. */
  readonly maxOctets: number
}

/** Makes 64 bytes over others. */
export type Signer = (bytes: Uint8Array) => Buffer

/** The text of some members, signed. @throws AgentdError `field-invalid` when it is too large */
export function writeSigned(kind: SignedTextKind, members: RecordMembers, sign: Signer): string {
  const sig = sign(bytesOf(kind, members)).toString('base64')
  const text = `${canonicalJson({ ...members, sig })}\n`
  requireSize(kind, text)
  return text
}

/** The members of a text, whoever has signed it. @throws AgentdError `field-invalid` */
export function readUnverified(kind: SignedTextKind, text: string): RecordMembers {
  requireSize(kind, text)
  const value = unlessRefused(() => parseJson(text, kind.noun))
  if (isJsonObject(value)) return value
  throw invalidField(kind.noun, 'must be one JSON object with no name twice')
}

/**
 * Checks that a key has signed exactly these members.
 *
 * @param publicX - 32 bytes as base64url
 * @throws AgentdError `signature-required`, `signature-invalid`
 */
export function verifySigned(kind: SignedTextKind, members: RecordMembers, publicX: string): void {
  const { sig, ...signed } = members
  if (readMember(members, 'sig') === undefined)
    throw new AgentdError('signature-required', `This ${kind.noun} is not signed.`, { field: 'sig' })
  const value = typeof sig === 'string' ? readBase64(sig) : undefined
  if (value !== undefined && verify(null, bytesOf(kind, signed), publicKeyOf(publicX), value)) return
  throw new AgentdError('signature-invalid', `This ${kind.noun} is not what its key has signed.`, {
    field: 'sig',
  })
}

function bytesOf({ context }: SignedTextKind, members: RecordMembers): Uint8Array {
  return Buffer.from(`${context}${canonicalJson(members)}`)
}

function requireSize({ noun, maxOctets }: SignedTextKind, text: string): void {
  if (text.length > maxOctets || octetLength(text) > maxOctets)
    throw invalidField(noun, `must be at most ${maxOctets} octets`)
}
