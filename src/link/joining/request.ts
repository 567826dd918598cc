/**
 * A request: a machine that wants into a realm of others says who it is. It holds no secret; those stay where they were made.
 *
 * Three keys hang together in it: the person's own signs the estate, the estate names the machine's, and the machine's signs
 * the request with the name that it is to have at the hub. Whoever takes it has to be sure of the first alone.
 *
 * @see FED-40, FED-41, FED-44
 */
import { anyOf } from '../../aee/envelope/member-rule.ts'
import type { RecordMembers } from '../../aee/envelope/record.ts'
import { isUserNkey } from '../keys/nkey.ts'
import { requireMembers, type MemberRules } from '../text/members.ts'
import { HANDLE, KEY, NODE, documentText } from '../text/member-rules.ts'
import { SHARED_REALM } from './shared-realm.ts'
import { readUnverified, verifySigned, writeSigned, type SignedTextKind, type Signer } from './signed-text.ts'

/** As it is handed over. */
export interface JoinRequest {
  readonly type: 'agentd.request'
  readonly v: 1
  /** `o.acme` */
  readonly realm: string
  /** Whose machine it is: `~bob`. */
  readonly handle: string
  /** What it is called. */
  readonly node: string
  /** The public half of its NKEY: `U…`. */
  readonly nkey: string
  /** The text of the estate that names it. */
  readonly estate: string
  /** The public key that signs that estate: 32 bytes as base64url. */
  readonly key: string
  /** In an accord: the text of the charter of the organisation that the machine is of. */
  readonly charter?: string
}

const KIND: SignedTextKind = { noun: 'request', context: 'agentd-request-1\n', maxOctets: 262_144 }

const RULES: MemberRules = {
  type: anyOf('agentd.request', (value) => value === 'agentd.request'),
  v: anyOf('1, the one version this agentd reads', (value) => value === 1),
  realm: SHARED_REALM,
  handle: HANDLE,
  node: NODE,
  nkey: anyOf('the public half of an NKEY', (value) => typeof value === 'string' && isUserNkey(value)),
  estate: documentText('an estate'),
  key: KEY,
  charter: documentText('a charter'),
}

const OPTIONAL: ReadonlySet<string> = new Set(['charter'])

/** The text, signed with the machine's own key. @throws AgentdError `field-invalid` for what cannot be read */
export function writeRequest(request: JoinRequest, sign: Signer): string {
  const members = { ...request }
  requireRequest(members)
  return writeSigned(KIND, members, sign)
}

/**
 * What a request says; who has signed it is asked with {@link verifyRequest}, as soon as the estate has told the key.
 *
 * @throws AgentdError `field-missing` or `field-invalid`
 */
export function readRequest(text: string): JoinRequest {
  const members = readUnverified(KIND, text)
  requireRequest(members)
  const { type, v, realm, handle, node, nkey, estate, key, charter } = members
  return { type, v, realm, handle, node, nkey, estate, key, ...(charter !== undefined && { charter }) }
}

/**
 * That the machine has signed it with the key that its estate names.
 *
 * @throws AgentdError `signature-required`, `signature-invalid`
 */
export function verifyRequest(text: string, nodeKeyX: string): void {
  verifySigned(KIND, readUnverified(KIND, text), nodeKeyX)
}

function requireRequest(members: RecordMembers): asserts members is RecordMembers & JoinRequest {
  requireMembers(members, RULES, OPTIONAL)
}
