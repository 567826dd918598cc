/**
 * Which nodes something is for: those of one's own realm, those of a member, those of an organisation's members. One's own
 * machines are in each realm they joined, and count by their own alone.
 *
 * @see FED-24, FED-55, FED-56, FED-59, FED-69
 */
import type { Scope } from '../../protocol/address/scope.ts'
import type { Authority } from '../authority/authority.ts'
import type { RemoteNode } from './remote.ts'

/** What begins the name of a person's own realm, and of an organisation's. */
const OWN = 'p.'
const ORGANISATION = 'o.'

/** Whose handle is whose, and who is in what. */
export type Membership = Pick<Authority, 'tierOf' | 'membersOf'>

/** Whether a node is in the realm of the person's own machines. */
export function isInOwnRealm({ realm }: Pick<RemoteNode, 'realm'>): boolean {
  return realm.startsWith(OWN)
}

/** Whether a node is another principal's. */
export function isForeign(node: Pick<RemoteNode, 'realm' | 'handle'>, { tierOf }: Membership): boolean {
  return !isInOwnRealm(node) && tierOf(node.handle) !== 'sovereign'
}

/**
 * @param scope - undefined for an envelope, which is for an entity
 * @returns each node once, though it may be in several realms
 */
export function concernedNodes(
  nodes: readonly RemoteNode[],
  scope: Scope | undefined,
  membership: Membership,
): readonly RemoteNode[] {
  if (scope === undefined)
    return eachOnce(nodes.filter((node) => isInOwnRealm(node) || isForeign(node, membership)))
  if (scope.form === 'accord') return []
  if (scope.form === 'org') {
    const members = membership.membersOf(scope.org, scope.role)
    const realm = `${ORGANISATION}${scope.org.slice(1)}`
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
