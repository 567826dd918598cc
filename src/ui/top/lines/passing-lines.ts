/**
 * What passed, a line each: when, from whom, to whom, of what kind, what it says, and who has seen it.
 *
 * @see SEAT-19, SEAT-36
 */
import { formatClock } from '../../../core/text/durations.ts'
import { namesOf } from '../../seat/passing/row-names.ts'
import type { Row } from '../../seat/passing/rows.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import { deliveredWords } from '../../seat/words.ts'
import { NARROW_COLUMNS } from './drawing.ts'
import { cell, fitLine, own, sender, spread, type Line, type Span } from './line.ts'
import { markOf } from './need-lines.ts'

/** How a row is drawn. */
export interface RowLook {
  readonly model: SeatModel
  readonly columns: number
  readonly isChosen: boolean
}

const KIND_COLUMNS = 10

/** From here on there is room for what became of a row beside what it says. */
const WIDE_COLUMNS = 96

/** Columns of the two names together: a part of the line, within bounds. */
const WHO_COLUMNS = { part: 3.5, least: 12, most: 34 } as const

/** One row; what is missing is a line across the list. */
export function rowLine(row: Row, { model, columns, isChosen }: RowLook): Line {
  if (row.gap !== undefined) return fitLine([own(`   ── ${row.gap} ──`, 'yellow')], columns)
  const { from, to } = namesOf(row, model.principal, model.sessions)
  const room = Math.round(columns / WHO_COLUMNS.part)
  const who = Math.min(WHO_COLUMNS.most, Math.max(WHO_COLUMNS.least, room))
  const isNarrow = columns < NARROW_COLUMNS
  const left: Line = [
    markOf(isChosen),
    own(`${formatClock(row.atMs)} `, 'dim'),
    cell({ text: `${sender(from).text} → ${sender(to).text}`, style: 'cyan' }, who),
    own('  '),
    ...(isNarrow ? [] : [cell(sender(row.kind, 'green'), KIND_COLUMNS), own(' ')]),
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
