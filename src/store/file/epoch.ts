/**
 * The epoch of a store: which life of the counter it is, and what became of those before it.
 *
 * @see docs/reliability.md §1.5, R-20
 */
import type { Database } from '../driver/database.ts'
import { newEpoch } from '../../core/ids.ts'
import { DamagedStore, requireSound, requireSoundIndexes } from '../rows/soundness.ts'
import type { Mark } from './high-water-mark.ts'
import type { Ack } from '../../protocol/http/frame-replies.ts'
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

/** A store as it begins: what the file said, and what it is worth. */
export interface BegunStore {
  readonly epoch: string
  /** The greatest sequence number this epoch has ever given out, as far as the file knows. */
  readonly lastSeq: number
  readonly totals: Totals
  /** Earlier epochs, and why their cursors say nothing any more. */
  readonly fates: ReadonlyMap<string, 'epoch' | 'rollback' | 'corrupt'>
}

/** The one row about the file itself. */
export interface MetaRow {
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
export function begin(
  database: Database,
  place: Pick<StorePlace, 'ack' | 'bootId'>,
  { afterQuarantine, markOf }: Opening,
): BegunStore {
  const meta = database.prepare<[], MetaRow>('SELECT * FROM meta').get()
  const lastSeq = lastSeqOf(database, meta)
  const sameBoot = place.bootId !== undefined && meta?.boot_id === place.bootId
  // A kill leaves the kernel's pages whole; only a machine that went down can have torn one.
  if (meta?.is_clean === 0 && !sameBoot) requireSound(database)
  requireSoundIndexes(database)
  if (meta !== undefined && !/^[0-9a-f]{8}$/.test(meta.epoch))
    throw new DamagedStore('The epoch of the store is none.')
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

/** The greatest number given out, as far as the file knows. */
export function lastSeqOf(database: Database, meta: MetaRow | undefined): number {
  const newest = database.prepare<[], number>('SELECT max(seq) FROM frames').pluck().get() ?? 0
  return Math.max(newest, meta?.last_seq ?? 0)
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
