/**
 * What somebody else wrote, as a person may see it: nothing in it is obeyed, turned round or unseen.
 *
 * A character that has no look of its own is told by its number, so that what hides in a text stands in it. The words stay
 * as they are: whoever shows them marks them as the sender's.
 *
 * @see SEAT-27, SEAT-28; R-38
 */
import { PLAIN, UNSEEN_RANGES } from '../../../core/text/unseen.ts'

/** A run of text, or the number of one character that has no look of its own: `U+202E`. */
export interface VisiblePart {
  readonly text: string
  readonly isNumber: boolean
}

/** One line of a sender's text. */
export interface VisibleLine {
  readonly parts: readonly VisiblePart[]
  /** Characters behind the bound that the line does not show; 0 for a line that is whole. */
  readonly folded: number
}

/** Characters of a line that are shown until somebody asks for the rest (SEAT-28). */
export const FOLD_CHARACTERS = 2_000

const UNSEEN = new RegExp(`[${UNSEEN_RANGES}\\u{d800}-\\u{dfff}]`, 'gu')

/** White space that is drawn as such; its width says nothing. */
const TAB = '\t'
const TAB_SHOWN = '    '

/** The text on one line: a line break is told by its number like any other control. */
export function visibleLine(text: string): readonly VisiblePart[] {
  if (text === '') return []
  if (PLAIN.test(text)) return [{ text, isNumber: false }]
  const parts: VisiblePart[] = []
  const shown = text.replaceAll(TAB, TAB_SHOWN)
  let start = 0
  for (const { 0: found, index } of shown.matchAll(UNSEEN)) {
    if (index > start) parts.push({ text: shown.slice(start, index), isNumber: false })
    parts.push({ text: numberOfCharacter(found), isNumber: true })
    start = index + found.length
  }
  if (start < shown.length) parts.push({ text: shown.slice(start), isNumber: false })
  return parts
}

/**
 * The lines of a text, each shown apart.
 *
 * @param isWhole - whether somebody asked for all of it; otherwise long lines are folded
 */
export function visibleLines(text: string, isWhole = false): readonly VisibleLine[] {
  return text.split(/\r\n|\n/).map((line) => {
    const characters = isWhole ? line : firstCharacters(line)
    return { parts: visibleLine(characters), folded: line.length - characters.length }
  })
}

/** For where there are no boxes, as in a title or a terminal: `a‹U+202E›b`. */
export function visibleText(text: string): string {
  return visibleWords(visibleLine(text))
}

/** As {@link visibleText}, of what was taken apart already. */
export function visibleWords(parts: readonly VisiblePart[]): string {
  return parts.map((part) => (part.isNumber ? `‹${part.text}›` : part.text)).join('')
}

/** Half a surrogate pair at the end would be told as a character that nobody sent. */
function firstCharacters(line: string): string {
  return line.length <= FOLD_CHARACTERS
    ? line
    : line.slice(0, FOLD_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
}

function numberOfCharacter(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
