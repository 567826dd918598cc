/**
 * Which nodes something is for: those of one's own realm, those of a member, those of an organisation's members. One's own
 * machines are in each realm they joined, and count by their own alone.
 *
 * @see FED-24, FED-55, FED-56, FED-59, FED-69
 */
import type { Scope } from '../../protocol/address/scope.ts'
import type { Authority } from '../authority/authority.ts'
import { isAccordRealm, orgRealm } from '../origins/stream-key.ts'
import type { Retained } from '../ring/retained.ts'
import type { RemoteNode } from './remote.ts'

/** What begins the name of a person's own realm. */
const OWN = 'p.'

/** Whose handle is whose, who is in what, and whom a grant reaches. */
export type Membership = Pick<Authority, 'tierOf' | 'membersOf' | 'reachedBy'>

/** What is sent; of an envelope, which is for an entity, without a scope. */
export type Sent = Pick<Retained, 'senderHandle' | 'kind' | 'origin'> & { readonly scope: Scope | undefined }

/** Whether a node is in the realm of the person's own machines. */
export function isInOwnRealm({ realm }: Pick<RemoteNode, 'realm'>): boolean {
  return realm.startsWith(OWN)
}

/** Whether a node is another principal's. */
export function isForeign(node: Pick<RemoteNode, 'realm' | 'handle'>, { tierOf }: Membership): boolean {
  return !isInOwnRealm(node) && tierOf(node.handle) !== 'sovereign'
}

/** @returns each node once, though it may be in several realms */
export function concernedNodes(
  nodes: readonly RemoteNode[],
  sent: Sent,
  membership: Membership,
): readonly RemoteNode[] {
  const { scope } = sent
  if (scope === undefined)
    return eachOnce(nodes.filter((node) => isInOwnRealm(node) || isForeign(node, membership)))
  if (scope.form === 'accord') {
    const reached = membership.reachedBy(scope, sent)
    return nodes.filter(({ handle, realm }) => isAccordRealm(realm) && reached?.has(handle) === true)
  }
  if (scope.form === 'org') {
    const members = membership.membersOf(scope.org, scope.role)
    const realm = orgRealm(scope.org)
    return nodes.filter((node) => node.realm === realm && members?.has(node.handle) === true)
  }
  const theirs = nodes.filter((node) => node.handle === scope.handle && isForeign(node, membership))
  return theirs.length > 0 ? eachOnce(theirs) : nodes.filter(isInOwnRealm)
}

/** Of a node that several realms tell of, the one where it is. */
function eachOnce(nodes: readonly RemoteNode[]): readonly RemoteNode[] {
  const known = new Map<string, RemoteNode>()
  for (const node of nodes) {
    const before = known.get(node.node)
    if (before === undefined || (before.state !== 'here' && node.state === 'here')) known.set(node.node, node)
  }
  return [...known.values()]
}
