/**
 * An invitation: the answer to a request. Where the hub is, whose certificate it has, and the document that names who is in
 * the realm. It holds no secret, and is signed with the organisation's key, so that nobody on its way sends the machine to
 * another hub.
 *
 * @see FED-14, FED-40
 */
import { anyOf } from '../../aee/envelope/member-rule.ts'
import type { RecordMembers } from '../../aee/envelope/record.ts'
import { CA, DOMAIN, HANDLE, KEY, NODE, URLS, documentText } from '../text/member-rules.ts'
import { requireMembers, type MemberRules } from '../text/members.ts'
import { SHARED_REALM } from './shared-realm.ts'
import { readUnverified, verifySigned, writeSigned, type SignedTextKind, type Signer } from './signed-text.ts'

/** As it is handed over. */
export interface Invitation {
  readonly type: 'agentd.invitation'
  readonly v: 1
  /** `o.acme` */
  readonly realm: string
  /** For whom it is, as the request has it: `~bob`. */
  readonly handle: string
  readonly node: string
  /** As in a join file. */
  readonly urls: readonly string[]
  readonly ca: string | null
  readonly domain: string | null
  /** The text of the charter of the organisation whose hub it is. */
  readonly charter: string
  /** The public key that has signed the charter and this: 32 bytes as base64url. */
  readonly org_key: string
}

const KIND: SignedTextKind = { noun: 'invitation', context: 'agentd-invitation-1\n', maxOctets: 262_144 }

const RULES: MemberRules = {
  type: anyOf('agentd.invitation', (value) => value === 'agentd.invitation'),
  v: anyOf('1, the one version this agentd reads', (value) => value === 1),
  realm: SHARED_REALM,
  handle: HANDLE,
  node: NODE,
  urls: URLS,
  ca: CA,
  domain: DOMAIN,
  charter: documentText('a charter'),
  org_key: KEY,
}

/** The text, signed with the organisation's key. @throws AgentdError `field-invalid` for what cannot be read */
export function writeInvitation(invitation: Invitation, sign: Signer): string {
  const members = { ...invitation }
  requireInvitation(members)
  return writeSigned(KIND, members, sign)
}

/**
 * What an invitation says, if the key that it names has signed all of it; whether that key is the organisation's is for the
 * person to say.
 *
 * @throws AgentdError `field-missing`, `field-invalid`, `signature-required`, `signature-invalid`
 */
export function readInvitation(text: string): Invitation {
  const members = readUnverified(KIND, text)
  requireInvitation(members)
  verifySigned(KIND, members, members.org_key)
  const { type, v, realm, handle, node, urls, ca, domain, charter, org_key } = members
  return { type, v, realm, handle, node, urls, ca, domain, charter, org_key }
}

/** Whether a text says that it is one; nothing else of it is looked at. */
export function isInvitation(text: string): boolean {
  return text.includes('"agentd.invitation"')
}

function requireInvitation(members: RecordMembers): asserts members is RecordMembers & Invitation {
  requireMembers(members, RULES)
}
