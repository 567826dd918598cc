/**
 * Aligned columns that fit the terminal. For text that is already safe to print.
 */
import type { Palette } from '../../core/display/palette.ts'
import { cutTo, padTo, widthOf } from '../../core/display/width.ts'

/** One column. */
export interface TableColumn {
  readonly title: string
  /** Cut to this many columns on a terminal, wherever it stands. */
  readonly most?: number
  /** A colour for its cells. */
  readonly paint?: (text: string) => string
}

/** How a table is drawn. */
export interface TableView {
  readonly paint: Palette
  /** Undefined where nothing is to be cut. */
  readonly columns: number | undefined
}

/** What stands between two columns. */
export const GUTTER = '  '

/** The last column takes what is left and is never padded. @returns the lines, joined */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  view: TableView,
): string {
  const bounded = rows.map((row) => row.map((cell, i) => boundCell(cell, columns[i], view)))
  const widths = columns.map(({ title }, i) =>
    // Not by spreading: there may be more rows than a call takes arguments.
    bounded.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), widthOf(title)),
  )
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GUTTER.length, 0)
  const last = columns.length - 1
  const line = (cells: readonly string[], painter: (text: string, i: number) => string): string =>
    cells
      .map((cell, i) => {
        const text = i === last ? fitLast(cell, before, view) : padTo(cell, widths[i] ?? 0)
        return painter(text, i)
      })
      .join(GUTTER)
      .trimEnd()
  const head = line(
    columns.map(({ title }) => title),
    (text) => view.paint.dim(text),
  )
  return [head, ...bounded.map((row) => line(row, (text, i) => columns[i]?.paint?.(text) ?? text))].join('\n')
}

function boundCell(cell: string, column: TableColumn | undefined, view: TableView): string {
  return view.columns === undefined || column?.most === undefined ? cell : cutTo(cell, column.most)
}

/** What the last column has, even where the terminal is too narrow for the rest. */
export const LEAST_COLUMNS = 8

function fitLast(cell: string, before: number, view: TableView): string {
  return view.columns === undefined ? cell : cutTo(cell, Math.max(LEAST_COLUMNS, view.columns - before))
}
