/**
 * The realms of a hub with who is let in to each, and what each of those may: it follows from the documents of the moment.
 *
 * @see FED-11, FED-13, FED-56
 */
import type { Accord } from '../../../../authority/accord.ts'
import { Roll } from '../../../../authority/charter.ts'
import { formatDocument, stateOf, type SignedDocument } from '../../../../authority/document.ts'
import { grantsOf } from '../../../../authority/granting.ts'
import { accordToken, grantToken, type Audience } from '../../../../link/audience.ts'
import { ownHubRealm, type HubRealm } from '../../../../link/hub-config.ts'
import type { Access } from '../../../../link/permissions.ts'
import {
  accordRealm,
  charterKey,
  documentKey,
  principalOf,
  realmForm,
  type NodeAt,
  type Realm,
} from '../../../../link/realm.ts'
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
export function accessIn(
  realm: Realm,
  { handle, org }: NodeAt,
  authority: AuthorityFolder,
): Access | undefined {
  const form = realmForm(realm)
  if (form.form === 'org') return accessOfMember(form.org, handle, authority)
  if (form.form === 'person' || org === undefined) return undefined
  return accessOfParty(findAccord(realm, authority), { handle, org }, authority)
}

/** A member writes to everybody and reads what is for all, for its roles and for itself. */
function accessOfMember(org: string, handle: string, authority: AuthorityFolder): Access | undefined {
  const charter = authority.charters().get(org.slice(1))?.document
  const member = charter?.body.members.find((one) => one.handle === handle)
  if (member === undefined) return undefined
  const roles = member.roles.map((role): Audience => ({ of: 'role', role }))
  return { writes: [{ of: 'all' }], reads: [{ of: 'all' }, ...roles, { of: 'member', handle }] }
}

/** A member of either side writes under the grants that are theirs to use or to answer, and reads what the other side does. */
function accessOfParty(
  accord: SignedDocument<Accord> | undefined,
  who: { readonly org: string; readonly handle: string },
  authority: AuthorityFolder,
): Access | undefined {
  const charter = authority.charters().get(who.org.slice(1))?.document
  const peer = accord?.body.parties.find(({ org }) => org !== who.org)?.org
  if (accord === undefined || charter === undefined || peer === undefined) return undefined
  if (stateOf(accord, Date.now()) !== 'in force') return undefined
  const grants = grantsOf(accord.body, who, new Roll(charter.body)).map(({ grant }) => grantToken(grant))
  const of = (from: string): readonly Audience[] =>
    [...new Set(grants)].map((grant) => ({ of: 'grant', grant, from }))
  return grants.length === 0 ? undefined : { writes: of(who.org), reads: of(peer) }
}

/** The accord whose realm it is; undefined for one that is not here, or was taken back. */
export function findAccord(realm: Realm, authority: AuthorityFolder): SignedDocument<Accord> | undefined {
  const found = [...authority.accords()].find(([id]) => accordRealm(accordToken(id)) === realm)
  return found?.[1].document
}

/** The accord, and the charters of both sides as far as they are here. */
function documentsOfAccord(realm: Realm, authority: AuthorityFolder): readonly Published[] {
  const accord = findAccord(realm, authority)
  if (accord === undefined) return []
  const charters = accord.body.parties.flatMap(({ org }) => {
    const charter = authority.charters().get(org.slice(1))?.document
    return charter === undefined ? [] : [{ realm, key: charterKey(org), text: formatDocument(charter) }]
  })
  return [...charters, { realm, key: documentKey(realm), text: formatDocument(accord) }]
}

function documentsIn(realm: Realm, authority: AuthorityFolder): readonly Published[] {
  const form = realmForm(realm)
  if (form.form === 'accord') return documentsOfAccord(realm, authority)
  if (form.form !== 'org') return []
  const charter = authority.charters().get(form.org.slice(1))?.document
  return charter === undefined ? [] : [{ realm, key: documentKey(realm), text: formatDocument(charter) }]
}
