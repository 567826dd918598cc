import { expect, test } from 'vitest'
import { escapeUnseen } from '../../../src/core/text/unseen.ts'

const range = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i))

/** C0, DEL and C1, what turns text around, what nobody sees, what separates lines. */
const UNSEEN = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
  ...range(0x200b, 0x200f),
  ...range(0x2060, 0x2064),
  ...range(0xe0000, 0xe007f),
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u180e',
  '\u2028',
  '\u2029',
  '\u3164',
  '\ufe0f',
  '\ufeff',
]

test('no character that a terminal obeys or nobody sees is left in JSON, and its value is the same (HD-19)', () => {
  for (const found of UNSEEN) {
    const value = { [`name${found}`]: [`a${found}b`, 'größer 😀', 1] }

    const escaped = escapeUnseen(JSON.stringify(value))

    expect(escaped).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u)
    expect(escaped).toContain('größer 😀')
    expect(JSON.parse(escaped)).toEqual(value)
  }
})

test('white space between tokens stays, but for what would hide the line before it (HD-19)', () => {
  const text = '{\r\n\t"a": "x\u009b"\n}'

  expect(escapeUnseen(text)).toBe('{ \n\t"a": "x\\u009b"\n}')
  expect(escapeUnseen('{"a":1}')).toBe('{"a":1}')
})

test('the characters that are escaped are those of their classes, whichever Unicode this Node has (HD-19)', () => {
  const classes = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
  const between = new Set(['\n', '\t', '\r'])
  const points = range(0, 0x10_ff_ff).filter((found) => !between.has(found))

  const missed = points.filter((found) => classes.test(found) && escapeUnseen(found) === found)
  const excess = points.filter((found) => !classes.test(found) && escapeUnseen(found) !== found)

  expect(missed).toEqual([])
  // An older Unicode has not assigned them yet.
  expect(excess.filter((found) => !/\p{Cn}/u.test(found))).toEqual([])
})
