/**
 * The rows that fit the filter, and which of them the screen shows: at the end while it follows, otherwise around the
 * chosen one, wherever new rows come and old ones go.
 *
 * @see SEAT-36
 */
import { FilteredRows, type RowFilter } from '../../seat/passing/row-filter.ts'
import { endOf, reveal } from '../../seat/passing/row-window.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import type { PassingView } from './view.ts'

/** Worked out anew only when the filter changes. */
export class RowsShown {
  readonly #model: SeatModel
  #rows: FilteredRows | undefined
  #filter: RowFilter | undefined
  #principal = ''
  /** The place of the first row on the screen. */
  #top = 0

  constructor(model: SeatModel) {
    this.#model = model
  }

  /** The places of the rows on a screen of this height, from the top. */
  placesFor(passing: PassingView, height: number): readonly number[] {
    const rows = this.#fitting(passing.filter)
    const count = this.#countUpTo(rows, passing.pausedAt)
    const first = this.#firstFor({ rows, count, height, passing })
    this.#top = rows.placeAt(first) ?? 0
    return Array.from(
      { length: Math.min(height, count - first) },
      (_, index) => rows.placeAt(first + index) ?? -1,
    )
  }

  /** How many rows that fit came behind one. */
  countBehind(place: number | undefined): number {
    if (this.#rows === undefined || place === undefined) return 0
    return this.#rows.length - this.#rows.indexOf(place + 1)
  }

  /** The row so many further on, or back; from the last one where none is chosen. */
  move({ filter, chosen, pausedAt }: PassingView, by: number): number | undefined {
    const rows = this.#fitting(filter)
    const count = this.#countUpTo(rows, pausedAt)
    if (count === 0) return undefined
    const from = chosen === undefined ? count : rows.indexOf(chosen)
    return rows.placeAt(Math.min(count - 1, Math.max(0, from + by)))
  }

  #firstFor(look: { rows: FilteredRows; count: number; height: number; passing: PassingView }): number {
    const { rows, count, height, passing } = look
    const end = endOf({ count, rowHeight: 1, viewHeight: height })
    if (passing.isFollowing || passing.chosen === undefined) return end
    const view = { rowHeight: 1, viewHeight: height, scrollTop: rows.indexOf(this.#top) }
    return Math.min(end, reveal(rows.indexOf(passing.chosen), view))
  }

  #countUpTo(rows: FilteredRows, pausedAt: number | undefined): number {
    return pausedAt === undefined ? rows.length : Math.min(rows.length, rows.indexOf(pausedAt))
  }

  #fitting(filter: RowFilter): FilteredRows {
    const { rows, principal } = this.#model
    if (this.#rows === undefined || this.#filter !== filter || this.#principal !== principal) {
      this.#rows = new FilteredRows(rows, filter, principal)
      this.#filter = filter
      this.#principal = principal
    }
    this.#rows.update()
    return this.#rows
  }
}
