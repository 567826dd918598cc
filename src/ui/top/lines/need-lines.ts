/**
 * What needs the person, a line each: of what kind, who asks, what, and how long is left.
 *
 * @see SEAT-09, SEAT-20
 */
import type { SeatNeed } from '../../seat/needs/need.ts'
import { formatLeft } from '../../seat/text/times.ts'
import { askerName, HEADINGS } from '../../seat/words.ts'
import { cell, own, sender, spread, type Line, type Span } from './line.ts'

/** The widest of a column of names, within bounds. */
const NAME_COLUMNS = { least: 8, most: 22 } as const

/** From here on there is room for the kind of a need. */
const LEAST_WITH_TYPE = 56

/** The longest of the kinds. */
const TYPE_COLUMNS = 10

/** Of a question on many lines the first one stands in the list; no line of a screen holds more than this of it. */
const MAX_TEXT_LENGTH = 512

/** One line of the list; of the heading between the two halves without a need. */
export interface NeedRow {
  readonly needId: string | undefined
  readonly line: Line
}

/** How the list is drawn. */
export interface NeedListView {
  readonly chosen: string | undefined
  readonly columns: number
  readonly nowMs: number
}

/** All of them in the order of SEAT-09; what anyone may answer stands behind a heading of its own. */
export function needRows(needs: readonly SeatNeed[], view: NeedListView): readonly NeedRow[] {
  const width = nameColumns(
    needs.map((need) => askerName(need)),
    view.columns,
  )
  return needs.flatMap((need, index) => {
    const row = { needId: need.needId, line: needLine(need, width, view) }
    const isFirstForAnyone = need.addressed === 'anyone' && needs[index - 1]?.addressed !== 'anyone'
    if (!isFirstForAnyone) return [row]
    return [{ needId: undefined, line: [own(`   ${HEADINGS.anyoneMayAnswer}`, 'dim')] }, row]
  })
}

/** Columns for a list of names of senders: as wide as the widest, within bounds. */
export function nameColumns(names: readonly string[], columns: number): number {
  const widest = Math.max(0, ...names.slice(0, MAX_NAMES).map((name) => name.length))
  const most = Math.min(NAME_COLUMNS.most, Math.floor(columns / 4))
  return Math.min(Math.max(NAME_COLUMNS.least, widest), Math.max(NAME_COLUMNS.least, most))
}

/** Names that are looked at for the width of their column. */
const MAX_NAMES = 200

/** Marks the chosen line. */
export function markOf(isChosen: boolean): Span {
  return isChosen ? own(' ▸ ', 'bold') : own('   ')
}

function needLine(need: SeatNeed, width: number, { chosen, columns, nowMs }: NeedListView): Line {
  const isChosen = need.needId === chosen
  const type = columns < LEAST_WITH_TYPE ? [] : [cell(own(need.type, 'green'), TYPE_COLUMNS), own(' ')]
  const left: Line = [
    markOf(isChosen),
    ...type,
    cell(sender(askerName(need), 'cyan'), width),
    own('  '),
    sender(firstLine(need.text), isChosen ? 'bold' : undefined),
  ]
  return spread(left, [timeLeft(need, nowMs)], columns)
}

function firstLine(text: string): string {
  const [first = '', ...more] = text
    .slice(0, MAX_TEXT_LENGTH)
    .trim()
    .split(/\r\n|\n/)
  return more.length === 0 ? first : `${first} …`
}

function timeLeft({ state, untilMs }: SeatNeed, nowMs: number): Span {
  if (state === 'late' || (untilMs !== undefined && untilMs <= nowMs)) return own('late ', 'yellow')
  return own(untilMs === undefined ? '' : `${formatLeft(untilMs, nowMs)} `, 'dim')
}
