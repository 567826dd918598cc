/**
 * What a machine has made for a realm that it asked to be let in to, until it is: its secrets, which go nowhere.
 *
 * @see docs/link.md; FED-14, FED-44
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePrivateDirectory, stateDir, type Environment } from '../config/paths.ts'
import { PrivateFolder, type FolderKind } from '../files/private-folder.ts'
import { linksDirectory } from './link-folders.ts'

/** Beside the links, and no link: none has a name with a dot in front. */
const PENDING = '.pending'

const PENDING_FILE = 'pending.json'

const KIND: FolderKind = {
  noun: 'request',
  maxFiles: 4,
  maxBytes: 262_144,
  advice: 'remove it and ask once more',
  names: /^pending\.json$/,
}

/** What is kept for a realm; undefined where nothing is. @throws HostRefusal when others could reach it */
export function readPending(environment: Environment, realm: string): string | undefined {
  return folderOf(environment, realm)
    .read(environment.uid)
    .find(({ name }) => name === PENDING_FILE)?.text
}

/** What is kept for any realm. @throws HostRefusal as {@link readPending} */
export function readAllPending(environment: Environment): readonly string[] {
  const path = join(linksDirectory(stateDir(environment)), PENDING)
  const realms = existsSync(path) ? readdirSync(path).toSorted() : []
  return realms.flatMap((realm) => readPending(environment, realm) ?? [])
}

/** Keeps it, in the place of what there was. @throws HostRefusal as {@link readPending} */
export function putPending(environment: Environment, realm: string, text: string): void {
  const folder = folderOf(environment, realm)
  const links = linksDirectory(stateDir(environment))
  for (const path of [links, join(links, PENDING), folder.path]) ensurePrivateDirectory(path, environment)
  folder.put({ name: PENDING_FILE, text }, environment.uid)
}

/** Takes it away, once it is part of a link. */
export function removePending(environment: Environment, realm: string): void {
  rmSync(folderOf(environment, realm).path, { recursive: true, force: true })
}

/** A realm's name has neither a slash nor a dot but its second character, so it stands in a path as it is. */
function folderOf(environment: Environment, realm: string): PrivateFolder {
  return new PrivateFolder(join(linksDirectory(stateDir(environment)), PENDING, realm), KIND)
}
