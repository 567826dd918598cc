/**
 * What members of several texts of the link must be.
 */
import { anyOf, type MemberRule } from '../../aee/envelope/member-rule.ts'
import { readBase64Url } from '../../aee/keys/base64.ts'
import { withinOctets } from '../../core/text/octets.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { HANDLE_PATTERN, isLabel, readAddress } from '../../protocol/address/label.ts'
import { isHubUrl } from './hub-url.ts'

/** Control characters: none of them belongs into a name or a line of a log. */
const CONTROL = /\p{Cc}/u

const isNull = (value: unknown): boolean => value === null
const isPlace = (value: unknown): boolean => typeof value === 'string' && readEventId(value) !== undefined

/** `6f1c-41`. */
export const PLACE: MemberRule = anyOf('an event id', isPlace)
export const PLACE_OR_NULL: MemberRule = anyOf('an event id or null', isPlace, isNull)

/** Milliseconds since 1970, or how many there are of something. */
export const COUNT: MemberRule = anyOf(
  'a whole number of 0 or more',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
)

export const FLAG: MemberRule = anyOf('true or false', (value) => typeof value === 'boolean')

export const NODE: MemberRule = anyOf(
  'the name of a machine, 1 to 32 of a-z 0-9 -',
  (value) => typeof value === 'string' && isLabel(value),
)

/** A machine of one's own by its label, and somebody else's behind the handle: `box`, `~bob/box`. */
export const NODE_ID: MemberRule = anyOf(
  'the name of a machine such as box or ~bob/box',
  (value) => typeof value === 'string' && isNodeId(value),
)

export const ADDRESS: MemberRule = anyOf(
  'the address of a session',
  (value) => typeof value === 'string' && readAddress(value) !== undefined,
)

function isNodeId(text: string): boolean {
  const slash = text.indexOf('/')
  return isLabel(text.slice(slash + 1)) && (slash === -1 || HANDLE_PATTERN.test(text.slice(0, slash)))
}

/** Text of 1 to so many octets without control characters. */
export function shortText(maxOctets: number): MemberRule {
  return anyOf(
    `1 to ${maxOctets} octets without control characters`,
    (value) => typeof value === 'string' && withinOctets(value, 1, maxOctets) && !CONTROL.test(value),
  )
}

/** Octets of a document with its signatures (FED-40). */
const MAX_DOCUMENT_OCTETS = 65_536

const KEY_BYTES = 32
const MAX_URLS = 8
const MAX_PEM_OCTETS = 32_768
const MAX_DOMAIN_LENGTH = 32

/** Half of an Ed25519 key. */
export const KEY: MemberRule = anyOf(
  `${KEY_BYTES} bytes as base64url`,
  (value) => typeof value === 'string' && readBase64Url(value)?.length === KEY_BYTES,
)

export const HANDLE: MemberRule = anyOf(
  'a canonical handle such as ~bob',
  (value) => typeof value === 'string' && HANDLE_PATTERN.test(value),
)

/** Where a hub is. */
export const URLS: MemberRule = anyOf(
  `a list of 1 to ${MAX_URLS} nats:// or tls:// addresses without a password`,
  (value) => Array.isArray(value) && value.length >= 1 && value.length <= MAX_URLS && value.every(isHubUrl),
)

/** The authority of a hub's certificate. */
export const CA: MemberRule = anyOf(
  'a certificate as PEM, or null',
  isNull,
  (value) => typeof value === 'string' && withinOctets(value, 1, MAX_PEM_OCTETS),
)

export const DOMAIN: MemberRule = anyOf(
  'the name of a JetStream domain, or null',
  isNull,
  (value) => typeof value === 'string' && value.length <= MAX_DOMAIN_LENGTH && /^[A-Za-z0-9_-]+$/.test(value),
)

/** A signed document, unread. @param what - `an estate` */
export function documentText(what: string): MemberRule {
  return anyOf(
    `the text of ${what}`,
    (value) => typeof value === 'string' && withinOctets(value, 1, MAX_DOCUMENT_OCTETS),
  )
}
