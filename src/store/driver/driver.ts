/**
 * The one door to SQLite: better-sqlite3, which is optional, or the one that Node has in it, from a late 22 on. Without either
 * agentd runs, and says so.
 *
 * @see R-26
 */
import { isVersionAtLeast } from '../../core/versions.ts'
import type { Database, Driver } from './database.ts'
import { nodeSqlite } from './node-sqlite.ts'

/** SQLite before this loses commits in a race of a write with a checkpoint. */
const SQLITE_FLOOR = '3.51.3'

/** An id may hold one. */
const WITH_NULL = 'a\0b'

/** @returns the driver, or a sentence about why there is none, without its full stop */
export async function loadDriver(): Promise<Driver | string> {
  const chosen = await chooseDriver()
  return typeof chosen === 'string' ? chosen : chosen.driver
}

/** Which SQLite a store here is kept with. Where there is none, why not. */
export type SqliteFound =
  | { readonly driver: 'better-sqlite3' | 'node:sqlite'; readonly version: string }
  | { readonly driver: null; readonly why: string }

/** Looks as {@link loadDriver} does, and says what it found. */
export async function describeDriver(): Promise<SqliteFound> {
  const chosen = await chooseDriver()
  if (typeof chosen === 'string') return { driver: null, why: chosen }
  const probe = new chosen.driver(':memory:')
  const version = versionOf(probe)
  probe.close()
  return { driver: chosen.name, version }
}

/** The first that will do. */
async function chooseDriver(): Promise<
  { readonly name: 'better-sqlite3' | 'node:sqlite'; readonly driver: Driver } | string
> {
  const installed = await usable('better-sqlite3', async () => (await import('better-sqlite3')).default)
  if (typeof installed !== 'string') return { name: 'better-sqlite3', driver: installed }
  const own = await usable("Node's own SQLite", nodeSqlite)
  return typeof own === 'string' ? `${installed}, and ${own}` : { name: 'node:sqlite', driver: own }
}

/** A driver that loads, opens, and is new enough; otherwise why not. */
async function usable(name: string, load: () => Driver | Promise<Driver>): Promise<Driver | string> {
  try {
    const driver = await load()
    const probe = new driver(':memory:')
    const version = versionOf(probe)
    const isWhole = probe.prepare<[string], string>('SELECT ?').pluck().get(WITH_NULL) === WITH_NULL
    probe.close()
    if (!isWhole) return `${name} cuts texts at a null character`
    return isVersionAtLeast(version, SQLITE_FLOOR)
      ? driver
      : `the SQLite ${version} of ${name} is older than ${SQLITE_FLOOR}`
  } catch (error) {
    return whyNot(name, error)
  }
}

/** The loader's words name paths and modules of no interest to anybody; what the system says is another matter. */
function whyNot(name: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return `${name} is not installed`
  if (code === 'ERR_UNKNOWN_BUILTIN_MODULE')
    return `${name} begins with Node 22.16 (this is ${process.version.slice(1)})`
  if (/NODE_MODULE_VERSION|bindings file|self-register/.test(message))
    return `${name} has no binary for Node ${process.version.slice(1)}`
  return `${name} does not load (${message})`
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
export function describeDatabase(database: Database): DatabaseFigures {
  const synchronous: unknown = database.pragma('synchronous', { simple: true })
  return {
    sqliteVersion: versionOf(database),
    synchronous: synchronous === 2 ? 'full' : synchronous === 1 ? 'normal' : String(synchronous),
  }
}

function versionOf(database: Database): string {
  return String(database.prepare('SELECT sqlite_version()').pluck().get())
}
