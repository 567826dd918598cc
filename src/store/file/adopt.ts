/**
 * The way back for a store that was set aside: copied, looked over whole, and given the place (HD-14).
 *
 * The file that is adopted is never written, and what stands at the place is set aside. Every moment of it the place
 * has either the old store or the new one: each of the two is a single file, without a log, when they change places.
 *
 * @see docs/reliability.md §1.5
 */
import { linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database, Driver } from '../driver/database.ts'
import { driverFailure } from '../driver/driver.ts'
import type { StorePlace } from './epoch.ts'
import { endCleanly, openPast, syncDirectory, type OpenStore } from './open.ts'
import { entryAt, NotAdopted, readPastStore, toNotAdopted, type PastStore } from './past-store.ts'
import { copyStore, removeCopy } from './put-back.ts'
import { asideName, quarantine } from './quarantine.ts'

/** What is adopted, and where to. The caller sees to it that no daemon starts there meanwhile. */
export interface Adoption {
  readonly driver: Driver
  readonly place: StorePlace
  readonly past: PastStore
}

/** What came of it. */
export interface Adopted {
  /** Frames and envelopes that the store holds. */
  readonly frames: number
  /** Where the store is that stood at the place; undefined when none did. */
  readonly aside: string | undefined
}

/** The store at the place, locked; `damaged` where SQLite does not take it for one. */
type Standing = Database | 'damaged' | undefined

/**
 * Puts a store back at the place. Its epoch ends: a number after its last may have been given out, by whatever it has
 * lost.
 *
 * @throws NotAdopted when it must not be used; nothing has changed then
 */
export async function adoptStore({ driver, place, past }: Adoption): Promise<Adopted> {
  const { path } = place
  requireElsewhere(past.path, path)
  const standing = lockStanding(driver, path)
  try {
    const copy = await readPastStore(driver, past, (database) => copyStore(database, path))
    try {
      return exchange({ ...place, path: copy }, { driver, past, path, standing })
    } finally {
      removeCopy(copy)
    }
  } finally {
    if (typeof standing === 'object') standing.close()
  }
}

/** The copy is open, and thereby locked, until it has its name. */
function exchange(
  copy: StorePlace,
  { driver, past, path, standing }: { driver: Driver; past: PastStore; path: string; standing: Standing },
): Adopted {
  let store: OpenStore | undefined
  try {
    store = openPast(driver, copy)
    const { lastSeq, totals } = store
    const fault = endCleanly(store, { lastSeq, ...totals })
    if (fault !== undefined) throw new NotAdopted(`${path} cannot be written: ${fault}.`, { mayPass: true })
    const aside = setAside(path, copy.nowMs(), standing)
    renameSync(copy.path, path)
    syncDirectory(dirname(path))
    // Its log goes while the new store is still locked: nobody else has a log of that name yet.
    if (typeof standing === 'object') standing.close()
    return { frames: totals.frames, aside }
  } catch (error) {
    throw toNotAdopted(past.path, error)
  } finally {
    store?.database.close()
  }
}

/**
 * Gives what stands at the place a second name, so that the place is never empty; the first goes to the new store in
 * one step. A damaged store, or what is left of one, is moved: it has nothing to lose but its place.
 */
function setAside(path: string, nowMs: number, standing: Standing): string | undefined {
  if (typeof standing !== 'object' || !becomesOneFile(standing)) {
    const aside = quarantine({ path, reason: 'replaced', nowMs })
    return standing && aside
  }
  const aside = asideName(path, 'replaced', nowMs)
  linkSync(path, aside)
  return aside
}

/** Writes its log back and does without one. @returns false when it is too damaged for that */
function becomesOneFile(standing: Database): boolean {
  try {
    standing.pragma('journal_mode = DELETE')
    return true
  } catch (error) {
    if (driverFailure(error) !== 'damaged') throw error
    return false
  }
}

/** @throws NotAdopted when a process has it, or it is no file */
function lockStanding(driver: Driver, path: string): Standing {
  const found = entryAt(path)
  if (found === undefined) return undefined
  if (!found.isFile()) throw new NotAdopted(`${path} is no regular file; move it away.`)
  const database = new driver(path, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE; COMMIT')
    return database
  } catch (error) {
    database.close()
    if (driverFailure(error) === 'damaged') return 'damaged'
    throw toNotAdopted(path, error)
  }
}

/** @throws NotAdopted for the names that are written to here */
function requireElsewhere(wanted: string, path: string): void {
  const { ino, dev } = entryAt(wanted) ?? {}
  for (const name of [path, `${path}.copy`]) {
    const found = entryAt(name)
    if (wanted === name || (found !== undefined && found.ino === ino && found.dev === dev))
      throw new NotAdopted(`${wanted} is what agentd works with already.`)
  }
}
