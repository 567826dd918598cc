/**
 * Regular expressions of schemas, matched in time that grows with the text alone.
 *
 * JSON Schema means the expressions of ECMA-262, whose engine may try a short text in more ways than there are
 * seconds: `^(a+)+$` against forty letters holds the daemon for good, and no author sees it coming. Here they
 * run on an automaton; what no automaton can do, such as looking ahead, is refused when the file is read.
 *
 * @see AEE-022, AEE-067
 */
import { RE2JS, RE2JSException } from 're2js'

/** An expression that never backtracks. */
export interface SchemaPattern {
  /** Instructions; a character of the text takes this many steps at most. */
  readonly size: number
  /** Whether it matches anywhere in the text, as `RegExp` with the flag `u` would. */
  test(text: string): boolean
}

/** What may not be taken over as it is: escapes, group names, classes, and the dot. */
const TOKEN =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])|\(\?<[\p{ID_Continue}$]+>|\[\^?\]|[.[\]]/gu

/** `\s` of ECMA-262; the automaton's own knows ASCII only. */
const SPACES = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
const NO_SPACES = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`

/** Long names of categories; the automaton knows the short ones. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['Letter', 'L'],
  ['Uppercase_Letter', 'Lu'],
  ['Lowercase_Letter', 'Ll'],
  ['Mark', 'M'],
  ['Number', 'N'],
  ['Decimal_Number', 'Nd'],
  ['Punctuation', 'P'],
  ['Symbol', 'S'],
  ['Separator', 'Z'],
])

/** What stands for a property's kind in ECMA-262, and for nothing in the automaton. */
const PROPERTY_KIND = /^(?:General_Category|gc|Script|sc)=/

/**
 * @param source - an expression that `RegExp` takes with the flag `u`
 * @returns undefined for one that cannot be matched in bounded time: it looks around, refers back, or repeats
 *   something more than a thousand times
 */
export function compilePattern(source: string): SchemaPattern | undefined {
  const translated = translate(source)
  if (translated === undefined) return undefined
  try {
    const compiled = RE2JS.compile(translated)
    return { size: compiled.programSize(), test: (text) => compiled.test(text) }
  } catch (error) {
    if (error instanceof RE2JSException) return undefined
    throw error
  }
}

/** The same expression as the automaton spells it; undefined when it has no spelling for it. */
function translate(source: string): string | undefined {
  let isInClass = false
  let isPossible = true
  const translated = source.replaceAll(TOKEN, (token) => {
    if (token.startsWith('\\')) {
      const escape = translateEscape(token, isInClass)
      isPossible &&= escape !== undefined
      return escape ?? ''
    }
    // Within a class, whatever else opens something is a character like any other.
    if (isInClass) {
      isInClass = !token.endsWith(']')
      return token.replaceAll('[', '\\[')
    }
    if (token === '[') isInClass = true
    if (token === '[]') return '[^\\x{0}-\\x{10ffff}]'
    if (token === '[^]') return '[\\x{0}-\\x{10ffff}]'
    if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]'
    return token.startsWith('(') ? '(?:' : token
  })
  return isPossible ? translated : undefined
}

function translateEscape(token: string, isInClass: boolean): string | undefined {
  const [, letter = ''] = token
  // References back: there is no automaton for them.
  if (/[1-9k]/.test(letter)) return undefined
  switch (letter) {
    case 's':
      return isInClass ? SPACES : `[${SPACES}]`
    case 'S':
      return isInClass ? NO_SPACES : `[${NO_SPACES}]`
    case 'b':
      return isInClass ? '\\x{8}' : token
    case 'c':
      return codePoint(token.charCodeAt(2) % 32)
    case '0':
      return codePoint(0)
    case 'u':
      return codePoint(readUnicodeEscape(token))
    case 'p':
    case 'P':
      return translateProperty(letter, token.slice(3, -1))
    default:
      return token
  }
}

function readUnicodeEscape(token: string): number {
  if (token.startsWith('\\u{')) return Number.parseInt(token.slice(3, -1), 16)
  const units = token.split('\\u').slice(1)
  return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))).codePointAt(0) ?? 0
}

function translateProperty(letter: 'p' | 'P', property: string): string {
  const name = property.replace(PROPERTY_KIND, '')
  return `\\${letter}{${CATEGORIES.get(name) ?? name}}`
}

function codePoint(value: number): string {
  return `\\x{${value.toString(16)}}`
}
