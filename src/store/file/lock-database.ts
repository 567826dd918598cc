/**
 * The right to be the one daemon of this user, as a lock the kernel drops with the process.
 *
 * An exclusive transaction on an otherwise empty database: SQLite holds it as a POSIX record lock, so it
 * survives SIGSTOP and sleep, knows no clock, and is free the moment the holder dies, by kill -9 too.
 *
 * @see docs/reliability.md §0 finding 2, §1.2
 */
import { driverFailure, loadDriver } from '../driver/driver.ts'
import { createPrivateFile } from './private-file.ts'

/** What happened to a claim. `unavailable`: there is no SQLite here. */
export type LockDatabaseClaim =
  | { readonly kind: 'claimed'; readonly lock: { release(): Promise<void> } }
  | { readonly kind: 'taken' }
  | { readonly kind: 'unavailable'; readonly reason: string }

/**
 * Claims the lock database at `path`, making it 0600 when missing. It never waits.
 *
 * After this, nothing in this process may open that file with `node:fs`: closing any descriptor of it would
 * drop the lock without a word (fcntl(2)). The claim must be kept referenced, or the lock goes with it.
 *
 * @param path - in a directory that exists and is private
 * @throws Error with a code when something else than a database stands at `path`
 */
export async function claimLockDatabase(path: string): Promise<LockDatabaseClaim> {
  const driver = await loadDriver()
  if (typeof driver === 'string') return { kind: 'unavailable', reason: driver }
  createPrivateFile(path)
  const database = new driver(path, { timeout: 0 })
  try {
    // No journal file: nothing is ever committed here, so there is nothing to roll back after a crash.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (driverFailure(error) === 'held') return { kind: 'taken' }
    throw error
  }
  return { kind: 'claimed', lock: { release: async () => void database.close() } }
}
