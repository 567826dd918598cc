/**
 * The whole screen: how it is in one line, the screen or what stands over it, what is told or typed, and the keys.
 *
 * @see docs/ui.md "In a terminal"; SEAT-38, SEAT-39
 */
import type { SeatModel } from '../../seat/seat-model.ts'
import { confirmWords, headline, seenWords, STATES } from '../../seat/words.ts'
import { needInHand } from '../state/choice.ts'
import type { RowsShown } from '../state/rows-shown.ts'
import type { Asked, Notice } from '../state/view.ts'
import { cardLines } from './card.ts'
import type { Drawing } from './drawing.ts'
import { fieldLines } from './field-lines.ts'
import { footerLine } from './footer.ts'
import { fitLine, own, sender, spread, wrapOwn, type Line } from './line.ts'
import { nowLines } from './now-screen.ts'
import { composePanel, forgetPanel, helpPanel, itemPanel, sessionPanel } from './panels.ts'
import { passingLines } from './passing-screen.ts'
import { threadPanel, threadsLines } from './thread-lines.ts'

/** What is painted. */
export interface Frame {
  /** One for each row of the terminal. */
  readonly lines: readonly Line[]
  /** Counted from 0; undefined while nothing is typed. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined
  /** The most that {@link Drawing.view} can be scrolled by. */
  readonly scrollEnd: number
}

/** The smallest terminal that it fits on (SEAT-39). */
export const LEAST_SIZE = { columns: 40, rows: 10 } as const

/** Lines of a notice at the most. */
const NOTICE_LINES = 3

/** What text that is typed has of the screen: one part of so many. */
const FIELD_PART = 3

/** Draws it. @param shown - the rows of the screen "passing" */
export function drawFrame(drawing: Drawing, shown: RowsShown): Frame {
  const { view, columns, rows } = drawing
  if (columns < LEAST_SIZE.columns || rows < LEAST_SIZE.rows) return tooSmall(drawing)
  const field = view.writing && fieldLines(view.writing, columns, Math.max(1, Math.floor(rows / FIELD_PART)))
  const below = [...noticeLines(drawing), ...(field?.lines ?? [])]
  const height = rows - below.length - 2
  const whole = bodyLines({ ...drawing, rows: height }, shown)
  const scrollEnd = view.panel === undefined ? 0 : Math.max(0, whole.length - height)
  const first = Math.min(view.scroll, scrollEnd)
  const body = whole.slice(first, first + height)
  const blank = Array.from({ length: height - body.length }, (): Line => [])
  const lines = [headerLine(drawing), ...body, ...blank, ...below, footerLine(drawing, scrollEnd > 0)]
  const fieldRow = rows - 1 - (field?.lines.length ?? 0)
  const cursor = field && { row: fieldRow + field.cursor.row, column: field.cursor.column }
  return { lines, cursor, scrollEnd }
}

function bodyLines(drawing: Drawing, shown: RowsShown): readonly Line[] {
  const { model, view, columns, nowMs } = drawing
  const { panel } = view
  switch (panel?.name) {
    case 'help':
      return helpPanel(columns)
    case 'need': {
      const inHand = needInHand(model, view)
      return inHand === undefined
        ? []
        : cardLines(inHand.need, { isOpen: inHand.isOpen, willSign: panel.willSign, columns, nowMs })
    }
    case 'session':
      return sessionPanel(panel.address, model, { columns, nowMs })
    case 'item':
      return itemPanel(panel, columns)
    case 'forget':
      return forgetPanel(panel, columns)
    case 'thread':
      return threadPanel(panel, columns)
    case 'compose':
      return composePanel(panel, { model, view, columns })
    case undefined:
    default:
      return screenLines(drawing, shown)
  }
}

function screenLines(drawing: Drawing, shown: RowsShown): readonly Line[] {
  const { screen } = drawing.view
  if (screen === 'threads') return threadsLines(drawing)
  return screen === 'now' ? nowLines(drawing) : passingLines(drawing, shown)
}

/** How it is: ` agentd  ~alice   5 here · 1 waiting · 2 need you        live ` */
export function headerLine({ model, columns }: Drawing): Line {
  const { lines, waiting } = model.here()
  const you = model.needs().filter(({ addressed }) => addressed === 'you').length
  const isLive = model.link.state === 'live'
  const known = model.principal === '~' ? [] : [own('  '), sender(model.principal), own('   ')]
  const counts = model.principal === '~' ? [] : [own(headline({ here: lines.length, waiting, you }))]
  return spread(
    [own(' agentd', 'bold'), ...known, ...counts],
    [own(isLive ? '● live ' : '○ not connected ', isLive ? 'green' : 'yellow')],
    columns,
  )
}

function noticeLines({ model, view, columns }: Drawing): readonly Line[] {
  const { asked, notice } = view
  const isGone = model.link.state === 'lost' || model.link.state === 'over'
  const gone = isGone
    ? wrapOwn(`${STATES.daemonGone.says} ${STATES.daemonGone.command}`, columns, 'yellow')
    : []
  const told =
    asked !== undefined
      ? wrapOwn(askedWords(asked), columns, 'bold')
      : notice === undefined
        ? []
        : wrapOwn(noticeWords(notice, model), columns, notice.isTrouble ? 'red' : 'green')
  return [...gone.slice(0, NOTICE_LINES), ...told.slice(0, NOTICE_LINES)]
}

function askedWords({ what, does }: Asked): string {
  const takesNote = does.by === 'answer' && does.answer.by === 'verdict'
  return takesNote ? `${confirmWords(what)} Tab adds a note.` : confirmWords(what)
}

function noticeWords({ says, eventId }: Notice, model: SeatModel): string {
  const states = eventId === undefined ? [] : [...(model.outcomeOf(eventId)?.values() ?? [])]
  if (states.length === 0) return says
  return `${says} ${seenWords(states.filter(({ state }) => state === 'seen').length, states.length)}`
}

function tooSmall({ columns, rows }: Drawing): Frame {
  const says = `agentd top needs ${LEAST_SIZE.columns}×${LEAST_SIZE.rows}; this is ${columns}×${rows}.`
  const words = wrapOwn(says, Math.max(3, columns)).slice(0, rows)
  const lines = Array.from({ length: rows }, (_, row) => fitLine(words[row] ?? [], columns))
  return { lines, cursor: undefined, scrollEnd: 0 }
}
