/**
 * Origins on disk: marks and cursors in the transaction of the frames, so that a batch is either all here or not at all.
 *
 * What every record is judged by is in memory as well; reports wait in the file alone.
 *
 * @see FED-05, FED-27, FED-28, FED-52
 */
import { OriginTable, type ArrivalChange } from '../../broker/origins/origin-table.ts'
import {
  MAX_REPORTS,
  type Acked,
  type Arrival,
  type Hole,
  type LinkCursor,
  type Marks,
  type NumberedReport,
  type Origins,
  type ReportItem,
  type ReportsTo,
} from '../../broker/origins/origins.ts'
import { isKeyOf } from '../../broker/origins/stream-key.ts'
import { Observers } from '../../core/collections/observers.ts'
import type { Logger } from '../../core/log.ts'
import { tryParseJson } from '../../core/text/json-object.ts'
import { messageOf } from '../../core/thrown.ts'
import { driverFailure } from '../driver/driver.ts'
import type { StoreFile } from '../file/store-file.ts'
import { checkOfColumns } from '../rows/origin-statements.ts'
import type { Statements } from '../rows/statements.ts'
import { readOrigins } from './origin-reading.ts'

/** Packs of reports that are read at a time; each is a turn's. */
const REPORT_PACKS = 64

interface SqliteOriginsParts {
  readonly file: StoreFile
  readonly log: Logger
  /** When the store was opened: above every number that a store of this machine before it has given a report. */
  readonly nowMs: number
}

export class SqliteOrigins implements Origins {
  readonly #parts: SqliteOriginsParts
  readonly #table = new OriginTable()
  readonly #observers = new Observers<[]>()
  /** Reports that wait, by their realm. */
  readonly #waiting = new Map<string, number>()
  #lastReport: number
  #reportsLost = 0

  constructor(parts: SqliteOriginsParts) {
    this.#parts = parts
    this.#lastReport = parts.nowMs
  }

  /** Takes over what the last daemon left. @throws Error with SQLite's code */
  load(): void {
    const { file, log } = this.#parts
    const { statements } = file
    this.#table.restore(readOrigins(statements, log))
    for (const { realm, waiting } of statements.reportsWaiting.all()) this.#waiting.set(realm, waiting)
    this.#lastReport = Math.max(this.#lastReport, statements.lastReport.get() ?? 0)
  }

  get isEmpty(): boolean {
    return this.#table.isEmpty
  }

  get isDurable(): boolean {
    return this.#parts.file.condition.isKept
  }

  get nextHole(): number {
    return this.#table.nextHole
  }

  get reportsLost(): number {
    return this.#reportsLost
  }

  marksOf(realm: string): Marks {
    return this.#table.marksOf(realm)
  }

  cursorOf(realm: string): LinkCursor | undefined {
    return this.#table.cursorOf(realm)
  }

  ackedOf(realm: string): Acked | undefined {
    return this.#table.ackedOf(realm)
  }

  setAcked(realm: string, acked: Acked): void {
    const { last, reports, streamCreated, streamSeq } = acked
    const columns = [realm, last, reports, streamCreated, streamSeq] as const
    this.#table.acked(realm, acked)
    this.#note(({ saveAck, dropReports, reportsWaiting }) => {
      saveAck.run(...columns, checkOfColumns(columns))
      if (dropReports.run(realm, reports).changes === 0) return
      this.#waiting.clear()
      for (const { realm: of, waiting } of reportsWaiting.all()) this.#waiting.set(of, waiting)
    })
  }

  reportsAfter(realm: string, n: number, limit: number): readonly NumberedReport[] {
    const found: NumberedReport[] = []
    const packs = this.#parts.file.statements.reportsAfter.all(realm, n, REPORT_PACKS)
    for (const { n: last, node, items } of packs) {
      const read = readItems(items)
      read.forEach((item, i) => {
        const number = last - read.length + 1 + i
        if (number > n && found.length < limit && isItem(item)) found.push({ n: number, item, node })
      })
    }
    return found
  }

  report(reports: readonly ReportsTo[], beside?: () => void): void {
    this.#note((statements) => {
      beside?.()
      this.#addReports(statements, reports)
    })
    this.#observers.tell()
  }

  onReports(told: () => void): () => void {
    return this.#observers.add(told)
  }

  forgetRealm(realm: string): void {
    this.#table.forgetRealm(realm)
    for (const key of this.#waiting.keys()) if (isKeyOf(realm, key)) this.#waiting.delete(key)
    this.#note(({ dropMarks, dropCursors, dropAcks, dropAllReports }) => {
      dropMarks.run(realm)
      for (const drop of [dropCursors, dropAcks, dropAllReports]) drop.run(realm, realm, realm)
    })
  }

  holesFrom(n: number): readonly Hole[] {
    return this.#table.holesFrom(n)
  }

  /** What some batches change; to be written with their frames. */
  plan(
    arrivals: readonly Arrival[],
    ring: { readonly firstSeq: number; readonly lastSeq: number },
  ): readonly ArrivalChange[] {
    return this.#table.plan(arrivals, ring)
  }

  /** Writes it, in the transaction of the frames. */
  write(statements: Statements, changes: readonly ArrivalChange[]): void {
    for (const change of changes) writeChange(statements, change)
    const reports = changes.map(({ arrival }) => arrival.reports).filter(({ items }) => items.length > 0)
    this.#addReports(statements, reports)
  }

  /** It is committed. */
  written(changes: readonly ArrivalChange[]): void {
    this.#table.apply(changes)
    if (changes.some(({ arrival }) => arrival.reports.items.length > 0)) this.#observers.tell()
  }

  /** The store began anew. */
  clear(): void {
    this.#table.clear()
    this.#waiting.clear()
  }

  /** A number that is given in a transaction that is rolled back is passed over. */
  #addReports(statements: Statements, reports: readonly ReportsTo[]): void {
    for (const { realm, node, items } of reports) {
      this.#lastReport += items.length
      statements.addReports.run(this.#lastReport, realm, node, items.length, JSON.stringify(items))
      this.#makeRoom(statements, realm, items.length)
    }
  }

  #makeRoom(statements: Statements, realm: string, added: number): void {
    let waiting = (this.#waiting.get(realm) ?? 0) + added
    while (waiting > MAX_REPORTS) {
      const [oldest] = statements.reportsAfter.all(realm, 0, 1)
      if (oldest === undefined) break
      statements.dropReports.run(realm, oldest.n)
      this.#reportsLost += oldest.count
      waiting -= oldest.count
    }
    this.#waiting.set(realm, waiting)
  }

  #note(write: (statements: Statements) => void): void {
    const { file, log } = this.#parts
    try {
      file.transact(() => write(file.statements))
    } catch (error) {
      if (driverFailure(error) === undefined) throw error
      log.warn('note-lost', { message: messageOf(error) })
    }
  }
}

function writeChange(statements: Statements, { arrival, marks, hole }: ArrivalChange): void {
  const { realm, lane, cursor, cursorKey = realm, receipts } = arrival
  for (const { epoch, seq, dropped } of marks) {
    for (const one of dropped) statements.dropMark.run(realm, lane, one)
    const columns = [realm, lane, epoch, seq] as const
    statements.saveMark.run(...columns, checkOfColumns(columns))
  }
  if (cursor !== undefined) {
    const columns = [cursorKey, cursor.seq, cursor.node, cursor.last] as const
    statements.saveCursor.run(...columns, checkOfColumns(columns))
  }
  for (const { seq, node, address, state, atMs, detail } of receipts)
    statements.saveRemoteReceipt.run(seq, node, address, state, atMs, detail ?? null)
  if (hole === undefined) return
  const { added, dropped, widened } = hole
  for (const { n } of dropped) statements.dropHole.run(n)
  if (widened !== undefined) statements.widenHole.run(widened.from, widened.n)
  statements.addHole.run(added.n, added.afterSeq, realm, lane, added.node, added.from, added.to)
}

/** The store's own writing, read back. */
function readItems(json: string): readonly unknown[] {
  const value: unknown = tryParseJson(json)
  return Array.isArray(value) ? value : []
}

/** No row of these has a check of its own, and one that was damaged must not stop the others: what is no item is nothing to send. */
function isItem(value: unknown): value is ReportItem {
  const [id, address, state, atMs, detail]: readonly unknown[] = Array.isArray(value) ? value : []
  const texts = [id, address, state, ...(detail === undefined ? [] : [detail])]
  return texts.every((one) => typeof one === 'string') && Number.isSafeInteger(atMs)
}
