/**
 * Opening the store: one writer, checked, with a past that is either trusted or set aside.
 *
 * @see docs/reliability.md §1.5, R-18…R-26
 */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { newEpoch } from '../../core/ids.ts'
import type { Ack } from '../../protocol/http/frame-replies.ts'
import type { Driver } from './driver.ts'
import type { Mark } from './high-water-mark.ts'
import { createPrivateFile } from './private-file.ts'
import { migrate } from '../rows/schema.ts'
import { prepareStatements, type Statements } from '../rows/statements.ts'
import type { Totals } from './totals.ts'

/** What a store is opened with besides its place. */
export interface Opening {
  /** Whether it takes the place of a damaged one: then no earlier cursor can be trusted. */
  readonly afterQuarantine: boolean
  /** What was committed in an epoch, by a word that is not the store's own. */
  readonly markOf: (epoch: string) => Mark
}

/** Which file, and what it has to promise. */
export interface StorePlace {
  readonly path: string
  readonly ack: Exclude<Ack, 'memory'>
  /** Names this boot of the machine; undefined where that cannot be known. */
  readonly bootId: string | undefined
  readonly nowMs: () => number
}

/** An open store. */
export interface OpenStore {
  readonly database: Database
  readonly statements: Statements
  readonly epoch: string
  /** The greatest sequence number this epoch has ever given out, as far as the file knows. */
  readonly lastSeq: number
  /** Of the oldest frame; undefined when there is none. */
  readonly firstSeq: number | undefined
  readonly totals: Totals
  /** Earlier epochs, and why their cursors say nothing any more. */
  readonly fates: ReadonlyMap<string, 'epoch' | 'rollback' | 'corrupt'>
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
 * Opens a copy of what this process has had open: there is no past to judge.
 *
 * @throws Error as {@link openStore}
 */
export function openCopy(driver: Driver, place: StorePlace): OpenTables {
  return withTables(driver, place, (tables) => tables)
}

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
    if (ourTables(() => migrate(database)) === 'foreign') throw damaged('The store is of another version.')
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
    throw damaged(`The store has other tables: ${error.message}.`)
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

interface MetaRow {
  readonly epoch: string
  readonly boot_id: string
  readonly ack: string
  readonly is_clean: number
  readonly last_seq: number
  readonly frames: number
  readonly bytes: number
}

/**
 * Decides which epoch it is.
 *
 * A daemon that was killed lost nothing it had committed, because the pages were the kernel's already. A
 * machine that went down may have lost the tail under `process`, and the numbers of that tail with it: they
 * must not name other frames now, so the epoch changes. So it does when the store does not reach what
 * was committed: part of it is gone, whoever took it.
 */
function begin(
  database: Database,
  place: StorePlace,
  { afterQuarantine, markOf }: Opening,
): Pick<OpenStore, 'epoch' | 'lastSeq' | 'totals' | 'fates'> {
  const meta = database.prepare<[], MetaRow>('SELECT * FROM meta').get()
  const newest = database.prepare<[], number>('SELECT max(seq) FROM frames').pluck().get() ?? 0
  const lastSeq = Math.max(newest, meta?.last_seq ?? 0)
  const sameBoot = place.bootId !== undefined && meta?.boot_id === place.bootId
  // A kill leaves the kernel's pages whole; only a machine that went down can have torn one.
  if (meta?.is_clean === 0 && !sameBoot) requireSound(database)
  requireSoundIndexes(database)
  if (meta !== undefined && !/^[0-9a-f]{8}$/.test(meta.epoch))
    throw damaged('The epoch of the store is none.')
  const mark = meta && markOf(meta.epoch)
  const isWhole = meta !== undefined && mark !== undefined && mark.seq <= lastSeq
  const isKept = isWhole && (meta.is_clean === 1 || sameBoot || meta.ack === 'disk')
  const epoch = isKept ? meta.epoch : newEpoch()
  database.transaction(() => {
    if (meta !== undefined && !isKept) setFate(database, meta.epoch, 'rollback')
    if (afterQuarantine) setFate(database, ANY_EPOCH, 'corrupt')
    database.prepare('DELETE FROM meta').run()
    database
      .prepare(
        'INSERT INTO meta (epoch, boot_id, ack, is_clean, last_seq, frames, bytes) VALUES (?, ?, ?, 0, ?, 0, 0)',
      )
      .run(epoch, place.bootId ?? '', place.ack, lastSeq)
  })()
  const fates = database
    .prepare<[], { epoch: string; fate: 'epoch' | 'rollback' | 'corrupt' }>('SELECT * FROM epochs')
    .all()
  return {
    epoch,
    lastSeq,
    totals: totalsOf(database, isKept ? meta : undefined, { lastSeq, sameBoot, mark }),
    fates: new Map(fates.map((row) => [row.epoch, row.fate])),
  }
}

/**
 * A clean end left its totals, and a kill what was marked with the last commit; otherwise the rows are counted.
 *
 * @param meta - of a past that is gone on from
 */
function totalsOf(
  database: Database,
  meta: MetaRow | undefined,
  now: { readonly lastSeq: number; readonly sameBoot: boolean; readonly mark: Mark | undefined },
): Totals {
  if (meta?.is_clean === 1) return { frames: meta.frames, bytes: meta.bytes }
  const { totals } = now.mark ?? {}
  if (meta !== undefined && now.sameBoot && now.mark?.seq === now.lastSeq && totals !== undefined)
    return totals
  const counted = database
    .prepare<[], { frames: number; bytes: number | null }>(
      'SELECT count(*) AS frames, sum(bytes) AS bytes FROM frames',
    )
    .get()
  return { frames: counted?.frames ?? 0, bytes: counted?.bytes ?? 0 }
}

/** Stands for every epoch a quarantined file may have had: its own word cannot be trusted. */
export const ANY_EPOCH = '*'

function setFate(database: Database, epoch: string, fate: 'rollback' | 'corrupt'): void {
  database.prepare('INSERT OR REPLACE INTO epochs (epoch, fate) VALUES (?, ?)').run(epoch, fate)
}

/** After an unclean end the whole file is looked over before a byte of it is served. */
function requireSound(database: Database): void {
  const verdict: unknown = database.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw damaged(`The store does not pass its check: ${String(verdict)}`)
}

/**
 * A row that its index has lost is missing from its workflow without a word. Every row has a
 * check of its own; this is for those that are not found. Only envelopes have indexes, so only a store that holds
 * some pays for it, with a sixth of a second for 100 000 rows.
 */
function requireSoundIndexes(database: Database): void {
  if (database.prepare('SELECT 1 FROM frames WHERE corr IS NOT NULL LIMIT 1').get() === undefined) return
  const verdict: unknown = database.pragma("integrity_check('frames')", { simple: true })
  if (verdict !== 'ok') throw damaged(`The store does not pass its check: ${String(verdict)}`)
}

function damaged(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' })
}
