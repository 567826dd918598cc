/**
 * Putting a store back at its place: a copy of the database that the process still holds, made beside the other work
 * and renamed when it is whole (HD-13).
 */
import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from '../driver/database.ts'
import { syncDirectory } from './open.ts'
import { createPrivateFile } from './private-file.ts'
import { quarantine } from './quarantine.ts'
import type { Witness } from '../witness/witness.ts'

/** Pages copied per turn of the event loop: a quarter of a mebibyte. */
const PAGES_PER_TURN = 64

/**
 * Copies a database that is written to meanwhile. When the promise is fulfilled the copy has every commit, and goes
 * on having it until the next turn of the loop.
 *
 * @returns where the copy is
 * @throws Error with SQLite's or the system's code
 */
export async function copyStore(database: Database, path: string): Promise<string> {
  const copy = `${path}.copy`
  removeCopy(copy)
  createPrivateFile(copy)
  try {
    await database.backup(copy, { progress: () => PAGES_PER_TURN })
    return copy
  } catch (error) {
    removeCopy(copy)
    throw error
  }
}

/**
 * Gives a finished copy the store's name. A store of somebody else that stands there is set aside; the names of what
 * was opened go to the copy.
 *
 * @param close - closes the database that was copied: SQLite then removes the log of that name, which has to be ours
 * @returns where another's store went, if there was one
 * @throws Error with the system's code
 */
export function takePlace(
  copy: string,
  { path, nowMs, witness, close }: { path: string; nowMs: number; witness: Witness; close: () => void },
): string | undefined {
  const belongs = (name: string): boolean => !witness.isOurs(name)
  const others = ['', '-wal', '-journal'].some((suffix) => witness.isOthers(path + suffix))
  const aside = others ? quarantine({ path, reason: 'replaced', nowMs, belongs }) : undefined
  close()
  renameSync(copy, path)
  syncDirectory(dirname(path))
  return aside
}

/** Of a copy that nobody needs any more, or that was not finished. */
export function removeCopy(copy: string): void {
  for (const suffix of ['', '-journal', '-wal']) rmSync(copy + suffix, { force: true })
}
