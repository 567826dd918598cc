import { expect, test } from 'vitest'
import { clip } from '../../../src/core/text/clip.ts'

test('a text that has room stays whole, and a longer one ends with an ellipsis', () => {
  expect([clip('', 0), clip('abc', 3), clip('abcd', 3)]).toEqual(['', 'abc', 'abc…'])
})

test('no half of a surrogate pair is left at the cut', () => {
  const clipped = clip('ab😀cd', 3)

  expect(clipped).toBe('ab…')
  expect(clipped.isWellFormed()).toBe(true)
  expect(clip('ab😀cd', 4)).toBe('ab😀…')
})
