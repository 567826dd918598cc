/**
 * A file that belongs to somebody else's program and that we change: whole or not at all, and only as it was
 * when we looked.
 *
 * A symbolic link stays a link; what it leads to is changed. Mode and owner stay as they were.
 *
 * @see docs/runtimes.md §10 rule 7
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from './refusal.ts'
import { syncDirectory } from './sync-directory.ts'

/** A file as it was found; what is written later is written only if it still is so. */
export interface EditedFile {
  /** As it was named. */
  readonly path: string
  /** Behind all symbolic links. */
  readonly target: string
  /** Undefined when it is not there. */
  readonly bytes: Buffer | undefined
  /** Permission bits; of a file that is not there, those it is to get. */
  readonly mode: number
}

/** Settings of an editor can be large; the bound keeps a mistaken path from filling memory. */
export const MAX_EDITED_BYTES = 8_388_608

/** What is made new is for its owner alone: such files hold tokens sooner or later. */
const NEW_FILE_MODE = 0o600
const NEW_DIRECTORY_MODE = 0o700

/**
 * Looks at a file that is to be changed.
 *
 * @param maxBytes - how large it may be
 * @throws HostRefusal when it must not be replaced: foreign, read-only, linked to nowhere or twice, too large
 */
export function readEditedFile(path: string, uid: number, maxBytes = MAX_EDITED_BYTES): EditedFile {
  const target = realTarget(path)
  let file: number
  try {
    // O_NONBLOCK: opening a fifo would otherwise wait for its writer.
    file = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return { path, target, bytes: undefined, mode: NEW_FILE_MODE }
    throw refused(path, `it cannot be opened (${code ?? String(error)})`)
  }
  try {
    const found = fstatSync(file)
    const fault = fileFault(found, uid, maxBytes)
    if (fault !== undefined) throw refused(path, fault)
    return { path, target, bytes: readFileSync(file), mode: found.mode & 0o7777 }
  } finally {
    closeSync(file)
  }
}

/**
 * Puts `bytes` in the place of what was found. Directories must be there, and the caller alone in writing.
 *
 * @throws HostRefusal when the file has changed since, or cannot be replaced
 */
export function replaceEditedFile(file: EditedFile, bytes: Buffer): void {
  requireUnchanged(file)
  const { target } = file
  const draft = draftOf(target)
  try {
    discard(draft)
    writeDraft(draft, file, bytes)
    renameSync(draft, target)
  } catch (error) {
    discard(draft)
    throw refused(file.path, `it cannot be written (${systemErrorCode(error) ?? String(error)})`)
  }
  syncDirectory(dirname(target))
}

/** Removes what a killed {@link replaceEditedFile} has left beside a file. */
export function removeDraft(target: string): void {
  discard(draftOf(target))
}

/** Removes what was found. @throws HostRefusal when it has changed since */
export function removeEditedFile(file: EditedFile): void {
  if (file.bytes === undefined) return
  requireUnchanged(file)
  unlinkSync(file.target)
  syncDirectory(dirname(file.target))
}

/** Makes a directory and what is missing above it. @returns what was made, outermost first */
export function makeDirectories(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })) return []
  const above = makeDirectories(dirname(path))
  try {
    mkdirSync(path, { mode: NEW_DIRECTORY_MODE })
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'EEXIST') return above
    throw new HostRefusal(`The directory ${path} cannot be made (${code ?? String(error)}).`, {
      cause: error,
    })
  }
  return [...above, path]
}

/** The directories that {@link makeDirectories} would make, outermost first. */
export function missingDirectories(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })) return []
  return [...missingDirectories(dirname(path)), path]
}

/** Removes a directory unless somebody has put something into it. */
export function removeEmptyDirectory(path: string): void {
  try {
    rmdirSync(path)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
  }
}

function fileFault(found: Stats, uid: number, maxBytes: number): string | undefined {
  if (!found.isFile()) return 'it is not a regular file'
  if (found.uid !== uid) return `it belongs to uid ${found.uid}, not to uid ${uid}`
  if ((found.mode & 0o200) === 0) return 'it is read-only; run chmod u+w on it if it may be changed'
  if (found.nlink > 1) return `it has ${found.nlink} hard links, and only this one would change`
  return found.size > maxBytes ? `it is larger than ${maxBytes} bytes` : undefined
}

/** Of a file that is not there: below what its directories lead to, as far as they exist. */
function realTarget(path: string): string {
  const named = resolve(path)
  try {
    return realpathSync(named)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code !== 'ENOENT') throw refused(path, `it cannot be found (${code ?? String(error)})`)
  }
  if (lstatSync(named, { throwIfNoEntry: false })) throw refused(path, 'it is a link that leads nowhere')
  return join(realTarget(dirname(named)), basename(named))
}

function requireUnchanged({ path, target, bytes }: EditedFile): void {
  let now: Buffer | undefined
  try {
    now = readFileSync(target)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
  const isSame = now === undefined || bytes === undefined ? now === bytes : now.equals(bytes)
  if (!isSame) throw refused(path, 'it was changed just now; run the command again')
}

function writeDraft(draft: string, { bytes: before, mode, target }: EditedFile, bytes: Buffer): void {
  const file = openSync(draft, 'wx', NEW_FILE_MODE)
  try {
    writeFileSync(file, bytes)
    const owner = before === undefined ? undefined : lstatSync(target)
    if (owner !== undefined && owner.gid !== fstatSync(file).gid) fchownSync(file, owner.uid, owner.gid)
    // After the owner: changing that takes special bits away.
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Always the same: whoever writes holds a lock, and what a killed one left is found again. */
function draftOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.agentd-new`)
}

function discard(draft: string): void {
  try {
    unlinkSync(draft)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
  }
}

function refused(path: string, reason: string): HostRefusal {
  return new HostRefusal(`${path} is left alone: ${reason}.`)
}
