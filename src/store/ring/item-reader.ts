/**
 * The reader of items: frames and envelopes read back from their rows, a page at a time.
 */
import { DeliveryRecord } from '../../broker/ring/delivery.ts'
import type { Retained, RetainedEnvelope } from '../../broker/ring/retained.ts'
import { MAX_REFUTATIONS } from '../../broker/ring/ring.ts'
import type { PlacedFacts } from '../../broker/ring/filter-index.ts'
import type { StoreFile } from '../file/store-file.ts'
import { toFrameRow, type FrameColumns, type FrameRow } from '../rows/row.ts'
import { fromRow } from '../rows/stored-item.ts'

/** Whoever begins anew when a read finds the file damaged. */
export interface DamageGuard {
  /** Reads; undefined when the file turned out to be damaged and everything in it is gone. */
  unlessDamaged<T>(read: () => T): T | undefined
}

/** Text one page holds: each row is checked when it is read, and nobody should wait for a gigabyte of that. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024

export class ItemReader {
  readonly #file: Pick<StoreFile, 'statements' | 'audiences'>
  readonly #guard: DamageGuard

  constructor(file: Pick<StoreFile, 'statements' | 'audiences'>, guard: DamageGuard) {
    this.#file = file
    this.#guard = guard
  }

  /** What lies behind a place, oldest first. */
  after(seq: number, limit: number): readonly Retained[] {
    return this.#read(() => pageOf(this.#file.statements.after.iterate(seq, limit)))
  }

  /** What lies before a place, newest first. */
  before(seq: number, limit: number): readonly Retained[] {
    return this.#read(() => pageOf(this.#file.statements.before.iterate(seq, limit)))
  }

  /** What lies before a place, newest first, as far as a filter looks; what it then finds is checked as it is read. */
  factsBefore(seq: number, limit: number): readonly PlacedFacts[] {
    return this.#file.statements.factsBefore
      .all(seq, limit)
      .map(([place, kind, senderHandle, tool, scopeText]) => ({
        seq: place,
        kind,
        senderHandle,
        tool: tool ?? undefined,
        scopeText,
      }))
  }

  at(seq: number): Retained | undefined {
    return this.#guard.unlessDamaged(() => {
      const columns = this.#file.statements.at.get(seq)
      return columns && this.#toItem(toFrameRow(columns))
    })
  }

  /** The newest refutations of an envelope, in the order they came. */
  refutationsOf(id: string): readonly RetainedEnvelope[] {
    const found = this.#read(() =>
      this.#file.statements.refutations.all(id, MAX_REFUTATIONS).toReversed().map(toFrameRow),
    )
    return found.filter((retained) => retained.type === 'envelope')
  }

  #read(select: () => readonly FrameRow[]): readonly Retained[] {
    return this.#guard.unlessDamaged(() => select().map((row) => this.#toItem(row))) ?? []
  }

  #toItem(row: FrameRow): Retained {
    const load = (): DeliveryRecord => this.#file.audiences.deliveryOf(row)
    return fromRow(row, () => this.#guard.unlessDamaged(load) ?? new DeliveryRecord())
  }
}

/** The first row whatever its size, and then as many as a page holds. */
function pageOf(rows: Iterable<FrameColumns>): readonly FrameRow[] {
  const page: FrameRow[] = []
  let length = 0
  for (const columns of rows) {
    const row = toFrameRow(columns)
    page.push(row)
    length += row.bytes
    if (length >= MAX_PAGE_LENGTH) break
  }
  return page
}
