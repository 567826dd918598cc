/**
 * Words in octets of JSON.
 */

/** Where nothing is. */
export const NO = -1

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether a word stands at a place. */
export function startsWith(octets: Buffer, at: number, word: Buffer): boolean {
  const { length } = word
  if (at + length > octets.length) return false
  for (let i = 0; i < length; i += 1) if (octets[at + i] !== word[i]) return false
  return true
}

/** @returns where the quote is that ends a string; {@link NO} for one with an escape, or with what would have to be one */
export function endOfString(octets: Buffer, start: number): number {
  const { length } = octets
  for (let i = start; i < length; i += 1) {
    const unit = octets[i] ?? 0
    if (unit === QUOTE) return i
    if (unit < SPACE || unit === BACKSLASH) return NO
  }
  return NO
}
