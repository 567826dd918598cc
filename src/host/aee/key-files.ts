/**
 * The folder of keys: one small file each, for this user's eyes only. What a key file means is not known here.
 *
 * @see AEE-086, R-02
 */
import { join } from 'node:path'
import { ensurePrivateDirectory } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'
import { PrivateFolder, type Added, type FolderKind, type PrivateFile } from '../files/private-folder.ts'

/** A key file has ten lines. */
const KEYS: FolderKind = {
  noun: 'key',
  maxFiles: 256,
  maxBytes: 16_384,
  advice: 'name fewer entities',
  names: /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\.json$/,
}

/** Where the keys of a user are. Nothing is created. */
export function keysDirectory(stateDir: string): string {
  return join(stateDir, 'keys')
}

/** Changes whenever a key file comes, goes or is replaced. */
export function keysStamp(directory: string): string {
  return new PrivateFolder(directory, KEYS).stamp
}

/** Reads every key file of the folder. @throws HostRefusal as {@link PrivateFolder.read} */
export function readKeyFiles(directory: string, uid: number): readonly PrivateFile[] {
  return new PrivateFolder(directory, KEYS).read(uid)
}

/** Adds a file, after making the folder where it is missing. @throws HostRefusal as {@link PrivateFolder.add} */
export function addKeyFile(directory: string, file: PrivateFile, environment: Environment): Added {
  ensurePrivateDirectory(directory, environment)
  return new PrivateFolder(directory, KEYS).add(file)
}

/** Puts a file in the place of the one that has its name. @throws HostRefusal as {@link PrivateFolder.replace} */
export function replaceKeyFile(directory: string, file: PrivateFile, environment: Environment): void {
  ensurePrivateDirectory(directory, environment)
  new PrivateFolder(directory, KEYS).replace(file, environment.uid)
}
