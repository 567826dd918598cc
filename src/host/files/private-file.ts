/**
 * A new file for this user's eyes only, and its name made known.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { syncDirectory } from './sync-directory.ts'

/** Mode 0600 from its first moment, whatever the umask, and on the disk before it gets its name. */
export function writePrivateFile(path: string, text: string): void {
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
export function settleNames(directory: string): void {
  const now = (performance.timeOrigin + performance.now()) / 1_000
  utimesSync(directory, now, now)
  syncDirectory(directory)
}

/** How long changes are gathered before they are told: a command writes two files and takes a lock away. */
const SETTLE_MS = 100

/**
 * Calls back once changes in a folder have settled; never keeps the process alive.
 *
 * @param onFault - told in a sentence when the folder cannot be watched, or no longer
 * @returns stops watching; no call comes after it
 */
export function watchNames(
  folder: string,
  onChange: () => void,
  onFault: (sentence: string) => void,
): () => void {
  let settling: NodeJS.Timeout | undefined
  const failed = (error: unknown): void =>
    onFault(`The folder ${folder} cannot be watched: ${systemErrorCode(error) ?? String(error)}.`)
  try {
    const watcher = watch(folder, { persistent: false }, () => {
      // Not restarted by later changes: one that is written without pause would put it off for ever.
      settling ??= setTimeout(() => {
        settling = undefined
        onChange()
      }, SETTLE_MS).unref()
    })
    watcher.on('error', (error) => {
      watcher.close()
      failed(error)
    })
    return () => {
      watcher.close()
      clearTimeout(settling)
    }
  } catch (error) {
    failed(error)
    return () => {}
  }
}
