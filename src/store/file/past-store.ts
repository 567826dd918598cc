/**
 * A store that was set aside, read and never written: whoever is refused finds his file as it was (HD-14).
 */
import { lstatSync, rmSync, type Stats } from 'node:fs'
import type { Database, Driver } from '../driver/database.ts'
import { messageOf } from '../../core/thrown.ts'
import { versionFault } from '../rows/schema.ts'
import { driverFailure } from '../driver/driver.ts'

/** A store stays where it is. The message is one sentence that says why. */
export class NotAdopted extends Error {
  override readonly name = 'NotAdopted'
  /** Whether another try may succeed with the same file: somebody had it, or the disk did not answer. */
  readonly mayPass: boolean

  constructor(message: string, { mayPass = false, cause }: { mayPass?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.mayPass = mayPass
  }
}

/** Which file, and whose it has to be. */
export interface PastStore {
  readonly path: string
  readonly uid: number
}

/** What SQLite makes beside a database that is only read. */
const MADE_BY_READING = ['-wal', '-shm']

/** Others than its owner must not have been able to write it. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * Opens it for reading, and leaves nothing beside it that was not there.
 *
 * @throws NotAdopted when it is none of ours, of a newer agentd, held, or cannot be read
 */
export async function readPastStore<T>(
  driver: Driver,
  { path, uid }: PastStore,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const found = requireOwnFile(path, uid)
  const made = MADE_BY_READING.map((suffix) => path + suffix).filter((name) => entryAt(name) === undefined)
  try {
    const database = new driver(path, { readonly: true, fileMustExist: true, timeout: 0 })
    try {
      const fault = versionFault(database)
      if (fault !== undefined) throw new NotAdopted(`${path} ${fault}.`)
      const result = await use(database)
      if (entryAt(path)?.ino !== found.ino) throw new NotAdopted(`${path} was exchanged meanwhile.`)
      return result
    } finally {
      database.close()
      for (const name of made) rmSync(name, { force: true })
    }
  } catch (error) {
    throw toNotAdopted(path, error)
  }
}

/** @returns the error itself when it is neither SQLite's word nor the system's: a defect */
export function toNotAdopted(path: string, error: unknown): unknown {
  if (error instanceof NotAdopted) return error
  const failure = driverFailure(error)
  if (failure === undefined) return error
  if (failure === 'held')
    return new NotAdopted(`Another process has ${path} open; end it and try again.`, {
      mayPass: true,
      cause: error,
    })
  const what = failure === 'damaged' ? 'is damaged or no store of agentd' : 'cannot be adopted'
  const message = `${path} ${what}: ${messageOf(error).replace(/\.$/, '')}.`
  return new NotAdopted(message, { mayPass: failure === 'refused', cause: error })
}

/** What stands at a name, itself and not what it points to; undefined when nothing does. */
export function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Its log is read with it, so what counts for the one counts for the other. */
function requireOwnFile(path: string, uid: number): Stats {
  for (const name of [`${path}-wal`, `${path}-journal`, path]) {
    const found = entryAt(name)
    const fault = found && faultOf(found, uid)
    if (fault !== undefined) throw new NotAdopted(`${name} ${fault}.`)
    if (name === path && found !== undefined) return found
  }
  throw new NotAdopted(`There is no ${path}.`)
}

/** What is wrong with a file, as the end of a sentence. */
function faultOf(found: Stats, uid: number): string | undefined {
  if (found.isSymbolicLink()) return 'is a link; name the file itself'
  if (!found.isFile()) return 'is no regular file'
  if (found.uid !== uid) return `belongs to uid ${found.uid}, not to uid ${uid}`
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) return 'can be written by others; run chmod go-w on it'
  // A log belongs to one name; under the other it would be missing.
  if (found.nlink > 1) return 'has another name as well (a hard link); remove one of the two'
  return undefined
}
