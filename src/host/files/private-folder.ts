/**
 * A folder of small files for this user's eyes only: keys, and documents that say who may what.
 *
 * What is there is judged and never repaired: a file that others may have read or written cannot be made good by a
 * change of mode. What a file means is not known here.
 *
 * @see AEE-086, R-02, FED-40
 */
import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { UsageError } from '../../core/errors.ts'
import { settleNames, watchNames, writePrivateFile } from './private-file.ts'
import { HostRefusal } from './refusal.ts'

/** One file of a folder. */
export interface PrivateFile {
  /** Without its folder, such as `2025-12-14-3f9a1c2b.json`. */
  readonly name: string
  readonly text: string
}

/** What became of a new file. */
export type Added = 'added' | 'taken'

/** What sort of folder it is. */
export interface FolderKind {
  /** What its files are called in a sentence: `key`. */
  readonly noun: string
  /** Files of one folder; protects the daemon, which reads them all whenever one changes. */
  readonly maxFiles: number
  /** Bytes of one file; the bound keeps a mistaken one from filling memory. */
  readonly maxBytes: number
  /** What to do about a file that is larger; the end of a sentence. */
  readonly advice: string
  /** The names of its files; whatever else is in the folder is not ours to read: a file being written, an editor's copy. */
  readonly names: RegExp
}

/** One such folder. Whoever makes it has made the directory private before it writes. */
export class PrivateFolder {
  readonly path: string
  readonly #kind: FolderKind

  constructor(path: string, kind: FolderKind) {
    this.path = path
    this.#kind = kind
  }

  /**
   * Changes whenever a file comes, goes or is replaced: one look at the folder, cheap enough for every question. A file
   * that is edited in place leaves it as it is; nothing of ours does that.
   */
  get stamp(): string {
    try {
      const found = lstatSync(this.path, { bigint: true, throwIfNoEntry: false })
      return found === undefined ? 'absent' : `${found.ino}-${found.mtimeNs}-${found.ctimeNs}`
    } catch (error) {
      // Why it cannot be looked at is a state like any other; reading the files says it in a sentence.
      const code = systemErrorCode(error)
      if (code === undefined) throw error
      return code
    }
  }

  /**
   * Reads every file.
   *
   * @returns in no particular order; none when there is no folder
   * @throws HostRefusal when the folder or a file in it is a link, foreign, or open to others, when a file is too large
   *   or there are too many
   */
  read(uid: number): readonly PrivateFile[] {
    const found = this.#lookAt()
    if (found === undefined) return []
    const fault = found.isDirectory() ? privacyFault(found, uid, '0700') : 'it is not a directory'
    if (fault !== undefined) throw this.#refused('folder', this.path, fault)
    return this.#names().flatMap((name) => {
      const text = this.#readFile(name, uid)
      return text === undefined ? [] : [{ name, text }]
    })
  }

  /**
   * Adds a file, whole or not at all.
   *
   * @returns `taken` when there is one of that name, which stays as it is
   * @throws HostRefusal as {@link read}, and when it cannot be written
   */
  add(file: PrivateFile): Added {
    const { noun, maxFiles } = this.#kind
    if (this.#names().length >= maxFiles)
      throw new HostRefusal(
        `The ${noun} folder ${this.path} holds ${maxFiles} ${noun}s, and that is the most.`,
      )
    return this.#writeThrough(file, (draft, path) => {
      // Unlike a rename, a link never takes the place of what is there.
      linkSync(draft, path)
    })
  }

  /**
   * Puts a file in the place of the one that has its name, at once: a reader sees the old one or the new one.
   *
   * @throws HostRefusal when there is none that could be read, or it cannot be written
   */
  replace(file: PrivateFile, uid: number): void {
    const { noun } = this.#kind
    if (this.#readFile(file.name, uid) === undefined)
      throw new HostRefusal(`The ${noun} file ${join(this.path, file.name)} is gone.`)
    this.#writeThrough(file, (draft, path) => renameSync(draft, path))
  }

  /** Writes a file, whether there is one of that name or not. @throws HostRefusal as {@link add} and {@link replace} */
  put(file: PrivateFile, uid: number): void {
    if (this.#readFile(file.name, uid) === undefined) this.add(file)
    else this.replace(file, uid)
  }

  /** Takes a file away; one that is not there is no fault. @throws HostRefusal when it cannot be */
  remove(name: string): void {
    const path = join(this.path, name)
    try {
      rmSync(path, { force: true })
      settleNames(this.path)
    } catch (error) {
      const code = systemErrorCode(error) ?? String(error)
      throw new HostRefusal(`The ${this.#kind.noun} file ${path} cannot be removed (${code}).`, {
        cause: error,
      })
    }
  }

  /** As {@link watchNames}, of what comes, goes or is written here. */
  watch(onChange: () => void, onFault: (sentence: string) => void): () => void {
    return watchNames(this.path, onChange, onFault)
  }

  #lookAt(): Stats | undefined {
    try {
      return lstatSync(this.path, { throwIfNoEntry: false })
    } catch (error) {
      const code = systemErrorCode(error) ?? String(error)
      throw new HostRefusal(`The ${this.#kind.noun} folder ${this.path} cannot be examined (${code}).`, {
        cause: error,
      })
    }
  }

  /** @param place - gives what was written its name; EEXIST means that somebody else has it */
  #writeThrough({ name, text }: PrivateFile, place: (draft: string, path: string) => void): Added {
    const { noun, maxBytes, advice, names } = this.#kind
    if (!names.test(name)) throw new UsageError(`"${name}" cannot name a ${noun} file.`)
    if (Buffer.byteLength(text) > maxBytes)
      throw new UsageError(`A ${noun} file is at most ${maxBytes} bytes long; ${advice}.`)
    const path = join(this.path, name)
    const draft = join(this.path, `.${randomBytes(8).toString('hex')}.draft`)
    try {
      writePrivateFile(draft, text)
      place(draft, path)
      rmSync(draft, { force: true })
      settleNames(this.path)
      return 'added'
    } catch (error) {
      rmSync(draft, { force: true })
      const code = systemErrorCode(error)
      if (code === 'EEXIST') return 'taken'
      throw new HostRefusal(`The ${noun} file ${path} cannot be written (${code ?? String(error)}).`, {
        cause: error,
      })
    }
  }

  #names(): readonly string[] {
    const { noun, maxFiles, names } = this.#kind
    const found = readdirSync(this.path).filter((name) => names.test(name))
    if (found.length <= maxFiles) return found
    throw new HostRefusal(
      `The ${noun} folder ${this.path} holds more than ${maxFiles} ${noun}s; move some away.`,
    )
  }

  /**
   * What is judged is the opened file itself, so it cannot be swapped in between.
   *
   * @returns undefined when there is none; empty when it is no text, which no such file is
   */
  #readFile(name: string, uid: number): string | undefined {
    const path = join(this.path, name)
    const file = this.#open(path)
    if (file === undefined) return undefined
    try {
      const fault = fileFault(fstatSync(file), uid, this.#kind.maxBytes)
      if (fault !== undefined) throw this.#refused('file', path, fault)
      const bytes = readFileSync(file)
      return isUtf8(bytes) ? bytes.toString('utf8') : ''
    } finally {
      closeSync(file)
    }
  }

  #open(path: string): number | undefined {
    try {
      // O_NONBLOCK: opening a fifo would otherwise wait for its writer.
      return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === 'ENOENT') return undefined
      const why =
        code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be opened (${code ?? String(error)})`
      throw this.#refused('file', path, why, error)
    }
  }

  #refused(what: 'file' | 'folder', path: string, why: string, cause?: unknown): HostRefusal {
    return new HostRefusal(`The ${this.#kind.noun} ${what} ${path} is refused: ${why}.`, { cause })
  }
}

function fileFault(found: Stats, uid: number, maxBytes: number): string | undefined {
  if (!found.isFile()) return 'it is not a regular file'
  if (found.size > maxBytes) return `it is larger than ${maxBytes} bytes`
  return privacyFault(found, uid, '0600')
}

/** Why somebody else could have a hand in it, as the end of a sentence; undefined when nobody could. */
function privacyFault(found: Stats, uid: number, wanted: string): string | undefined {
  if (found.uid !== uid) return `it belongs to uid ${found.uid}, not to uid ${uid}`
  const mode = found.mode & 0o777
  if ((mode & 0o077) === 0) return undefined
  return `its mode is 0${mode.toString(8).padStart(3, '0')} and must be ${wanted}`
}
