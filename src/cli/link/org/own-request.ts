/**
 * A request of this machine to be let in to a realm of several people: made once, and said again as often as it is asked for.
 *
 * @see FED-40, FED-41, FED-44
 */
import { sign } from 'node:crypto'
import { unlessRefused } from '../../../core/thrown.ts'
import { putPending, readPending } from '../../../host/links/pending-folder.ts'
import { decodePending, encodePending, type PendingJoin } from '../../../link/joining/pending.ts'
import { writeRequest } from '../../../link/joining/request.ts'
import { createUserNkey } from '../../../link/keys/nkey.ts'
import { readNodeKey } from '../../../link/keys/node-key.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { readTextOption } from '../../run/options.ts'
import { findOwnNode, makeOwnNode, newNodeName, type OwnNode } from '../hub/kept/own-node.ts'
import { askBesideFile } from './handed-over.ts'

/** What is asked for. */
export interface Asked {
  readonly realm: string
  /** Whom the person asks: `~acme`, `the accord of ~acme and ~globex`. */
  readonly whom: string
  /** In an accord: one's own organisation, and its charter, which names the public key of the person. */
  readonly org?: string
  readonly charter?: (keyX: string) => Promise<string>
}

/** A request that was made. */
export interface MadeRequest {
  readonly text: string
  readonly pending: PendingJoin
}

/** Asks the person, and makes it. @returns undefined where they say no */
export async function makeRequest(
  context: CommandContext,
  { realm, whom, org, charter }: Asked,
): Promise<MadeRequest | undefined> {
  const { environment, options } = context
  const authority = new AuthorityFolder(environment)
  const { principal } = authority.handles()
  const wanted = readTextOption(options, 'node')
  const there = findOwnNode(environment, principal, wanted)
  const name = there?.node ?? newNodeName(environment, wanted)
  const isNewKey = there === undefined && authority.findSigner(principal) === undefined
  const made = isNewKey ? ', and make the key that signs for you' : ''
  if (!askBesideFile(context, `Ask ${whom} to let this machine in as ${principal}/${name}${made}?`))
    return undefined
  const own = there ?? (await makeOwnNode(authority, principal, name))
  const asked = { realm, handle: principal, ...(org !== undefined && { org }) }
  const pending = pendingOf(readPending(environment, realm), asked, own)
  putPending(environment, realm, encodePending(pending))
  return { text: textOf(pending, await charter?.(own.estate_key)), pending }
}

/** The credential that was made for an earlier request of the same machine is that of this one. */
function pendingOf(
  former: string | undefined,
  asked: Pick<PendingJoin, 'realm' | 'handle' | 'org'>,
  own: OwnNode,
): PendingJoin {
  const before = former === undefined ? undefined : unlessRefused(() => decodePending(former))
  const { seed, publicKey } =
    before === undefined ? createUserNkey() : { seed: before.nkey_seed, publicKey: before.nkey }
  return { type: 'agentd.pending', v: 1, ...asked, ...own, nkey_seed: seed, nkey: publicKey }
}

function textOf(pending: PendingJoin, charter: string | undefined): string {
  const { realm, handle, node, nkey, estate, estate_key: key, node_key: seed } = pending
  const own = { realm, handle, node, nkey, estate, key, ...(charter !== undefined && { charter }) }
  const nodeKey = readNodeKey(seed).key
  return writeRequest({ type: 'agentd.request', v: 1, ...own }, (bytes) => sign(null, bytes, nodeKey))
}
