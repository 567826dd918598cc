/**
 * Machines of several people, let in to a realm of theirs and taken out of it again.
 *
 * @see FED-11, FED-43
 */
import { UsageError } from '../../../../core/errors.ts'
import type { NodeAt, Realm } from '../../../../link/realm.ts'
import { MAX_HUB_NODES, MAX_HUB_REALMS, type HubFile, type SharedNode, type SharedRealm } from './hub-file.ts'

/** The hub with a realm more, if it has not that one. @throws UsageError for one too many */
export function withRealm(hub: HubFile, realm: Realm): HubFile {
  if (hub.realms.some((one) => one.realm === realm)) return hub
  if (hub.realms.length >= MAX_HUB_REALMS)
    throw new UsageError(`A hub serves ${MAX_HUB_REALMS} realms of several people at the most.`)
  return { ...hub, realms: [...hub.realms, { realm, nodes: [] }] }
}

/** The hub with a machine more; one that was there gets another credential. @throws UsageError for one too many */
export function withSharedNode(hub: HubFile, realm: Realm, node: SharedNode): HubFile {
  return changed(withRealm(hub, realm), realm, (nodes) => {
    const others = nodes.filter((one) => !isSame(one, node))
    if (others.length >= MAX_HUB_NODES)
      throw new UsageError(
        `A hub lets ${MAX_HUB_NODES} machines in to a realm at the most; revoke those that are gone.`,
      )
    return [...others, node]
  })
}

/** The hub without some of a realm's machines. */
export function withoutSharedNodes(
  hub: HubFile,
  realm: Realm,
  isGone: (node: SharedNode) => boolean,
): HubFile {
  return changed(hub, realm, (nodes) => nodes.filter((one) => !isGone(one)))
}

/** The machines of a realm; undefined where the hub does not serve it. */
export function findRealm(hub: HubFile, realm: Realm): SharedRealm | undefined {
  return hub.realms.find((one) => one.realm === realm)
}

function changed(
  hub: HubFile,
  realm: Realm,
  change: (nodes: readonly SharedNode[]) => readonly SharedNode[],
): HubFile {
  const realms = hub.realms.map((one) => (one.realm === realm ? { realm, nodes: change(one.nodes) } : one))
  return { ...hub, realms }
}

function isSame(a: NodeAt, b: NodeAt): boolean {
  return a.handle === b.handle && a.node === b.node && a.org === b.org
}
