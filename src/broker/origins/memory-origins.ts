/**
 * Origins without a disk: with the daemon they are gone, and a reader then begins at the end of the stream (FED-34).
 */
import { Observers } from '../../core/collections/observers.ts'
import { OriginTable } from './origin-table.ts'
import { isKeyOf } from './stream-key.ts'
import {
  MAX_REPORTS,
  type Acked,
  type Arrival,
  type Hole,
  type LinkCursor,
  type Marks,
  type NumberedReport,
  type Origins,
  type ReportsTo,
} from './origins.ts'

export class MemoryOrigins implements Origins {
  readonly isDurable = false
  readonly #table = new OriginTable()
  readonly #waiting = new Map<string, NumberedReport[]>()
  readonly #observers = new Observers<[]>()
  #reportsLost = 0
  #lastReport: number

  /** @param firstReport - above every number that an earlier life of this machine may have given */
  constructor(firstReport: number) {
    this.#lastReport = firstReport - 1
  }

  get isEmpty(): boolean {
    return this.#table.isEmpty
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
    this.#table.acked(realm, acked)
    const left = this.#waiting.get(realm)?.filter(({ n }) => n > acked.reports) ?? []
    this.#waiting.set(realm, left)
  }

  reportsAfter(realm: string, n: number, limit: number): readonly NumberedReport[] {
    const waiting = this.#waiting.get(realm) ?? []
    const start = waiting.findIndex((report) => report.n > n)
    return start === -1 ? [] : waiting.slice(start, start + limit)
  }

  report(reports: readonly ReportsTo[], beside?: () => void): void {
    beside?.()
    for (const { realm, node, items } of reports) {
      const waiting = this.#waiting.get(realm) ?? []
      this.#waiting.set(realm, waiting)
      for (const item of items) waiting.push({ n: (this.#lastReport += 1), item, node })
      const over = waiting.length - MAX_REPORTS
      if (over > 0) this.#reportsLost += waiting.splice(0, over).length
    }
    this.#observers.tell()
  }

  onReports(told: () => void): () => void {
    return this.#observers.add(told)
  }

  forgetRealm(realm: string): void {
    this.#table.forgetRealm(realm)
    for (const key of this.#waiting.keys()) if (isKeyOf(realm, key)) this.#waiting.delete(key)
  }

  holesFrom(n: number): readonly Hole[] {
    return this.#table.holesFrom(n)
  }

  /** As {@link OriginTable.plan} and `apply` in one: there is nothing to write. */
  arrived(arrivals: readonly Arrival[], ring: { readonly firstSeq: number; readonly lastSeq: number }): void {
    this.#table.apply(this.#table.plan(arrivals, ring))
    const reports = arrivals.map((one) => one.reports).filter(({ items }) => items.length > 0)
    if (reports.length > 0) this.report(reports)
  }
}
