/**
 * The folders in which a person keeps the schemas of their intents: read whole, and watched for changes.
 *
 * A folder or file that cannot be read is a sentence beside the others, never the end of the daemon: it has
 * many more things to do than to check payloads.
 *
 * @see AEE-067
 */
import { opendirSync } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { readOwnFile } from '../files/own-file.ts'
import { settling, watchFolder } from '../files/watched-folder.ts'

/** A schema file: its name without the folder, and what is in it. */
export interface IntentFile {
  readonly name: string
  readonly text: string
}

/** What the folders held. */
export interface IntentFiles {
  /** Folder by folder, by name within each. */
  readonly files: readonly IntentFile[]
  /** Names of files that are there and could not be read. */
  readonly refused: readonly string[]
  /** Sentences about what could not be read. */
  readonly faults: readonly string[]
}

/** What a schema file is named like; everything else in the folders is passed over. */
const SUFFIX = '.schema.json'

/** Where the schemas are in a folder that is laid out as AEE-067 says; read besides the folder itself. */
const SUBFOLDER = 'intents'

/** Folders one configuration may name; each holds two watches of the system. */
const MAX_FOLDERS = 32

/** Files of all folders together; with the bound on each file, what reading them can cost. */
const MAX_FILES = 1_000

/** Entries of one folder that are looked at; a mistaken path may lead to millions. */
const MAX_ENTRIES = 10_000

/**
 * Reads every `*.schema.json` of the folders and of the `intents` in them, which may be links; a file must
 * belong to `uid` and nobody else may write it (see `readOwnFile`).
 *
 * @param folders - absolute paths
 */
export function readIntentFiles(folders: readonly string[], uid: number): IntentFiles {
  const files: IntentFile[] = []
  const refused: string[] = []
  const faults: string[] = []
  if (folders.length > MAX_FOLDERS) faults.push(`Only the first ${MAX_FOLDERS} folders of intents are read.`)
  for (const folder of folders.slice(0, MAX_FOLDERS)) {
    for (const path of listPaths(folder, faults)) {
      if (files.length === MAX_FILES) {
        faults.push(`Only ${MAX_FILES} intent schemas are read; the rest of ${safeLine(folder)} is not.`)
        return { files, refused, faults }
      }
      const name = basename(path)
      const file = readOwnFile(path, uid)
      if (file.kind === 'text') files.push({ name, text: file.text })
      else {
        refused.push(name)
        faults.push(fileFault(path, file.kind === 'absent' ? 'it leads nowhere' : file.reason))
      }
    }
  }
  return { files, refused, faults }
}

/**
 * Calls back once changes in the folders have settled; never keeps the process alive.
 *
 * Where a file is a link, only the link is watched. A folder that is not there is not waited for.
 *
 * @param onFault - told in a sentence when a folder cannot be watched, or no longer
 * @returns stops watching; no call comes after it
 */
export function watchFolders(
  folders: readonly string[],
  onChange: () => void,
  onFault?: (sentence: string) => void,
): () => void {
  const calls = settling(onChange)
  const { changed } = calls
  const watchers = folders.slice(0, MAX_FOLDERS).map((folder) => watchBoth(folder, { changed, onFault }))
  return () => {
    for (const stop of watchers) stop()
    calls.cancel()
  }
}

interface Watching {
  readonly changed: () => void
  readonly onFault: ((sentence: string) => void) | undefined
}

/** Watches a folder and the `intents` in it, which may come and go. @returns stops both */
function watchBoth(folder: string, { changed, onFault }: Watching): () => void {
  const subfolder = join(folder, SUBFOLDER)
  // Most folders have no such folder, so its absence is not told.
  const watchInner = () => watchSchemas(subfolder, { changed, onFault: undefined })
  let inner = watchInner()
  const outer = watchSchemas(folder, {
    onFault,
    changed: (name) => {
      if (name === SUBFOLDER || name === null) {
        inner?.close()
        inner = watchInner()
      }
      changed()
    },
  })
  return () => {
    outer?.close()
    inner?.close()
  }
}

/** Of schema files alone, and of the folder itself. @returns undefined when the folder cannot be watched */
function watchSchemas(
  folder: string,
  {
    changed,
    onFault,
  }: { readonly changed: (name: string | null) => void; readonly onFault: Watching['onFault'] },
): FSWatcher | undefined {
  return watchFolder(folder, {
    changed: (name) => {
      // The folder itself is named when it goes away; without a name it may be anything.
      if (name === null || name.endsWith(SUFFIX) || name === SUBFOLDER || name === basename(folder))
        changed(name)
    },
    failed: (error) => onFault?.(folderFault(folder, 'watched', error)),
  })
}

/** The schema files of a folder and of the `intents` in it; that there are none goes to `faults`. */
function listPaths(folder: string, faults: string[]): readonly string[] {
  if (!isAbsolute(folder)) {
    faults.push(`The folder of intents ${safeLine(folder)} must be an absolute path.`)
    return []
  }
  const before = faults.length
  const subfolder = join(folder, SUBFOLDER)
  const outer = listNames(folder, faults).map((name) => join(folder, name))
  const inner = listNames(subfolder, faults, ['ENOENT', 'ENOTDIR']).map((name) => join(subfolder, name))
  const paths = [...outer, ...inner]
  // Whoever names a folder means to have payloads checked; a mistaken path must not look like all is well.
  if (paths.length === 0 && faults.length === before) {
    faults.push(`The folder of intents ${safeLine(folder)} holds no <intent>.<variant>${SUFFIX}.`)
  }
  return paths
}

/**
 * The names of the schema files in a folder, sorted; what went wrong goes to `faults`.
 *
 * @param expected - codes of what may well go wrong, which is not told
 */
function listNames(folder: string, faults: string[], expected: readonly string[] = []): readonly string[] {
  const names: string[] = []
  try {
    const directory = opendirSync(folder)
    try {
      let looked = 0
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (looked === MAX_ENTRIES) {
          faults.push(
            `Only ${MAX_ENTRIES} entries of the folder of intents ${safeLine(folder)} are looked at.`,
          )
          break
        }
        looked += 1
        if (entry.name.endsWith(SUFFIX)) names.push(entry.name)
      }
    } finally {
      directory.closeSync()
    }
  } catch (error) {
    if (!expected.includes(systemErrorCode(error) ?? '')) faults.push(folderFault(folder, 'read', error))
  }
  return names.toSorted()
}

function fileFault(path: string, reason: string): string {
  return `The intent schema ${safeLine(path)} is refused: ${reason}.`
}

function folderFault(folder: string, use: 'read' | 'watched', error: unknown): string {
  const code = systemErrorCode(error)
  const reason = code === 'ENOENT' ? 'it is not there' : (code ?? String(error))
  return `The folder of intents ${safeLine(folder)} cannot be ${use}: ${reason}.`
}
