import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonFault } from '../../../src/cli/input/json-fault.ts'
import { formatBytes, formatNumber } from '../../../src/cli/terminal/quantities.ts'
import { toWireNames } from '../../../src/cli/terminal/wire-names.ts'
import { breakTo, cutStartTo, cutTo, padTo, widthOf, wrapTo } from '../../../src/core/display/width.ts'

test.each([
  ['{"a": x}', 1, 7],
  ['{"a":1,}', 1, 8],
  ['{"a":', 1, 6],
  ['{\n "a" 1}', 2, 6],
  ['[1 2]', 1, 4],
  ['{"a":01}', 1, 6],
  ['"\n"', 1, 1],
  ['', 1, 1],
  ['1 2', 1, 3],
])('%j stops being JSON at line %i, column %i', (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(findJsonFault(text)).toEqual({ line, column })
})

test.each([['{}'], ['[1,-2.5e3,"\\u00e9",true,null,{"a":[]}]'], [' { "a" : [ 1 , 2 ] } '], ['"x"']])(
  '%j has no fault',
  (text) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(findJsonFault(text)).toBeUndefined()
  },
)

test('what is nested deeper than anybody reads is a fault where it goes too deep', () => {
  expect(findJsonFault('['.repeat(100_000))).toEqual({ line: 1, column: 1_002 })
})

test('wide characters take two columns, marks none', () => {
  expect(widthOf('abc')).toBe(3)
  expect(widthOf('日本')).toBe(4)
  expect(widthOf('e\u0301')).toBe(1)
  expect(widthOf('🎉')).toBe(2)
})

test('a cut never splits a character and says that something is missing', () => {
  expect(cutTo('hello', 5)).toBe('hello')
  expect(cutTo('hello', 4)).toBe('hel…')
  expect(cutTo('日本語', 4)).toBe('日…')
  expect(cutTo('日本語', 5)).toBe('日本…')
  expect(cutTo('hello', 0)).toBe('')
  expect(padTo('日', 4)).toBe('日  ')
})

test('of a path the end is kept', () => {
  expect(cutStartTo('src/a.ts', 8)).toBe('src/a.ts')
  expect(cutStartTo('src/a.ts', 5)).toBe('…a.ts')
  expect(cutStartTo('日本語', 4)).toBe('…語')
  expect(cutStartTo('src/a.ts', 0)).toBe('')
})

test('what takes one column a character is cut and broken as anything else is', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'é', '…', ' ', '→') })
  fc.assert(
    fc.property(plain, fc.nat(12), (text, columns) => {
      // The mark is wide, so that this goes by the segments; one column is left for it at the end that stays.
      const marked = cutStartTo(`日${text}`, columns)
      if (text.length >= columns)
        expect(cutStartTo(text, columns)).toBe(text.length === columns ? text : marked)
      expect(breakTo(text, columns + 1)).toEqual(text.match(new RegExp(`.{1,${columns + 1}}`, 'gu')) ?? [''])
    }),
  )
})

test('wrapping breaks between words, and a word that is longer than a line inside', () => {
  expect(wrapTo('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrapTo('a\n\nb', 7)).toEqual(['a', '', 'b'])
  expect(wrapTo('x abcdefghij y', 4)).toEqual(['x', 'abcd', 'efgh', 'ij y'])
  expect(wrapTo('日本語', 4)).toEqual(['日本', '語'])
})

test('numbers and sizes read well', () => {
  expect(formatNumber(1_234_567)).toBe('1 234 567')
  expect(formatNumber(12)).toBe('12')
  expect(formatBytes(0)).toBe('0 bytes')
  expect(formatBytes(1_536)).toBe('1.5 KiB')
  expect(formatBytes(67_108_864)).toBe('64 MiB')
})

test('results get the names of the wire, frames keep theirs', () => {
  expect(
    toWireNames({ eventId: 'a', items: [{ ageMs: 1, frame: { kind: 'x', payload: { file_refs: [] } } }] }),
  ).toEqual({
    event_id: 'a',
    items: [{ age_ms: 1, frame: { kind: 'x', payload: { file_refs: [] } } }],
  })
})

test('a character is as wide by itself as beside one that takes two columns, and is cut there alike', () => {
  // What Latin is written with, and all that signs and lines are drawn with.
  const ranges = [0x20, 0x2000].map((first) => Array.from({ length: 0x2e0 }, (_, i) => first + i))
  const alone = ranges
    .flat()
    .map((code) => String.fromCodePoint(code))
    .filter((character) => !/[\p{M}\p{C}]/u.test(character))

  expect(alone.length).toBeGreaterThan(1_200)
  expect(alone.filter((character) => widthOf(`${character}語`) !== widthOf(character) + 2)).toEqual([])
  const text = 'Grüße ● ▲ ○ → │──│ ‹U+202E›'
  for (let columns = 0; columns < text.length; columns += 1)
    expect(cutTo(text, columns)).toBe(cutTo(`${text}語`, columns))
})
