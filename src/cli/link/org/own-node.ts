/**
 * What this machine is among its person's: the name and the key that it has by a link or by an earlier request, or new ones,
 * which the person's key signs into their estate.
 *
 * @see FED-40, FED-41, FED-44
 */
import { hostname } from 'node:os'
import { ESTATE } from '../../../authority/estate.ts'
import { readDocument } from '../../../authority/document.ts'
import { UsageError } from '../../../core/errors.ts'
import { unlessRefused } from '../../../core/thrown.ts'
import { stateDir, type Environment } from '../../../host/config/paths.ts'
import { readLinkEstate, readLinks } from '../../../host/links/link-folders.ts'
import { readAllPending } from '../../../host/links/pending-folder.ts'
import { decodePending } from '../../../link/joining/pending.ts'
import { decodeLink } from '../../../link/link-file.ts'
import { ownRealm } from '../../../link/realm.ts'
import type { AuthorityFolder } from '../../authority/authority-folder.ts'
import { signEstate } from '../hub/kept/hub-estate.ts'
import { createNode, nodeNameOf, requireNode } from '../hub/hub-node.ts'

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
  const [found] = [...linked(environment, principal), ...asked(environment, principal)].toSorted(
    (a, b) => epochOf(b.estate) - epochOf(a.estate),
  )
  if (found === undefined || wanted === undefined || wanted === found.node) return found
  throw new UsageError(
    `This machine is "${found.node}" among those of ${principal} already; leave out --node ${wanted}.`,
  )
}

/** The name it gets where it has none. @throws UsageError for one that is none */
export function newNodeName(wanted: string | undefined): string {
  return requireNode(wanted ?? nodeNameOf(hostname()))
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

/** 0 for what is no estate. */
function epochOf(estate: string): number {
  return unlessRefused(() => readDocument(ESTATE, estate))?.authorityEpoch ?? 0
}
