/**
 * What a machine keeps between its request and the invitation: the keys it made, and the estate that names them. Secret, and
 * never quoted in an error.
 *
 * @see FED-14, FED-41
 */
import { anyOf } from '../../aee/envelope/member-rule.ts'
import type { RecordMembers } from '../../aee/envelope/record.ts'
import { isUserNkey } from '../keys/nkey.ts'
import { requireMembers, type MemberRules } from '../text/members.ts'
import { HANDLE, KEY, NODE, documentText } from '../text/member-rules.ts'
import { SHARED_REALM } from './shared-realm.ts'
import { readUnverified } from './signed-text.ts'

/** As it is kept. */
export interface PendingJoin {
  readonly type: 'agentd.pending'
  readonly v: 1
  readonly realm: string
  readonly handle: string
  readonly node: string
  /** In an accord: of which of the two organisations. */
  readonly org?: string
  /** Seed of its NKEY for this realm: secret. The public half is what the request says. */
  readonly nkey_seed: string
  readonly nkey: string
  /** As in a join file. */
  readonly node_key: string
  readonly estate_key: string
  readonly estate: string
}

const KIND = { noun: 'request', context: '', maxOctets: 262_144 }
const SEED = /^SU[A-Z2-7]{56}$/

const RULES: MemberRules = {
  type: anyOf('agentd.pending', (value) => value === 'agentd.pending'),
  v: anyOf('1, the one version this agentd reads', (value) => value === 1),
  realm: SHARED_REALM,
  handle: HANDLE,
  node: NODE,
  org: HANDLE,
  nkey_seed: anyOf('the seed of an NKEY', (value) => typeof value === 'string' && SEED.test(value)),
  nkey: anyOf('the public half of an NKEY', (value) => typeof value === 'string' && isUserNkey(value)),
  node_key: KEY,
  estate_key: KEY,
  estate: documentText('an estate'),
}

/** @throws AgentdError `field-missing` or `field-invalid`, which quotes nothing */
export function decodePending(text: string): PendingJoin {
  const members = readUnverified(KIND, text)
  requirePending(members)
  const { type, v, realm, handle, node, org, nkey_seed, nkey, node_key, estate_key, estate } = members
  const own = { type, v, realm, handle, node, ...(org !== undefined && { org }) }
  return { ...own, nkey_seed, nkey, node_key, estate_key, estate }
}

/** The file's text, secrets and all. @throws AgentdError as {@link decodePending} */
export function encodePending(pending: PendingJoin): string {
  const text = `${JSON.stringify(pending, undefined, 2)}\n`
  decodePending(text)
  return text
}

function requirePending(members: RecordMembers): asserts members is RecordMembers & PendingJoin {
  requireMembers(members, RULES, new Set(['org']))
}
