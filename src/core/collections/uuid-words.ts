/**
 * A UUID as four words of 32 bits, and back: what takes 56 octets as a text takes 16.
 */

/** Words of one. */
export const UUID_WORDS = 4

const TEXT_LENGTH = 36

/** Where its hyphens stand. */
const HYPHENS = [8, 13, 18, 23]
const HYPHEN = 0x2d

/** What no digit is worth. */
const NO_DIGIT = 0xff

/** What each character is worth as a digit, by its code; only those of lower case are digits. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code))
  return value === -1 ? NO_DIGIT : value
})

/** By place in the text: whether a hyphen stands there. */
const IS_HYPHEN = Uint8Array.from({ length: TEXT_LENGTH }, (_, i) => (HYPHENS.includes(i) ? 1 : 0))

/**
 * Reads a UUID as it is written in lower case.
 *
 * @param words - take its four words; what is in them says nothing when it is none
 * @returns whether it is one
 */
export function readUuid(text: string, words: Int32Array): boolean {
  if (text.length !== TEXT_LENGTH) return false
  let word = 0
  let digits = 0
  for (let i = 0; i < TEXT_LENGTH; i += 1) {
    const code = text.charCodeAt(i)
    if (IS_HYPHEN[i] === 1) {
      if (code !== HYPHEN) return false
      continue
    }
    const digit = DIGITS[code] ?? NO_DIGIT
    if (digit === NO_DIGIT) return false
    word = (word << 4) | digit
    digits += 1
    if ((digits & 7) === 0) words[(digits >> 3) - 1] = word
  }
  return true
}

/** The UUID whose words begin at a place, in lower case. */
export function formatUuid(words: Int32Array, from: number): string {
  const hex = Array.from({ length: UUID_WORDS }, (_, i) =>
    ((words[from + i] ?? 0) >>> 0).toString(16).padStart(8, '0'),
  ).join('')
  const ends = [...HYPHENS.map((at, i) => at - i), hex.length]
  return ends.map((end, i) => hex.slice(ends[i - 1] ?? 0, end)).join('-')
}
