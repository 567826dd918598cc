/**
 * Opening the store: one writer, checked, with a past that is either trusted or set aside.
 *
 * @see docs/reliability.md §1.5, R-18…R-26
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../../core/thrown.ts'
import type { Database, Driver } from '../driver/database.ts'
import { driverFailure, isMisread } from '../driver/driver.ts'
import { begin, lastSeqOf, type BegunStore, type MetaRow, type Opening, type StorePlace } from './epoch.ts'
import type { Mark } from './high-water-mark.ts'
import { createPrivateFile } from './private-file.ts'
import { migrate } from '../rows/schema.ts'
import { requireSoundRows } from '../rows/sound-rows.ts'
import { DamagedStore, requireSound, requireSoundIndexes } from '../rows/soundness.ts'
import { prepareStatements, type Statements } from '../rows/statements.ts'
import { UnknownStore } from '../witness/condition.ts'
import type { Totals } from './totals.ts'

/** An open store. */
export interface OpenStore extends BegunStore {
  readonly database: Database
  readonly statements: Statements
  /** Of the oldest frame; undefined when there is none. */
  readonly firstSeq: number | undefined
}

/** What a write-ahead log is cut back to after a checkpoint, in bytes. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024

/** Pages of the write-ahead log after which a commit checkpoints it. */
const CHECKPOINT_PAGES = 1_000

/** A database with its settings and tables, before it is known what its past is worth. */
export type OpenTables = Pick<OpenStore, 'database' | 'statements'>

/**
 * Opens the file, or makes it.
 *
 * @throws Error whose `failureOf` says what is the matter: damaged, held by another process, or refused
 */
export function openStore(driver: Driver, place: StorePlace, opening: Opening): OpenStore {
  return withTables(driver, place, ({ database, statements }) => {
    const begun = begin(database, place, opening)
    return { database, statements, firstSeq: statements.firstSeq.get() ?? undefined, ...begun }
  })
}

/**
 * As {@link openStore}, and once more where it looks damaged or could not be read: a disk may give wrong octets once
 * (HD-14).
 *
 * @throws Error as {@link openStore}, of the second try
 */
export function openTwice(driver: Driver, place: StorePlace, opening: Opening): OpenStore {
  try {
    return openStore(driver, place, opening)
  } catch (error) {
    if (!isMisread(error)) throw error
    return openStore(driver, place, opening)
  }
}

/**
 * Ends cleanly: the log is written back, and the next daemon can trust the totals.
 *
 * @returns why the disk did not take that; the end is then like a kill
 */
export function endCleanly(
  { database, statements }: OpenTables,
  end: Totals & { readonly lastSeq: number },
): string | undefined {
  try {
    statements.end.run(end.lastSeq, end.frames, end.bytes)
    database.pragma('wal_checkpoint(TRUNCATE)')
    return undefined
  } catch (error) {
    if (driverFailure(error) === undefined) throw error
    return messageOf(error)
  }
}

/**
 * Opens again what this process has had open, or a copy of it: there is no past to judge.
 *
 * @throws Error as {@link openStore}
 */
export function openAgain(driver: Driver, place: StorePlace): OpenTables {
  return withTables(driver, place, (tables) => tables)
}

/**
 * As {@link openAgain}, looked over as after an unclean end.
 *
 * @param known - what has been committed to it, by the word of the process
 * @returns undefined when it is damaged
 */
export function openIfSound(
  driver: Driver,
  place: StorePlace,
  known: { readonly epoch: string; readonly seq: number },
): OpenTables | undefined {
  const check = (tables: OpenTables): OpenTables => {
    const { database } = tables
    requireSound(database)
    requireSoundIndexes(database)
    const meta = database.prepare<[], MetaRow>('SELECT * FROM meta').get()
    if (meta?.epoch !== known.epoch || lastSeqOf(database, meta) < known.seq)
      throw new DamagedStore('The store lacks what was written to it.')
    return tables
  }
  try {
    return withTables(driver, place, check)
  } catch (error) {
    if (driverFailure(error) !== 'damaged') throw error
    return undefined
  }
}

/**
 * Opens a store that comes back from aside, and looks over all of it: what is wrong with it is to be found now and not
 * when it serves. It begins a new epoch.
 *
 * @throws Error as {@link openStore}
 */
export function openPast(driver: Driver, place: StorePlace): OpenStore {
  return withTables(driver, place, ({ database, statements }) => {
    requireSound(database)
    requireSoundRows(statements)
    const begun = begin(database, place, { afterQuarantine: false, markOf: () => UNREACHED })
    return { database, statements, firstSeq: statements.firstSeq.get() ?? undefined, ...begun }
  })
}

/** As of a store that has lost its end. */
const UNREACHED: Mark = { seq: Infinity, totals: undefined }

function withTables<T extends OpenTables>(
  driver: Driver,
  place: StorePlace,
  use: (tables: OpenTables) => T,
): T {
  createPrivateFile(place.path)
  syncDirectory(dirname(place.path))
  const database = new driver(place.path, { timeout: 0 })
  try {
    // Exclusive before the first page is read: no second process, and no shared-memory file beside it.
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    // Content that moves between pages leaves no copy behind: what is forgotten later is then in one place only.
    database.pragma('secure_delete = FAST')
    // How it begins is on the disk before the first frame is, whatever is promised of frames: a file that said
    // after a power cut that it had been closed cleanly would give out its numbers twice.
    database.pragma('synchronous = FULL')
    if (place.ack === 'disk') database.pragma('fullfsync = ON')
    if (ourTables(() => migrate(database)) === 'foreign')
      throw new UnknownStore('The store is of another version.')
    const opened = use({ database, statements: ourTables(() => prepareStatements(database)) })
    if (place.ack === 'process') database.pragma('synchronous = NORMAL')
    return opened
  } catch (error) {
    database.close()
    throw error
  }
}

/** A file whose tables are not ours is as good as damaged. */
function ourTables<T>(use: () => T): T {
  try {
    return use()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_ERROR')) throw error
    throw new DamagedStore(`The store has other tables: ${error.message}.`)
  }
}

/** A new file is only there after a power cut when its name is. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
