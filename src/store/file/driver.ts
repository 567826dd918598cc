/**
 * The one door to better-sqlite3, which is optional: without it agentd runs, and says so.
 */
import type Database from 'better-sqlite3'
import { isVersionAtLeast } from '../../core/versions.ts'

export type Driver = typeof Database

/** SQLite before this loses commits in a race of a write with a checkpoint. */
const SQLITE_FLOOR = '3.51.3'

/**
 * @returns the driver, or a sentence about why there is none: it is not installed, its binary does not fit
 *   this Node, or its SQLite is too old
 */
export async function loadDriver(): Promise<Driver | string> {
  try {
    const { default: driver } = await import('better-sqlite3')
    const probe = new driver(':memory:')
    const version = String(probe.prepare('SELECT sqlite_version()').pluck().get())
    probe.close()
    return isVersionAtLeast(version, SQLITE_FLOOR)
      ? driver
      : `SQLite ${version} is older than ${SQLITE_FLOOR}`
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  }
}

/** What a failed statement means for the store. */
export type Failure = 'damaged' | 'refused' | 'held' | undefined

/** @returns undefined for what is neither SQLite's word about its file nor the system's: a defect */
export function driverFailure(error: unknown): Failure {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const { code } = error
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'damaged'
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'held'
  // The system's own word, of a file beside the database.
  if (/^E[A-Z0-9]+$/.test(code)) return 'refused'
  return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|AUTH|NOMEM|PROTOCOL)/.test(code) ? 'refused' : undefined
}

/** Whether another try may read it: it looks damaged, or the disk did not give it. */
export function isMisread(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code))
  )
}

/** Whether an error says that the disk has no room, for content or for another file. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(String(error.code))
}

/** What SQLite says about itself and one database. */
export interface DatabaseFigures {
  readonly sqliteVersion: string
  /** `full` or `normal`. */
  readonly synchronous: string
}

/** Asked, not remembered: what health shows is what is in force. */
export function describeDatabase(database: Database.Database): DatabaseFigures {
  const synchronous: unknown = database.pragma('synchronous', { simple: true })
  return {
    sqliteVersion: String(database.prepare('SELECT sqlite_version()').pluck().get()),
    synchronous: synchronous === 2 ? 'full' : synchronous === 1 ? 'normal' : String(synchronous),
  }
}
