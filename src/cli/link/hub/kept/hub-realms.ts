/**
 * The realms of a hub with who is let in to each, and what each of those may: it follows from the documents of the moment.
 *
 * @see FED-11, FED-13, FED-56
 */
import { formatDocument } from '../../../../authority/document.ts'
import type { Audience } from '../../../../link/audience.ts'
import { ownHubRealm, type HubRealm } from '../../../../link/hub-config.ts'
import type { Access } from '../../../../link/permissions.ts'
import { documentKey, principalOf, realmForm, type NodeAt, type Realm } from '../../../../link/realm.ts'
import type { AuthorityFolder } from '../../../authority/authority-folder.ts'
import { estateText } from './hub-estate.ts'
import type { HubFile } from './hub-file.ts'

/** A text that the hub hands on to everybody of a realm. */
export interface Published {
  readonly realm: Realm
  /** Its key in the bucket of the realm. */
  readonly key: string
  readonly text: string
}

/** Everybody whom the hub lets in. Who is a member no more is left out, whatever the hub's file says. */
export function hubRealms(
  { realm, nodes, realms }: HubFile,
  authority: AuthorityFolder,
): readonly HubRealm[] {
  const others = realms.map((one) => ({
    realm: one.realm,
    nodes: one.nodes.flatMap((node) => {
      const access = accessIn(one.realm, node, authority)
      return access === undefined ? [] : [{ ...node, ...access }]
    }),
  }))
  return [ownHubRealm(realm, nodes), ...others]
}

/** What the hub hands on: the estate of its person, and the charters of the organisations it serves. */
export function documentsOf(hub: HubFile, authority: AuthorityFolder): readonly Published[] {
  const estate = estateText(authority, principalOf(hub.realm))
  const others = hub.realms.flatMap(({ realm }) => documentsIn(realm, authority))
  return estate === undefined
    ? others
    : [{ realm: hub.realm, key: documentKey(hub.realm), text: estate }, ...others]
}

/** What a node may read and write; undefined for one that nothing lets in. */
export function accessIn(realm: Realm, { handle }: NodeAt, authority: AuthorityFolder): Access | undefined {
  const form = realmForm(realm)
  return form.form === 'org' ? accessOfMember(form.org, handle, authority) : undefined
}

/** A member writes to everybody and reads what is for all, for its roles and for itself. */
function accessOfMember(org: string, handle: string, authority: AuthorityFolder): Access | undefined {
  const charter = authority.charters().get(org.slice(1))?.document
  const member = charter?.body.members.find((one) => one.handle === handle)
  if (member === undefined) return undefined
  const roles = member.roles.map((role): Audience => ({ of: 'role', role }))
  return { writes: [{ of: 'all' }], reads: [{ of: 'all' }, ...roles, { of: 'member', handle }] }
}

function documentsIn(realm: Realm, authority: AuthorityFolder): readonly Published[] {
  const form = realmForm(realm)
  if (form.form !== 'org') return []
  const charter = authority.charters().get(form.org.slice(1))?.document
  return charter === undefined ? [] : [{ realm, key: documentKey(realm), text: formatDocument(charter) }]
}
