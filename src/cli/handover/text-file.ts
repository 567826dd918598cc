/**
 * Where the text of a handover goes: a file of its own, which is never another one's, or whatever stands at the other end.
 *
 * @see HO-05
 */
import { closeSync, fsyncSync, lstatSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { UsageError } from '../../core/errors.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'

/** A text on its way into a file. */
export interface TextFile {
  /** Writes all of it, onto the disk; repeated, it does nothing. @throws UsageError, and then there is no file */
  write(text: string): void
  /** Takes it back. */
  remove(): void
}

/**
 * A file that is made for it, for its owner alone; or a pipe or device that is there, which can take nothing back and is
 * written last.
 *
 * @throws UsageError where there is a file already
 */
export function openTextFile(path: string): TextFile & { readonly isNew: boolean } {
  const isNew = isAbsent(path)
  let isWritten = false
  return {
    isNew,
    write(text) {
      if (isWritten) return
      writeInto(path, text, isNew)
      isWritten = true
    },
    remove() {
      if (isNew && isWritten) unlinkSync(path)
    },
  }
}

function isAbsent(path: string): boolean {
  try {
    const found = lstatSync(path)
    if (found.isFIFO() || found.isCharacterDevice()) return false
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return true
    throw cannot(path, error)
  }
  throw new UsageError(`--to: "${path}" is there already; name a file that is not.`)
}

function writeInto(path: string, text: string, isNew: boolean): void {
  let file: number
  try {
    file = openSync(path, isNew ? 'wx' : 'w', 0o600)
  } catch (error) {
    throw cannot(path, error)
  }
  try {
    let rest = Buffer.from(text)
    while (rest.length > 0) rest = rest.subarray(writeSync(file, rest))
    if (isNew) fsyncSync(file)
  } catch (error) {
    if (isNew) unlinkSync(path)
    throw cannot(path, error)
  } finally {
    closeSync(file)
  }
}

function cannot(path: string, error: unknown): UsageError {
  return new UsageError(`--to: "${path}" cannot be written: ${messageOf(error)}.`, { cause: error })
}
