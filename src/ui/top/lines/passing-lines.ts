/**
 * What passed, a line each: when, from whom, to whom, of what kind, what it says, and who has seen it.
 *
 * @see SEAT-19, SEAT-36
 */
import { formatClock } from '../../../core/text/durations.ts'
import { widthOf } from '../../../core/display/width.ts'
import { namesOf } from '../../seat/passing/row-names.ts'
import type { Row } from '../../seat/passing/rows.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import { deliveredWords } from '../../seat/words.ts'
import { NARROW_COLUMNS } from './drawing.ts'
import { cell, fitLine, own, sender, spread, type Line, type Span } from './line.ts'
import { markOf } from './need-lines.ts'

/** How rows are drawn. */
export interface RowsLook {
  readonly model: SeatModel
  readonly columns: number
  /** The place of the chosen one. */
  readonly chosen: number | undefined
}

const KIND_COLUMNS = 10

/** From here on there is room for what became of a row beside what it says. */
const WIDE_COLUMNS = 96

/** Columns of the two names together: as wide as the widest, up to a part of the line. */
const WHO_COLUMNS = { part: 3, least: 10, most: 40 } as const

/** A line for each; what is missing is a line across the list. */
export function rowLines(rows: readonly Row[], look: RowsLook): readonly Line[] {
  const { model, columns } = look
  const named = rows.map((row) => ({ row, who: whoOf(row, model) }))
  const widest = Math.max(0, ...named.map(({ who }) => widthOf(who)))
  const most = Math.min(WHO_COLUMNS.most, Math.floor(columns / WHO_COLUMNS.part))
  const width = Math.min(Math.max(WHO_COLUMNS.least, widest), most)
  return named.map(({ row, who }) => rowLine(row, cell({ text: who, style: 'cyan' }, width), look))
}

function whoOf(row: Row, model: SeatModel): string {
  const { from, to } = namesOf(row, model.principal, model.sessions)
  return `${sender(from).text} → ${sender(to).text}`
}

function rowLine(row: Row, who: Span, { model, columns, chosen }: RowsLook): Line {
  if (row.gap !== undefined) return fitLine([own(`   ── ${row.gap} ──`, 'yellow')], columns)
  const isChosen = row.place === chosen
  const kind = columns < NARROW_COLUMNS ? [] : [cell(sender(row.kind, 'green'), KIND_COLUMNS), own(' ')]
  const left: Line = [
    markOf(isChosen),
    own(`${formatClock(row.atMs)} `, 'dim'),
    who,
    own('  '),
    ...kind,
    ...(row.isLate ? [own('late ', 'yellow')] : []),
    sender(row.text, isChosen ? 'bold' : undefined),
  ]
  return spread(left, columns < WIDE_COLUMNS ? [] : [delivered(row, model)], columns)
}

/** How many it reached and in how many mailboxes it waits; of the person's own, who has seen it. */
function delivered(row: Row, model: SeatModel): Span {
  const states = [...(model.outcomeOf(row.eventId)?.values() ?? [])]
  const seen = states.filter(({ state }) => state === 'seen').length
  return own(`${deliveredWords(row, seen)} `, 'dim')
}
