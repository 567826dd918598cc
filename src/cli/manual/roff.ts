/**
 * Text for roff, the language of manual pages: nothing of what stands in it is taken for a request or an escape.
 *
 * @see man(7), groff_char(7)
 */

/** What a terminal would show as another character, or not at all. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\e'],
  ['-', '\\-'],
  ["'", '\\(aq'],
  ['"', '\\(dq'],
  ['`', '\\(ga'],
  ['^', '\\(ha'],
  ['~', '\\(ti'],
])

/** Running text; line breaks become spaces. */
export function roffText(text: string): string {
  return escape(text.replace(/\s+/g, ' ').trim())
}

/** One line as it is, its spaces too. */
export function roffLine(text: string): string {
  return escape(text)
}

export function bold(text: string): string {
  return `\\fB${text}\\fR`
}

export function italic(text: string): string {
  return `\\fI${text}\\fR`
}

/** A line that begins with a dot is a request; one that begins with nothing visible is none. */
function escape(text: string): string {
  const escaped = text.replace(
    /[\\\-'"`^~]|[^\u0020-\u007e]/gu,
    (found) => ESCAPES.get(found) ?? byNumber(found),
  )
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped
}

function byNumber(character: string): string {
  return `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}
