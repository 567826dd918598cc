/**
 * A record as a hub of somebody else's sees it: its place, the epoch of its key, and nothing of what it says. Where it stands is
 * authenticated with it, so that a sealed record counts nowhere else.
 *
 * @see FED-46; NIST SP 800-38D
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { invalidField } from '../../aee/envelope/fault.ts'
import { anyOf } from '../../aee/envelope/member-rule.ts'
import { readMember } from '../../aee/envelope/record.ts'
import { readBase64Url } from '../../aee/keys/base64.ts'
import { AgentdError } from '../../core/errors.ts'
import { cutMember } from '../text/carried.ts'
import { COUNT, PLACE } from '../text/member-rules.ts'
import { readObject, requireMembers, type MemberRules } from '../text/members.ts'
import { KEY_BYTES, TAG_BYTES } from './realm-key.ts'

/** Where a line stands. */
export interface SealedPlace {
  /** The lane, or the key of the bucket. */
  readonly subject: string
  /** The place of a record that has one: `6f1c-41`. */
  readonly e?: string | undefined
  /** The last report that a line of reports holds. */
  readonly r?: number | undefined
}

/** A sealed line, as it was read. */
export interface Sealed extends Omit<SealedPlace, 'subject'> {
  /** The epoch whose key it is sealed with. */
  readonly k: number
  readonly nonce: Uint8Array
  /** The tag stands at its end. */
  readonly cipherText: Uint8Array
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12

/** What is authenticated begins with it. */
const CONTEXT = 'agentd-sealed-1'

/** What a sealed line has beside the text: names, a place, two numbers, a nonce and a tag. */
const BESIDE_SEALED_OCTETS = 192

const TEXT = anyOf('octets as base64url', (value) => typeof value === 'string')
const RULES: MemberRules = { k: COUNT, e: PLACE, r: COUNT, n: TEXT, c: TEXT }
const OPTIONAL: ReadonlySet<string> = new Set(['e', 'r'])

/** What a text of so many octets has at the most when it is sealed. */
export function sealedOctets(octets: number): number {
  return Math.ceil((octets * 4) / 3) + BESIDE_SEALED_OCTETS
}

/** How many octets a text may have that has no more than so many when it is sealed. */
export function octetsToSeal(sealed: number): number {
  return Math.floor(((sealed - BESIDE_SEALED_OCTETS) * 3) / 4)
}

/** One line. @param k - the epoch that the key is of */
export function sealLine(key: Buffer, k: number, place: SealedPlace, line: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(authenticated(k, place))
  const text = Buffer.concat([cipher.update(line, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const { e, r } = place
  const c = text.toString('base64url')
  return JSON.stringify({ t: 'sealed', k, e, r, n: nonce.toString('base64url'), c })
}

/**
 * Reads a sealed line, without its key.
 *
 * @returns undefined for a line that is not sealed
 * @throws AgentdError `field-missing` or `field-invalid`
 */
export function readSealed(line: string, maxOctets: number): Sealed | undefined {
  if (cutMember(line, 't')?.text !== '"sealed"') return undefined
  const members = readObject(line, 'record', maxOctets)
  requireMembers(members, RULES, OPTIONAL)
  const [k, e, r, n, c] = ['k', 'e', 'r', 'n', 'c'].map((name) => readMember(members, name))
  return {
    k: Number(k),
    e: typeof e === 'string' ? e : undefined,
    r: typeof r === 'number' ? r : undefined,
    nonce: bytesOf(n, 'n', (octets) => octets === NONCE_BYTES),
    cipherText: bytesOf(c, 'c', (octets) => octets >= TAG_BYTES),
  }
}

/**
 * What was sealed.
 *
 * @param subject - where it was found
 * @throws AgentdError `field-invalid`, field `c`, for another key's, for what was changed, and for what was sealed elsewhere
 */
export function openSealed(key: Buffer, { k, e, r, nonce, cipherText }: Sealed, subject: string): string {
  const end = cipherText.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(authenticated(k, { subject, e, r }))
    decipher.setAuthTag(cipherText.subarray(end))
    return Buffer.concat([decipher.update(cipherText.subarray(0, end)), decipher.final()]).toString('utf8')
  } catch (error) {
    throw new AgentdError(
      'field-invalid',
      'What is sealed here was changed, or was sealed for another place.',
      {
        field: 'c',
        cause: error,
      },
    )
  }
}

/** The epoch that a line is sealed with; 0 for one that is not. */
export function sealedEpoch(line: string): number {
  return Number(/^\{"t":"sealed","k":(\d{1,15}),/.exec(line)?.[1] ?? 0)
}

/** A digest that says nothing to whoever guesses what it is of: its origin alone compares it. @param seed - the origin's */
export function sealedDigest(seed: string, digest: string): string {
  const key = Buffer.from(
    hkdfSync('sha256', Buffer.from(seed, 'base64url'), '', 'agentd-digest-1', KEY_BYTES),
  )
  return `${SEALED_DIGEST}${createHmac('sha256', key).update(digest).digest('base64url')}`
}

/** Whether a digest is one of {@link sealedDigest}. */
export function isSealedDigest(digest: string): boolean {
  return digest.startsWith(SEALED_DIGEST)
}

const SEALED_DIGEST = 'sealed:'

function authenticated(k: number, { subject, e, r }: SealedPlace): Buffer {
  return Buffer.from([CONTEXT, subject, String(k), e ?? '', r === undefined ? '' : String(r)].join('\n'))
}

function bytesOf(value: unknown, field: string, isLong: (octets: number) => boolean): Buffer {
  const bytes = typeof value === 'string' ? readBase64Url(value) : undefined
  if (bytes === undefined || !isLong(bytes.length)) throw invalidField(field, 'must be octets as base64url')
  return bytes
}
