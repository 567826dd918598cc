/**
 * Setting a damaged store aside: renamed with everything that belongs to it, never deleted.
 *
 * A write-ahead log that is moved away from its database is itself a way to damage one, so the files go
 * together.
 */
import { lstatSync, renameSync } from 'node:fs'

/** What SQLite keeps beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal']

/**
 * Renames `path` and its companions out of the way.
 *
 * @returns the new name
 */
export function quarantine(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')
  const aside = freeName(path.replace(/\.db$/, `.corrupt-${stamp}`))
  for (const suffix of SUFFIXES) {
    if (exists(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  return aside
}

/** Two quarantines within a millisecond must not overwrite one another. */
function freeName(wanted: string): string {
  let name = wanted
  for (let i = 1; exists(name); i += 1) name = `${wanted}-${i}`
  return name
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
