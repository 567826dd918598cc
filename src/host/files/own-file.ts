/**
 * Reading a small file of configuration. One that steers us is read only when nobody else could have written it.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/** What came of the reading. `reason` completes the sentence "the file is refused: …". */
export type OwnFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }

/** A configuration has tens of lines; the bound keeps a mistaken path from filling memory. */
const MAX_OWN_FILE_BYTES = 262_144

/** What is wrong with an opened file, as the end of a sentence; undefined when it may be read. */
export type FileJudge = (found: Stats) => string | undefined

/**
 * Reads a file of `uid` that nobody else may write. A symbolic link is followed, since people keep their
 * configuration elsewhere; what is checked is the opened file itself, so it cannot be swapped in between.
 */
export function readOwnFile(path: string, uid: number): OwnFile {
  return readJudgedFile(path, (found) => ownFault(found, uid))
}

/** Reads a file of `uid` that nobody else may even read. */
export function readPrivateFile(path: string, uid: number): OwnFile {
  return readJudgedFile(
    path,
    (found) =>
      ownFault(found, uid) ??
      ((found.mode & 0o077) === 0 ? undefined : 'others may read it; remove it and start again'),
  )
}

/** Reads a regular file whose judge has nothing against it; links are followed, and what is opened is judged. */
export function readJudgedFile(path: string, judge: FileJudge): OwnFile {
  let file: number
  try {
    // O_NONBLOCK: opening a fifo would otherwise wait for its writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'refused', reason: `it cannot be opened (${code ?? String(error)})` }
  }
  try {
    const found = fstatSync(file)
    const reason = found.isFile() ? judge(found) : 'it is not a regular file'
    return reason === undefined
      ? { kind: 'text', text: readFileSync(file, 'utf8') }
      : { kind: 'refused', reason }
  } catch (error) {
    return { kind: 'refused', reason: `it cannot be read (${systemErrorCode(error) ?? String(error)})` }
  } finally {
    closeSync(file)
  }
}

function ownFault(found: Stats, uid: number): string | undefined {
  if (found.uid !== uid) return `it belongs to uid ${found.uid}, not to uid ${uid}`
  if ((found.mode & 0o022) !== 0) return 'others may write it; run chmod go-w on it'
  if (found.size > MAX_OWN_FILE_BYTES) return `it is larger than ${MAX_OWN_FILE_BYTES} bytes`
  return undefined
}
