/**
 * What is known of one lane, or of one reading, is kept under its stream key: the realm itself where there is one of each, as
 * in a person's own; else the realm, a space, and a word for whom it is.
 *
 * @see FED-11, FED-24
 */
import { createHash } from 'node:crypto'

/** The realm of one person's machines begins with it, that of an organisation's members, and that of an accord. */
const [OWN, ORG, ACCORD] = ['p.', 'o.', 'a.'] as const

/** Hexadecimal digits that stand for a grant. */
const GRANT_DIGITS = 16

/** What came from elsewhere, as far as it says where it came from. */
interface Arrived {
  readonly scopeText: string
  readonly origin: { readonly realm: string; readonly node: string }
}

/** Whom something of ours is for. An envelope has no scope. */
interface LeavingFacts {
  readonly scope?:
    | { readonly form: string; readonly role?: string | undefined; readonly grant?: string | undefined }
    | undefined
}

/** Whether a realm is that of an accord. */
export function isAccordRealm(realm: string): boolean {
  return realm.startsWith(ACCORD)
}

/** The realm of an organisation's members: `o.acme` of `~acme`. */
export function orgRealm(org: string): string {
  return `${ORG}${org.slice(1)}`
}

/** Whether something is kept of that realm. */
export function isKeyOf(realm: string, streamKey: string): boolean {
  return streamKey === realm || streamKey.startsWith(`${realm} `)
}

/**
 * Where reports about it leave: among one's own machines in the one lane, in an organisation in the lane for its member, and
 * under an accord in the lane of its grant the other way.
 */
export function reportsKey({ origin: { realm, node }, scopeText }: Arrived): string {
  if (realm.startsWith(OWN)) return realm
  if (realm.startsWith(ORG)) return memberKey(realm, node)
  // Its scope names us: `accord:~acme/grant:support`.
  const [, org = '', grant = ''] = /^accord:~([^/]+)\/grant:(.+)$/.exec(scopeText) ?? []
  return grantKey(realm, grant, org)
}

/**
 * Where something of ours left for a node: what the engine has acknowledged there says whether the hub has it.
 *
 * @param ownOrg - under an accord, of which side we are: `~acme`
 */
export function leavingKey(
  { realm, node, ownOrg = '' }: { readonly realm: string; readonly node: string; readonly ownOrg?: string },
  { scope }: LeavingFacts,
): string {
  if (realm.startsWith(OWN)) return realm
  if (scope?.form === 'accord') return grantKey(realm, scope.grant ?? '', ownOrg.slice(1))
  if (scope?.form === 'org') return `${realm} ${scope.role === undefined ? 'all' : `r-${scope.role}`}`
  return memberKey(realm, node)
}

/** @param org - who writes the lane, without its tilde */
function grantKey(realm: string, grant: string, org: string): string {
  const digits = createHash('sha256').update(grant).digest('hex').slice(0, GRANT_DIGITS)
  return `${realm} ${digits}.${org}`
}

/** @param node - `~bob/box` */
function memberKey(realm: string, node: string): string {
  return `${realm} m-${node.slice(1, Math.max(1, node.indexOf('/')))}`
}
