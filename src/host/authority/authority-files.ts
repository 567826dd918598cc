/**
 * Where the documents of authority are: one private file each, below the state directory. What one says is not known here.
 *
 * @see FED-40
 */
import { join } from 'node:path'
import { ensurePrivateDirectory } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'
import { underFileLock } from '../files/file-lock.ts'
import { PrivateFolder, type FolderKind } from '../files/private-folder.ts'

/** The file of declared handles. */
export const HANDLES_FILE = 'handles.json'

/** Documents of one user, each with the last one that was accepted in its place and that it was revoked or taken away, and the handles. */
const DOCUMENTS: FolderKind = {
  noun: 'authority',
  maxFiles: 256,
  maxBytes: 65_536,
  advice: 'name fewer members',
  names: /^(?:handles|[a-z]{1,16}\.[a-z0-9][a-z0-9_-]{0,64}(?:\.(?:accepted|revoked|removed))?)\.json$/,
}

/** The folder of a user's documents. Nothing is created. */
export function authorityFolder(stateDir: string): PrivateFolder {
  return new PrivateFolder(join(stateDir, 'authority'), DOCUMENTS)
}

/**
 * Makes the folder where it is missing, and does something in it while no other command writes there.
 *
 * @throws HostRefusal when it is not private, or somebody else holds it for too long
 */
export async function inAuthorityFolder<T>(
  folder: PrivateFolder,
  environment: Environment,
  work: () => T,
): Promise<T> {
  ensurePrivateDirectory(folder.path, environment)
  return underFileLock(join(folder.path, '.lock'), () => Promise.resolve(work()))
}
