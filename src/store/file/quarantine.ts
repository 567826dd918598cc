/**
 * Setting a store aside, because it is damaged or because it is not ours: renamed with everything that belongs to
 * it, never deleted (R-23, HD-13).
 *
 * A write-ahead log that is moved away from its database is itself a way to damage one, so the files go
 * together.
 */
import { lstatSync, renameSync } from 'node:fs'

/** What SQLite keeps beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal']

/** Why a store is set aside; part of its new name. */
export type AsideReason = 'corrupt' | 'replaced'

/** What is set aside, and why. */
export interface Aside {
  readonly path: string
  readonly reason: AsideReason
  readonly nowMs: number
  /** Whether a file of those names belongs to the store; all of them do unless this says otherwise. */
  readonly belongs?: (path: string) => boolean
}

/**
 * Renames a store and its companions out of the way.
 *
 * @returns the new name
 * @throws Error with the system's code
 */
export function quarantine({ path, reason, nowMs, belongs = () => true }: Aside): string {
  const aside = asideName(path, reason, nowMs)
  for (const suffix of SUFFIXES) {
    const from = path + suffix
    if (exists(from) && belongs(from)) renameSync(from, aside + suffix)
  }
  return aside
}

/** The name of a store that is set aside; nothing has it yet. */
export function asideName(path: string, reason: AsideReason, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')
  return freeName(path.replace(/\.db$/, `.${reason}-${stamp}`))
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
