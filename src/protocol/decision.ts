/**
 * The answer to a decision as text: one of its options, or one of the two ways around them, and perhaps a note.
 *
 * An answer is an `agent_response`, which is text; these are the words both sides agree on. The first line says which it
 * is, further lines are the note.
 *
 * @see docs/http.md §7; W-9; memo §5.10, AC-088…AC-090
 */

/** What an answer says. */
export type Decision =
  /** One of the options. */
  | {
      /** Tells it from the other. */
      readonly kind: 'option'
      /** The place of the option, from 0. */
      readonly index: number
      /** What the option is called. */
      readonly label: string
      /** What is said besides; undefined for nothing. */
      readonly note: string | undefined
    }
  /** Something else than the options; or that the question is another one. */
  | {
      /** `revise`: the question is another one. */
      readonly kind: 'other' | 'revise'
      /** What is said instead. */
      readonly text: string
      /** What is said besides; undefined for nothing. */
      readonly note: string | undefined
    }

const FIRST_LINE = /^(option|other|revise):[ \t]*(.*)$/i

/** The text of an answer; line breaks of a label or of a first line become blanks. */
export function formatDecision(decision: Decision): string {
  const said = decision.kind === 'option' ? decision.label : decision.text
  const first = `${decision.kind}: ${onOneLine(said)}`
  return decision.note === undefined || decision.note === '' ? first : `${first}\n${decision.note}`
}

/**
 * Reads the text of an answer.
 *
 * @param options - those of the decision
 * @returns undefined for a text that says none of the three, or names no option of these
 */
export function readDecision(
  text: string,
  options: readonly { readonly label: string }[],
): Decision | undefined {
  const end = text.search(/\r?\n/)
  const match = FIRST_LINE.exec((end === -1 ? text : text.slice(0, end)).trim())
  if (match === null) return undefined
  const [, word = '', said = ''] = match
  const note = end === -1 ? '' : text.slice(end).trim()
  const more = { note: note === '' ? undefined : note }
  if (word.toLowerCase() !== 'option') {
    const kind = word.toLowerCase() === 'other' ? 'other' : 'revise'
    return said === '' ? undefined : { kind, text: said, ...more }
  }
  const index = options.findIndex(({ label }) => onOneLine(label) === onOneLine(said))
  const label = options[index]?.label
  return label === undefined ? undefined : { kind: 'option', index, label, ...more }
}

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
