/**
 * Where the links of this user are: a private folder for each, below the state directory. What a link says is not known here.
 *
 * @see docs/link.md; FED-14, FED-40
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { ensurePrivateDirectory, type Environment } from '../config/paths.ts'
import { PrivateFolder, type Added, type FolderKind } from '../files/private-folder.ts'
import { HostRefusal } from '../files/refusal.ts'

/** Links of one user; each is a process and a connection. */
export const MAX_LINKS = 16

/** What a link is: its address, its credential, its keys. */
export const LINK_FILE = 'link.json'

/** The newest estate that was accepted over a link; absent before one was. */
export const ESTATE_FILE = 'estate.json'

/** A link as it is kept. */
export interface StoredLink {
  readonly name: string
  /** Its {@link LINK_FILE}. */
  readonly text: string
}

/** One folder holds the link itself, and the documents that came over it. */
const LINK: FolderKind = {
  noun: 'link',
  maxFiles: 16,
  maxBytes: 262_144,
  advice: 'ask for another join file',
  names: /^[a-z]{1,16}(?:\.[a-z]{1,16})?\.json$/,
}

/** As a node's label, so that it stands in a path and in a configuration as it is. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** Where they are. Nothing is created. */
export function linksDirectory(stateDir: string): string {
  return join(stateDir, 'links')
}

/** Whether there is any, by one look: nothing of links is loaded where there is none (FED-01). */
export function hasLinks(stateDir: string): boolean {
  return namesIn(linksDirectory(stateDir)).length > 0
}

/** Whether a link may be called so. */
export function isLinkName(name: string): boolean {
  return NAME.test(name)
}

/** The folder of one link, in which its documents are too. Nothing is created. */
export function linkFolder(stateDir: string, name: string): PrivateFolder {
  if (!isLinkName(name))
    throw new UsageError(`"${name}" is no name for a link: 1 to 32 of a-z, 0-9 and inner hyphens.`)
  return new PrivateFolder(join(linksDirectory(stateDir), name), LINK)
}

/**
 * Every link there is, in the order of their names.
 *
 * @throws HostRefusal as `PrivateFolder.read`, and for more than {@link MAX_LINKS}
 */
export function readLinks(stateDir: string, uid: number): readonly StoredLink[] {
  const names = namesIn(linksDirectory(stateDir))
  if (names.length > MAX_LINKS)
    throw new HostRefusal(`${linksDirectory(stateDir)} holds more than ${MAX_LINKS} links; move some away.`)
  return names.flatMap((name) => {
    const text = linkFolder(stateDir, name)
      .read(uid)
      .find((file) => file.name === LINK_FILE)?.text
    // A folder without it is a link that was being added, or taken away, when that ended.
    return text === undefined ? [] : [{ name, text }]
  })
}

/** The newest estate that came over a link; undefined before one did. @throws HostRefusal as `PrivateFolder.read` */
export function readLinkEstate(stateDir: string, name: string, uid: number): string | undefined {
  const files = linkFolder(stateDir, name).read(uid)
  return files.find((file) => file.name === ESTATE_FILE)?.text
}

/**
 * Adds a link.
 *
 * @returns `taken` when there is one of that name, which stays as it is
 * @throws HostRefusal when its place is not private, and where there are {@link MAX_LINKS} already
 */
export function addLink(stateDir: string, { name, text }: StoredLink, environment: Environment): Added {
  const folder = linkFolder(stateDir, name)
  const others = namesIn(linksDirectory(stateDir)).filter((one) => one !== name)
  if (others.length >= MAX_LINKS)
    throw new HostRefusal(`There are ${MAX_LINKS} links, and that is the most; "agentd link remove" one.`)
  ensurePrivateDirectory(linksDirectory(stateDir), environment)
  ensurePrivateDirectory(folder.path, environment)
  return folder.add({ name: LINK_FILE, text })
}

/** Takes a link away, its keys first. @returns whether it was there */
export function removeLink(stateDir: string, name: string): boolean {
  const folder = linkFolder(stateDir, name)
  if (!namesIn(linksDirectory(stateDir)).includes(name)) return false
  folder.remove(LINK_FILE)
  rmSync(folder.path, { recursive: true, force: true })
  return true
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .filter((name) => NAME.test(name))
      .toSorted()
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return []
    throw new HostRefusal(`The links in ${path} cannot be read (${code ?? String(error)}).`, { cause: error })
  }
}
