/**
 * JSON that may come before a person's eyes, by whatever way: what a terminal obeys, what turns text around and what
 * nobody sees is escaped. To a program it is the same JSON, so it is done wherever JSON is printed and not only where a
 * terminal is known to be.
 *
 * @see docs/reliability.md §1.6 "Terminal"
 */

/** White space between two tokens, which a string cannot hold as it is. The carriage return would hide what stands before it. */
const BETWEEN_TOKENS: Readonly<Record<string, string>> = { '\n': '\n', '\t': '\t', '\r': ' ' }

/** A text with nothing in it that has to be looked at closely: most lines are so, and this is told six times faster. */
export const PLAIN = /^[ -~]*$/

/**
 * First and last code point of each run of controls, format characters, line separators and invisibles, as Unicode 17 has
 * them: `\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`. Written out, since the short way would wait
 * longer for these classes to be put together than for the rest of its start.
 */
const UNSEEN: readonly (readonly [first: number, last: number])[] = [
  [0x0, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x890, 0x891],
  [0x8e2, 0x8e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

/** Each of them as the inside of a character class of a pattern with the flag `u`. */
export const UNSEEN_RANGES = UNSEEN.map(([first, last]) => `${escapePoint(first)}-${escapePoint(last)}`).join(
  '',
)

const PATTERN = /* @__PURE__ */ new RegExp(`[${UNSEEN_RANGES}]`, 'gu')

/**
 * JSON with C0, DEL, C1, bidirectional, zero-width, tag and other unseen characters as `\u` escapes (R-38,
 * HD-19). They can stand in strings alone, so the value does not change.
 */
export function escapeUnseen(json: string): string {
  if (PLAIN.test(json)) return json
  return json.replace(PATTERN, (found) => BETWEEN_TOKENS[found] ?? escapeUnits(found))
}

/** A character beyond the first plane is two of them. */
function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => escapeUnit(text.charCodeAt(at))).join('')
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** As a pattern has it. */
function escapePoint(point: number): string {
  return `\\u{${point.toString(16)}}`
}
