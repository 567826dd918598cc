/**
 * One machine let in by a hub: its credential at the server, its key in the estate, and both as the file it is handed.
 *
 * @see FED-14, FED-40, FED-41
 */
import type { EstateNode } from '../../../../authority/estate.ts'
import { UsageError } from '../../../../core/errors.ts'
import { createNodeKey, readNodeKey } from '../../../../link/keys/node-key.ts'
import { createUserNkey, type UserNkey } from '../../../../link/keys/nkey.ts'
import { encodeJoin } from '../../../../link/link-file.ts'
import { isNodeLabel } from '../../../../link/realm.ts'
import type { SignedEstate } from './hub-estate.ts'
import { MAX_HUB_NODES, type HubFile } from './hub-file.ts'

/** A machine with new keys, which nobody knows yet. */
export interface NewNode {
  readonly node: string
  readonly credential: UserNkey
  /** Seed of the key that signs its batches: secret. */
  readonly seed: string
  /** As the estate names it. */
  readonly inEstate: EstateNode
}

/** Makes its keys. @param known - the seed of the key that it signs with already, which it keeps */
export function createNode(node: string, known?: string): NewNode {
  const { seed, publicX } =
    known === undefined ? createNodeKey() : { seed: known, publicX: readNodeKey(known).publicX }
  return { node, credential: createUserNkey(), seed, inEstate: { node, key: publicX } }
}

/** The hub with one more. @throws UsageError for one that is there already, and for one too many */
export function withNode(hub: HubFile, { node, credential }: NewNode): HubFile {
  requireNewNode(hub, node)
  return { ...hub, nodes: [...hub.nodes, { node, nkeyPublic: credential.publicKey }] }
}

/** @throws UsageError as {@link withNode} */
export function requireNewNode(hub: Pick<HubFile, 'nodes'>, node: string): void {
  if (hub.nodes.some((one) => one.node === node))
    throw new UsageError(
      `"${node}" is a node of this hub already; name this machine otherwise, or "agentd link hub revoke ${node}" first.`,
    )
  if (hub.nodes.length >= MAX_HUB_NODES)
    throw new UsageError(`A hub lets in ${MAX_HUB_NODES} nodes at the most; revoke those that are gone.`)
}

/** What the machine is handed, secrets and all. */
export function joinText(hub: HubFile, made: NewNode, ca: string, estate: SignedEstate): string {
  return encodeJoin({
    type: 'agentd.join',
    v: 1,
    realm: hub.realm,
    node: made.node,
    urls: hub.urls,
    ca,
    domain: null,
    trust_network: false,
    credential: { nkey: made.credential.seed },
    node_key: made.seed,
    estate_key: estate.keyX,
    estate: estate.text,
  })
}

/** @throws UsageError */
export function requireNode(text = ''): string {
  if (isNodeLabel(text)) return text
  throw new UsageError(`"${text}" is no name for a machine: 1 to 32 of a-z, 0-9 and inner hyphens.`)
}

/** What this machine calls itself, made into a name: `Alices-MacBook.local` → `alices-macbook`. */
export function nodeNameOf(hostName: string): string {
  const [first = ''] = hostName.toLowerCase().split('.')
  const label = first
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
  return label === '' ? 'node' : label
}

const MAX_LABEL_LENGTH = 32
