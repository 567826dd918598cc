/**
 * The folder of keys: one small file each, for this user's eyes only.
 *
 * What is there is judged and never repaired: a key that others may have read or written cannot be made good by a
 * change of mode. What a key file means is not known here.
 *
 * @see AEE-086, R-02
 */
import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { UsageError } from '../../core/errors.ts'
import { ensurePrivateDirectory } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'
import { HostRefusal } from '../files/refusal.ts'
import { syncDirectory } from '../files/sync-directory.ts'

/** One file of the folder. */
export interface KeyFile {
  /** Without its folder, such as `2025-12-14-3f9a1c2b.json`. */
  readonly name: string
  readonly text: string
}

/** What became of a new file. */
export type Added = 'added' | 'taken'

/** Keys of one user; protects the daemon, which reads them all whenever one changes. */
const MAX_KEY_FILES = 256

/** A key file has ten lines; the bound keeps a mistaken file from filling memory. */
const MAX_KEY_FILE_BYTES = 16_384

/** Whatever else is in the folder is not ours to read: a file being written, an editor's copy. */
const KEY_FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\.json$/

/** Where the keys of a user are. Nothing is created. */
export function keysDirectory(stateDir: string): string {
  return join(stateDir, 'keys')
}

/**
 * Changes whenever a key file comes, goes or is replaced: one look at the folder, cheap enough for every
 * signature. A file that is edited in place leaves it as it is; nothing of ours does that.
 */
export function keysStamp(directory: string): string {
  try {
    const found = lstatSync(directory, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? 'absent' : `${found.ino}-${found.mtimeNs}-${found.ctimeNs}`
  } catch (error) {
    // Why it cannot be looked at is a state like any other; reading the keys says it in a sentence.
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    return code
  }
}

/**
 * Reads every key file of the folder.
 *
 * @returns in no particular order; none when there is no folder
 * @throws HostRefusal when the folder or a file in it is a link, foreign, or open to others, when a file is over
 *   16 KiB or the folder holds more than 256
 */
export function readKeyFiles(directory: string, uid: number): readonly KeyFile[] {
  const found = lookAt(directory)
  if (found === undefined) return []
  const fault = found.isDirectory() ? privacyFault(found, uid, '0700') : 'it is not a directory'
  if (fault !== undefined) throw new HostRefusal(`The key folder ${directory} is refused: ${fault}.`)
  return keyFileNames(directory).flatMap((name) => {
    const text = readPrivateFile(join(directory, name), uid)
    return text === undefined ? [] : [{ name, text }]
  })
}

/**
 * Adds a file, whole or not at all, after making the folder where it is missing.
 *
 * @returns `taken` when there is one of that name, which stays as it is
 * @throws HostRefusal as {@link readKeyFiles}, and when it cannot be written
 */
export function addKeyFile(directory: string, file: KeyFile, environment: Environment): Added {
  ensurePrivateDirectory(directory, environment)
  if (keyFileNames(directory).length >= MAX_KEY_FILES)
    throw new HostRefusal(`The key folder ${directory} holds ${MAX_KEY_FILES} keys, and that is the most.`)
  return writeThrough(directory, file, (draft, path) => {
    // Unlike a rename, a link never takes the place of what is there.
    linkSync(draft, path)
  })
}

/**
 * Puts a file in the place of the one that has its name, at once: a reader sees the old one or the new one.
 *
 * @throws HostRefusal when there is none that could be read, or it cannot be written
 */
export function replaceKeyFile(directory: string, file: KeyFile, environment: Environment): void {
  ensurePrivateDirectory(directory, environment)
  if (readPrivateFile(join(directory, file.name), environment.uid) === undefined)
    throw new HostRefusal(`The key file ${join(directory, file.name)} is gone.`)
  writeThrough(directory, file, (draft, path) => renameSync(draft, path))
}

function lookAt(directory: string): Stats | undefined {
  try {
    return lstatSync(directory, { throwIfNoEntry: false })
  } catch (error) {
    const code = systemErrorCode(error) ?? String(error)
    throw new HostRefusal(`The key folder ${directory} cannot be examined (${code}).`, { cause: error })
  }
}

/** @param place - gives what was written its name; EEXIST means that somebody else has it */
function writeThrough(
  directory: string,
  { name, text }: KeyFile,
  place: (draft: string, path: string) => void,
): Added {
  if (!KEY_FILE_NAME.test(name)) throw new UsageError(`"${name}" cannot name a key file.`)
  if (Buffer.byteLength(text) > MAX_KEY_FILE_BYTES)
    throw new UsageError(`A key file is at most ${MAX_KEY_FILE_BYTES} bytes long; name fewer entities.`)
  const path = join(directory, name)
  const draft = join(directory, `.${randomBytes(8).toString('hex')}.draft`)
  try {
    writeDraft(draft, text)
    place(draft, path)
    rmSync(draft, { force: true })
    settle(directory)
    return 'added'
  } catch (error) {
    rmSync(draft, { force: true })
    const code = systemErrorCode(error)
    if (code === 'EEXIST') return 'taken'
    throw new HostRefusal(`The key file ${path} cannot be written (${code ?? String(error)}).`, {
      cause: error,
    })
  }
}

/** Mode 0600 from its first moment, whatever the umask, and on the disk before it gets its name. */
function writeDraft(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    fchmodSync(file, 0o600)
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The name is on the disk too; and the stamp is a new one, even within one tick of the kernel's coarse clock. */
function settle(directory: string): void {
  const now = (performance.timeOrigin + performance.now()) / 1_000
  utimesSync(directory, now, now)
  syncDirectory(directory)
}

function keyFileNames(directory: string): readonly string[] {
  const names = readdirSync(directory).filter((name) => KEY_FILE_NAME.test(name))
  if (names.length > MAX_KEY_FILES)
    throw new HostRefusal(
      `The key folder ${directory} holds more than ${MAX_KEY_FILES} keys; move some away.`,
    )
  return names
}

/**
 * What is judged is the opened file itself, so it cannot be swapped in between.
 *
 * @returns undefined when there is none; empty when it is no text, which no key file is
 */
function readPrivateFile(path: string, uid: number): string | undefined {
  const file = openPrivateFile(path)
  if (file === undefined) return undefined
  try {
    const fault = fileFault(fstatSync(file), uid)
    if (fault !== undefined) throw new HostRefusal(`The key file ${path} is refused: ${fault}.`)
    const bytes = readFileSync(file)
    return isUtf8(bytes) ? bytes.toString('utf8') : ''
  } finally {
    closeSync(file)
  }
}

function openPrivateFile(path: string): number | undefined {
  try {
    // O_NONBLOCK: opening a fifo would otherwise wait for its writer.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return undefined
    const why = code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be opened (${code ?? String(error)})`
    throw new HostRefusal(`The key file ${path} is refused: ${why}.`, { cause: error })
  }
}

function fileFault(found: Stats, uid: number): string | undefined {
  if (!found.isFile()) return 'it is not a regular file'
  if (found.size > MAX_KEY_FILE_BYTES) return `it is larger than ${MAX_KEY_FILE_BYTES} bytes`
  return privacyFault(found, uid, '0600')
}

/** Why somebody else could have a hand in it, as the end of a sentence; undefined when nobody could. */
function privacyFault(found: Stats, uid: number, wanted: string): string | undefined {
  if (found.uid !== uid) return `it belongs to uid ${found.uid}, not to uid ${uid}`
  const mode = found.mode & 0o777
  if ((mode & 0o077) === 0) return undefined
  return `its mode is 0${mode.toString(8).padStart(3, '0')} and must be ${wanted}`
}
