/**
 * The text that is being typed, on a few lines above the keys, and where its cursor stands.
 */
import { breakTo, widthOf } from '../../../core/display/width.ts'
import { visibleText } from '../../seat/text/visible-text.ts'
import type { Writing } from '../state/view.ts'
import { fitLine, own, widthOfLine, type Line } from './line.ts'

/** The lines of a field, its heading first. */
export interface FieldLines {
  readonly lines: readonly Line[]
  /** Counted from 0 within these lines. */
  readonly cursor: { readonly row: number; readonly column: number }
}

const LEAD = ' > '

/** @param most - lines of text at the most; of a longer one those around the cursor are shown */
export function fieldLines({ label, field }: Writing, columns: number, most: number): FieldLines {
  const room = Math.max(1, columns - LEAD.length - 1)
  const lines = breakLines(field.text, room)
  const upToCursor = breakLines(field.text.slice(0, field.cursor), room)
  const row = upToCursor.length - 1
  const first = Math.max(0, Math.min(row - most + 1, lines.length - most))
  const shown = lines.slice(first, first + most)
  const head: Line = [own(` ${label} `, 'bold')]
  return {
    lines: [
      fitLine([...head, own('─'.repeat(Math.max(0, columns - widthOfLine(head))), 'dim')], columns),
      ...shown.map((text, index) => [own(first + index === 0 ? LEAD : '   ', 'dim'), own(text)]),
    ],
    cursor: { row: 1 + row - first, column: LEAD.length + widthOf(upToCursor.at(-1) ?? '') },
  }
}

/** Broken at the last column, wherever that is: the beginning of a text is broken as the whole of it is. */
function breakLines(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => breakTo(visibleText(line), columns))
}
