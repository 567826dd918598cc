/**
 * A new file for this user's eyes only, and its name made known.
 */
import { closeSync, constants, fchmodSync, fsyncSync, openSync, utimesSync, writeFileSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { syncDirectory } from './sync-directory.ts'
import { settling, watchFolder } from './watched-folder.ts'

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
  const calls = settling(onChange)
  const watcher = watchFolder(folder, {
    changed: calls.changed,
    failed: (error) =>
      onFault(`The folder ${folder} cannot be watched: ${systemErrorCode(error) ?? String(error)}.`),
  })
  return () => {
    watcher?.close()
    calls.cancel()
  }
}
