/**
 * How wide text stands on a terminal, and making it fit. For text that is already safe to print.
 */

/** Characters that take two columns: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Regional_Indicator}/u

const NOTHING_BUT_MARKS = /^\p{M}+$/u

/** Characters of one column and one code unit each, nothing that joins with another: Latin, and what our own lines are drawn with. */
const ONE_COLUMN_EACH =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u203b\u2190-\u21ff\u2500-\u257f\u25b8\u25b2\u25cb\u25cf]*$/

const ELLIPSIS = '…'

let segmenter: Intl.Segmenter | undefined

/** The characters as people see them. What tells them apart takes a tenth of a start of Node: it is made when it is needed. */
export function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** Columns the text takes. */
export function widthOf(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length
  let width = 0
  for (const { segment } of segmentsOf(text)) width += columnsOf(segment)
  return width
}

/** The text in at most `columns`; what does not fit is marked by an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  if (ONE_COLUMN_EACH.test(text)) return columns < 1 ? '' : `${text.slice(0, columns - 1)}${ELLIPSIS}`
  let cut = ''
  let left = columns - 1
  for (const { segment } of segmentsOf(text)) {
    left -= columnsOf(segment)
    if (left < 0) break
    cut += segment
  }
  return columns < 1 ? '' : `${cut}${ELLIPSIS}`
}

/** The end of the text in at most `columns`: of a path the file counts. What does not fit is marked by an ellipsis. */
export function cutStartTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  if (ONE_COLUMN_EACH.test(text))
    return columns < 1 ? '' : `${ELLIPSIS}${text.slice(text.length - columns + 1)}`
  let cut = ''
  let left = columns - 1
  for (const { segment } of [...segmentsOf(text)].toReversed()) {
    left -= columnsOf(segment)
    if (left < 0) break
    cut = segment + cut
  }
  return columns < 1 ? '' : `${ELLIPSIS}${cut}`
}

/** The text with spaces behind it; longer text stays as it is. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** The text in lines of at most `columns`, broken between words where that is possible. */
export function wrapTo(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)))
}

function wrapLine(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= columns) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = breakTo(word, columns)
    lines.push(...pieces.slice(0, -1))
    line = pieces.at(-1) ?? ''
  }
  return [...lines, line]
}

/** The text in pieces of at most `columns`, broken wherever that is: a path, an id, a language without spaces. */
export function breakTo(text: string, columns: number): readonly string[] {
  if (text.length <= columns && ONE_COLUMN_EACH.test(text)) return [text]
  const pieces = ['']
  let left = columns
  for (const { segment } of segmentsOf(text)) {
    const width = columnsOf(segment)
    if (width > left) {
      pieces.push('')
      left = columns
    }
    left -= width
    pieces[pieces.length - 1] += segment
  }
  return pieces
}

function columnsOf(grapheme: string): number {
  if (NOTHING_BUT_MARKS.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
