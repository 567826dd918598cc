/**
 * JSON that may come before a person's eyes, by whatever way: what a terminal obeys, what turns text around and what
 * nobody sees is escaped. To a program it is the same JSON, so it is done wherever JSON is printed and not only where a
 * terminal is known to be.
 *
 * @see docs/reliability.md §1.6 "Terminal"
 */

/** White space between two tokens, which a string cannot hold as it is. The carriage return would hide what stands before it. */
const BETWEEN_TOKENS: Readonly<Record<string, string>> = { '\n': '\n', '\t': '\t', '\r': ' ' }

/** Nothing in it has to be looked at closely; most lines are so, and the other pattern costs the short way to compile. */
const PLAIN = /^[ -~]*$/

/**
 * JSON with C0, DEL, C1, bidirectional, zero-width, tag and other unseen characters as `\u` escapes (R-38,
 * HD-19). They can stand in strings alone, so the value does not change.
 */
export function escapeUnseen(json: string): string {
  if (PLAIN.test(json)) return json
  const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
  return json.replace(unseen, (found) => BETWEEN_TOKENS[found] ?? escapeUnits(found))
}

/** A character beyond the first plane is two of them. */
function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => escapeUnit(text.charCodeAt(at))).join('')
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
