/**
 * Where a hub of this user's own is: certificate, keys, the configuration of its server, and the join files it has given.
 *
 * @see docs/link.md; FED-12, FED-14
 */
import { join } from 'node:path'
import { configHome, ensurePrivateDirectory, stateDir, type Environment } from '../config/paths.ts'
import { underFileLock } from '../files/file-lock.ts'
import { PrivateFolder, type FolderKind } from '../files/private-folder.ts'

/** The names of its files. */
export const HUB_FILES = {
  /** What the hub is: its realm, its address, its nodes. */
  hub: 'hub.json',
  /** The certificate that links pin, and the one that the server shows, with its key. */
  authority: 'ca.pem',
  certificate: 'server.pem',
  key: 'server-key.pem',
  /** What nats-server is started with, and where it writes its number. */
  config: 'nats-server.conf',
  pid: 'nats-server.pid',
  /** Who runs it: a folder of claims. */
  lock: '.run',
} as const

const HUB: FolderKind = {
  noun: 'hub',
  maxFiles: 512,
  // The configuration of the server has a few thousand octets for each machine.
  maxBytes: 4_194_304,
  advice: 'revoke nodes that are gone',
  names: /^(?:hub\.json|(?:ca|server|server-key)\.pem|nats-server\.conf|[a-z0-9-]{1,32}\.link)$/,
}

/** The folder of the hub. Nothing is created. */
export function hubFolder(environment: Environment): PrivateFolder {
  return new PrivateFolder(join(configHome(environment), 'agentd', 'hub'), HUB)
}

/** Where its server keeps what passes: state, not configuration. */
export function hubStore(environment: Environment): string {
  return join(stateDir(environment), 'hub')
}

/** The join file of a node, as long as nobody has taken it away. */
export function joinFileName(node: string): string {
  return `${node}.link`
}

/**
 * Makes the folder where it is missing, and does something in it while no other command writes there.
 *
 * @throws HostRefusal when it is not private, or somebody else holds it for too long
 */
export async function inHubFolder<T>(environment: Environment, work: () => Promise<T>): Promise<T> {
  const { path } = hubFolder(environment)
  ensurePrivateDirectory(path, environment)
  return underFileLock(join(path, '.lock'), work)
}
