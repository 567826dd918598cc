/**
 * What this machine is among its person's: the name and the key that it has by a link or by an earlier request, or new ones,
 * which the person's key signs into their estate.
 *
 * @see FED-40, FED-41, FED-44
 */
import { hostname } from 'node:os'
import { ESTATE, currentNodes } from '../../../../authority/estate.ts'
import { readDocument } from '../../../../authority/document.ts'
import { UsageError } from '../../../../core/errors.ts'
import { unlessRefused } from '../../../../core/thrown.ts'
import { stateDir, type Environment } from '../../../../host/config/paths.ts'
import { readLinkEstate, readLinks } from '../../../../host/links/link-folders.ts'
import { readAllPending } from '../../../../host/links/pending-folder.ts'
import { decodePending } from '../../../../link/joining/pending.ts'
import { decodeJoin, decodeLink } from '../../../../link/link-file.ts'
import { ownRealm } from '../../../../link/realm.ts'
import type { AuthorityFolder } from '../../../authority/authority-folder.ts'
import { readNodeKey } from '../../../../link/keys/node-key.ts'
import { findEstate, signEstate } from './hub-estate.ts'
import { HubHome } from './hub-home.ts'
import { createNode, nodeNameOf, requireNode } from './hub-node.ts'

/** A machine with its key. */
export interface OwnNode {
  readonly node: string
  /** Seed of the key that signs its batches: secret. */
  readonly node_key: string
  /** The public key of the person, and the estate that it has signed. */
  readonly estate_key: string
  readonly estate: string
}

/**
 * What this machine is already; undefined for one that is nothing yet.
 *
 * @throws UsageError for another name than it has
 */
export function findOwnNode(
  environment: Environment,
  principal: string,
  wanted: string | undefined,
): OwnNode | undefined {
  const places = [linked, asked, atHub].flatMap((look) => look(environment, principal))
  const [found] = places.toSorted((a, b) => epochOf(b.estate) - epochOf(a.estate))
  if (found === undefined || wanted === undefined || wanted === found.node) return found
  throw new UsageError(
    `This machine is "${found.node}" among those of ${principal} already; leave out --node ${wanted}.`,
  )
}

/** The name it gets where it has none. @throws UsageError for one that is none, or that another machine of the person has */
export function newNodeName(environment: Environment, wanted: string | undefined): string {
  const name = requireNode(wanted ?? nodeNameOf(hostname()))
  if (new HubHome(environment).find()?.nodes.some(({ node }) => node === name) !== true) return name
  throw new UsageError(
    `Your hub has a machine "${name}" already. Where that is this one, link it first ("agentd link add home FILE"); otherwise name this one with --node.`,
  )
}

/** What this machine is in the estate that is signed here; undefined where that does not name it. */
export function findSignedNode(
  environment: Environment,
  authority: AuthorityFolder,
  principal: string,
): OwnNode | undefined {
  const own = findOwnNode(environment, principal, undefined)
  if (own === undefined) return undefined
  const { publicX } = readNodeKey(own.node_key)
  const nodes = currentNodes(findEstate(authority, principal)?.body.nodes ?? [], Date.now())
  return nodes.some(({ node, key }) => node === own.node && key === publicX) ? own : undefined
}

/** Makes its key, and signs it into the estate, in the place of one of the same name. */
export async function makeOwnNode(
  authority: AuthorityFolder,
  principal: string,
  name: string,
): Promise<OwnNode> {
  const { node, seed, inEstate } = createNode(name)
  const { text, keyX } = await signEstate(authority, principal, (nodes) => [
    ...nodes.filter((one) => one.node !== node),
    inEstate,
  ])
  return { node, node_key: seed, estate_key: keyX, estate: text }
}

function linked(environment: Environment, principal: string): readonly OwnNode[] {
  const state = stateDir(environment)
  return readLinks(state, environment.uid).flatMap(({ name, text }) => {
    const file = unlessRefused(() => decodeLink(text))
    if (file === undefined || (file.realm !== ownRealm(principal) && file.handle !== principal)) return []
    const { node, node_key, estate_key } = file
    const kept = readLinkEstate(state, name, environment.uid)
    const estate = kept !== undefined && epochOf(kept) > epochOf(file.estate) ? kept : file.estate
    return [{ node, node_key, estate_key, estate }]
  })
}

function asked(environment: Environment, principal: string): readonly OwnNode[] {
  return readAllPending(environment).flatMap((text) => {
    const pending = unlessRefused(() => decodePending(text))
    if (pending?.handle !== principal) return []
    const { node, node_key, estate_key, estate } = pending
    return [{ node, node_key, estate_key, estate }]
  })
}

/** The machine with the hub is one of its nodes, linked yet or not. */
function atHub(environment: Environment, principal: string): readonly OwnNode[] {
  const home = new HubHome(environment)
  const hub = home.find()
  if (hub?.own === undefined || hub.realm !== ownRealm(principal)) return []
  const text = hub.nodes.some(({ node }) => node === hub.own) ? home.joinOf(hub.own) : undefined
  const join = text === undefined ? undefined : unlessRefused(() => decodeJoin(text))
  if (join === undefined) return []
  const { node, node_key, estate_key, estate } = join
  return [{ node, node_key, estate_key, estate }]
}

/** 0 for what is no estate. */
function epochOf(estate: string): number {
  return unlessRefused(() => readDocument(ESTATE, estate))?.authorityEpoch ?? 0
}
