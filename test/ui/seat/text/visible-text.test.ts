import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  FOLD_CHARACTERS,
  visibleLine,
  visibleLines,
  visibleText,
} from '../../../../src/ui/seat/text/visible-text.ts'

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

test.for([
  ['plain words', [{ text: 'plain words', isNumber: false }]],
  ['', []],
  [
    'a\u202eb',
    [
      { text: 'a', isNumber: false },
      { text: 'U+202E', isNumber: true },
      { text: 'b', isNumber: false },
    ],
  ],
  ['\u001b', [{ text: 'U+001B', isNumber: true }]],
  ['\u{e0041}', [{ text: 'U+E0041', isNumber: true }]],
  ['\ud800', [{ text: 'U+D800', isNumber: true }]],
  ['grüße 😀', [{ text: 'grüße 😀', isNumber: false }]],
  ['\t-', [{ text: '    -', isNumber: false }]],
] as const)('%j is shown with the numbers of what has no look of its own (SEAT-27)', ([text, parts]) => {
  expect(visibleLine(text)).toEqual(parts)
})

test('whatever somebody sends, no character of the unseen classes is left in what is shown (SEAT-27)', () => {
  const anything = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(anything, fc.boolean(), (text, isWhole) => {
      const shown = visibleLines(text, isWhole).flatMap(({ parts }) => parts.map((part) => part.text))

      expect(UNSEEN.test(shown.join(''))).toBe(false)
      expect(UNSEEN.test(visibleText(text))).toBe(false)
    }),
  )
})

test('a text without such characters is shown word for word (SEAT-27)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!UNSEEN.test(text))

      expect(visibleText(text)).toBe(text)
    }),
  )
})

test('lines are shown apart, however they end, and a lone carriage return ends none (SEAT-27)', () => {
  const lines = visibleLines('one\r\ntwo\nthr\ree').map(({ parts }) => parts.map(({ text }) => text).join(''))

  expect(lines).toEqual(['one', 'two', 'thrU+000Dee'])
})

test('a line over 2 000 characters folds, and is whole when somebody asks (SEAT-28)', () => {
  const line = 'x'.repeat(FOLD_CHARACTERS + 1)

  const [folded] = visibleLines(line)
  const [whole] = visibleLines(line, true)

  expect(folded).toEqual({ parts: [{ text: 'x'.repeat(FOLD_CHARACTERS), isNumber: false }], folded: 1 })
  expect(whole).toEqual({ parts: [{ text: line, isNumber: false }], folded: 0 })
})

test('a fold never shows half a character as one that nobody sent (SEAT-28)', () => {
  const [line] = visibleLines(`${'x'.repeat(FOLD_CHARACTERS - 1)}😀`)

  expect(line?.parts.map(({ isNumber }) => isNumber)).toEqual([false])
  expect(line?.folded).toBe(2)
})
