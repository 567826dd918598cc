/**
 * A line of the screen: pieces of text with their colours, cut to the columns there are.
 *
 * A sender's words come in by {@link sender} and {@link senderLines} alone, where nothing in them is left that a terminal
 * obeys.
 *
 * @see SEAT-27, SEAT-28, SEAT-39, SEAT-40
 */
import type { Palette } from '../../../core/display/palette.ts'
import { cutTo, padTo, widthOf, wrapTo } from '../../../core/display/width.ts'
import { visibleLines, visibleText, visibleWords } from '../../seat/text/visible-text.ts'
import { foldedWords } from '../../seat/words.ts'

/** How a piece looks; without one as the terminal has it. */
export type Style = keyof Palette

/** A piece of a line, with nothing in it that a terminal obeys. */
export interface Span {
  readonly text: string
  readonly style?: Style | undefined
}

/** One line. */
export type Line = readonly Span[]

/** What a sender's lines stand behind: none of them can draw it there (SEAT-28). */
const RULE: Span = { text: ' │ ', style: 'dim' }

/** Words of our own. */
export function own(text: string, style?: Style): Span {
  return { text, style }
}

/** A sender's words, on one line. */
export function sender(text: string, style?: Style): Span {
  return { text: visibleText(text), style }
}

/** Columns of the whole line. */
export function widthOfLine(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0)
}

/** The line in at most `columns`; what does not fit is marked by an ellipsis. */
export function fitLine(line: Line, columns: number): Line {
  if (widthOfLine(line) <= columns) return line
  const fitted: Span[] = []
  let left = columns
  for (const span of line) {
    const width = widthOf(span.text)
    if (width < left) {
      fitted.push(span)
      left -= width
      continue
    }
    // With something behind it, so that it is cut where it ends as well.
    fitted.push({ ...span, text: cutTo(`${span.text} `, left) })
    break
  }
  return fitted
}

/** The piece in exactly `columns`. */
export function cell({ text, style }: Span, columns: number): Span {
  return { text: padTo(cutTo(text, columns), columns), style }
}

/** What the left side has at least where the right one is shown. */
const LEAST_LEFT_COLUMNS = 12

/** One line with something at its right end, which is left out where there is hardly room for the rest. */
export function spread(left: Line, right: Line, columns: number): Line {
  const room = columns - widthOfLine(right) - 1
  if (right.length === 0 || room < LEAST_LEFT_COLUMNS) return fitLine(left, columns)
  const fitted = fitLine(left, room)
  return [...fitted, own(' '.repeat(columns - widthOfLine(fitted) - widthOfLine(right))), ...right]
}

/** Our own sentence, on as many lines as it takes. */
export function wrapOwn(text: string, columns: number, style?: Style): readonly Line[] {
  return wrapTo(text, columns - 2).map((line) => [own(` ${line}`, style)])
}

/** A sender's text, line by line behind the rule. */
export function senderLines(text: string, columns: number): readonly Line[] {
  return visibleLines(text).flatMap(({ parts, folded }) => {
    const lines = wrapTo(visibleWords(parts), columns - RULE.text.length - 1).map((line) => [RULE, own(line)])
    return folded === 0 ? lines : [...lines, [RULE, own(foldedWords(folded), 'dim')]]
  })
}

/** The line as it is written. */
export function formatLine(line: Line, paint: Palette): string {
  return line.map(({ text, style }) => (style === undefined ? text : paint[style](text))).join('')
}
