/**
 * The screen "now": what needs the person, who is here, and what passes.
 *
 * @see docs/ui.md "In a terminal"; SEAT-20, SEAT-38
 */
import type { StateWords } from '../../seat/words.ts'
import { HEADINGS, STATES } from '../../seat/words.ts'
import type { Drawing } from './drawing.ts'
import { hereLines } from './here-lines.ts'
import { fitLine, own, type Line } from './line.ts'
import { needRows } from './need-lines.ts'
import { rowLines } from './passing-lines.ts'
import { headingLine, partAround, shareRows } from './section.ts'

/** Lines that the three headings take. */
const HEADING_LINES = 3

/** The screen, in as many lines as there are. */
export function nowLines({ model, view, columns, rows, nowMs }: Drawing): readonly Line[] {
  const { chosen } = view
  const needs = needRows(model.needs(), { chosen, columns, nowMs })
  const here = model.here().lines
  const sessions = hereLines(here, { chosen, collisions: model.collisions(), columns, nowMs })
  const shares = shareRows({ needs: needs.length, here: sessions.length }, rows - HEADING_LINES)
  const isKnown = model.principal !== '~'
  return [
    ...listLines({
      heading: HEADINGS.needsYou,
      lines: needs.map(({ line }) => line),
      chosen: needs.findIndex(({ needId }) => needId === chosen && needId !== undefined),
      height: shares.needs,
      empty: isKnown ? STATES.nothingNeedsYou : STATES.connecting,
      columns,
    }),
    ...listLines({
      heading: HEADINGS.here,
      lines: sessions,
      chosen: here.findIndex(({ session }) => session.address === chosen),
      height: shares.here,
      empty: isKnown ? STATES.nobodyHere : STATES.connecting,
      columns,
    }),
    headingLine(HEADINGS.passing, columns),
    ...lastRows({ model, columns, isKnown, height: shares.passing }),
  ].slice(0, rows)
}

interface List {
  readonly heading: string
  readonly lines: readonly Line[]
  /** Negative where it is none of these. */
  readonly chosen: number
  readonly height: number
  readonly empty: StateWords
  readonly columns: number
}

function listLines({ heading, lines, chosen, height, empty, columns }: List): readonly Line[] {
  if (lines.length === 0) return [headingLine(heading, columns), stateLine(empty, columns)]
  const { first, end } = partAround(chosen, lines.length, height)
  return [headingLine(heading, columns, lines.length - (end - first)), ...lines.slice(first, end)]
}

/** A state with nothing to show, on one line. */
export function stateLine({ says, command }: StateWords, columns: number): Line {
  return fitLine(
    [own(`   ${says}`, 'dim'), ...(command === undefined ? [] : [own(`  ${command}`, 'bold')])],
    columns,
  )
}

interface LastRows {
  readonly model: Drawing['model']
  readonly columns: number
  readonly isKnown: boolean
  readonly height: number
}

function lastRows({ model, columns, isKnown, height }: LastRows): readonly Line[] {
  const { rows } = model
  if (height > 0 && rows.start === rows.end)
    return [stateLine(isKnown ? STATES.nothingPassed : STATES.connecting, columns)]
  const first = Math.max(rows.start, rows.end - height)
  const places = Array.from({ length: rows.end - first }, (_, index) => first + index)
  const shown = places.flatMap((place) => rows.get(place) ?? [])
  return rowLines(shown, { model, columns, chosen: undefined })
}
