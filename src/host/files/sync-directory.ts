/**
 * A file's name on the disk: it outlives a power cut only when its directory has been written as well.
 */
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'

/** Waits until the names in a directory are on the disk. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
