/**
 * Numbers of a JSON text that JavaScript cannot hold.
 *
 * `JSON.parse` rounds them without a word: an identifier of nineteen digits becomes another identifier, and
 * what is signed or recorded is no longer what was said.
 *
 * @see RFC 8259 §6, RFC 7493 §2.2
 */

/** A string, which is passed over, or a number. Linear: no two parts of it can take the same character. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs

/**
 * What a number that is not held must look like somewhere: fifteen characters or more, or an exponent. Strings may
 * look like it too; a text that has nothing of the kind has nothing to be looked at one by one.
 */
const SUSPECT = /\d(?:[eE]|[\d.eE+-]{14})/

/** A double tells any two decimals of this many digits apart. */
const SAFE_DIGITS = 15

/** No double needs more digits to be told from all others. */
const MAX_DIGITS = 17

/**
 * The first number that would not be written back as it stands: one beyond the range of a double or too close
 * to zero for it, one with more than 17 significant digits, or one whose digits come out as others.
 *
 * Of a fraction as many digits are compared as were written, so that 0.10000000000000001 is a way of writing
 * 0.1. How a number is spelt never counts: 1.50 is 15e-1.
 *
 * @param text - valid JSON; for anything else the answer means nothing
 * @returns the number as it is written, which may be as long as the text
 */
export function findInexactNumber(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined
  for (const [token] of text.matchAll(TOKEN)) {
    if (!token.startsWith('"') && !isHeld(token)) return token
  }
  return undefined
}

function isHeld(literal: string): boolean {
  if (literal.length <= SAFE_DIGITS && !/e/i.test(literal)) return true
  const written = readDecimal(literal)
  if (written.digits === '') return true
  if (written.digits.length > MAX_DIGITS) return false
  const value = Math.abs(Number(literal))
  if (value === 0 || !Number.isFinite(value)) return false
  if (isSame(readDecimal(String(value)), written)) return true
  const isInteger = written.exponent >= 0
  // Half-way between two decimals of 17 digits the two ways of writing a double round to different sides.
  return !isInteger && isSame(readDecimal(value.toPrecision(written.digits.length)), written)
}

function isSame(a: Decimal, b: Decimal): boolean {
  return a.digits === b.digits && a.exponent === b.exponent
}

/** A number as an integer without zeros at either end, times a power of ten; zero has no digits. */
interface Decimal {
  readonly digits: string
  readonly exponent: number
}

function readDecimal(literal: string): Decimal {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  // Walked and not matched: an expression for the zeros at the end tries every run of zeros there is.
  let start = 0
  while (all[start] === '0') start += 1
  let end = all.length
  while (end > start && all[end - 1] === '0') end -= 1
  return { digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + (all.length - end) }
}
