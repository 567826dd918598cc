/**
 * A compact JWS with its payload left out: `header..signature`. Just the part of JOSE that signs envelopes.
 *
 * @see RFC 7515 §5, §7.1 and Appendix F; RFC 8037 ("EdDSA") and RFC 9864 ("Ed25519"); AEQ-15
 */
import { unlessRefused } from '../../core/thrown.ts'
import { decodeJson } from '../../core/text/json.ts'
import { readBase64Url } from './base64.ts'
import type { Algorithm } from './fields.ts'
import { readMember } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A detached JWS, taken apart and not yet verified. */
export interface DetachedJws {
  /** The protected header as it was sent: it is part of what is signed. */
  readonly header: string
  readonly alg: Algorithm
  /** Whatever stands there; the caller knows what a key id is. */
  readonly kid: unknown
  /** The signature, base64url; not yet decoded. */
  readonly value: string
}

/** A protected header has two members; the bound protects the parser. */
const MAX_HEADER_LENGTH = 1_024

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** JOSE's names for the algorithms; the older one of Ed25519 is deprecated, and still what libraries write. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  Ed25519: 'ed25519',
  EdDSA: 'ed25519',
  HS256: 'HS256',
}

/** What we write. */
const JOSE_NAMES: Readonly<Record<Algorithm, string>> = { ed25519: 'Ed25519', HS256: 'HS256' }

/** @returns undefined for every other form, a JWS with its payload inside included */
export function readDetachedJws(text: string): DetachedJws | undefined {
  const [header = '', payload, value = '', ...rest] = text.split('.', 4)
  if (payload !== '' || rest.length > 0 || !BASE64URL.test(value)) return undefined
  const members = readHeader(header)
  if (members === undefined) return undefined
  // `crit` names what we would have to understand and do not; `b64` changes what is signed (RFC 7797).
  if (Object.hasOwn(members, 'crit') || Object.hasOwn(members, 'b64')) return undefined
  const name = readMember(members, 'alg')
  if (typeof name !== 'string' || !Object.hasOwn(ALGORITHMS, name)) return undefined
  const alg = ALGORITHMS[name]
  return alg === undefined ? undefined : { header, alg, kid: readMember(members, 'kid'), value }
}

/** The protected header of a signature by a key, base64url. */
export function formatJwsHeader(alg: Algorithm, kid: string): string {
  return toBase64Url(Buffer.from(JSON.stringify({ alg: JOSE_NAMES[alg], kid })))
}

/** What is signed: the header, a dot, the payload that the reader puts back from the envelope. */
export function detachedSigningInput(header: string, payload: Uint8Array): Buffer {
  return Buffer.from(`${header}.${toBase64Url(payload)}`, 'ascii')
}

/** The whole string. */
export function formatDetachedJws(header: string, signature: Uint8Array): string {
  return `${header}..${toBase64Url(signature)}`
}

function readHeader(header: string): RecordMembers | undefined {
  const bytes = header.length > MAX_HEADER_LENGTH ? undefined : readBase64Url(header)
  if (bytes === undefined) return undefined
  const value = unlessRefused(() => decodeJson(bytes, 'sig'))
  return isJsonObject(value) ? value : undefined
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}
