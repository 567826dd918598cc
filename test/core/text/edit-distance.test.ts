/**
 * The distance of two words, held against the textbook's table.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean, editDistance, nearestWord } from '../../../src/core/text/edit-distance.ts'

/** The whole table, every cell of it. */
function byTheBook(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at]
    for (let column = 1; column <= other.length; column += 1) {
      const same = one.charCodeAt(at - 1) === other.charCodeAt(column - 1) ? 0 : 1
      next.push(Math.min(row[column - 1]! + same, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row.at(-1)!
}

test.each([
  ['', '', 0],
  ['kitten', 'sitting', 3],
  ['reviewr', 'reviewer', 1],
  ['ab', 'ba', 2],
  ['', 'abc', 3],
])('from %j to %j it is %d', (one, other, distance) => {
  expect(editDistance(one, other, 3)).toBe(distance)
  expect(editDistance(other, one, 3)).toBe(distance)
})

test('of any two words it is the textbook’s, and undefined past the bound', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.'), maxLength: 14 })
  fc.assert(
    fc.property(word, word, fc.nat(6), (one, other, max) => {
      const distance = byTheBook(one, other)
      expect(editDistance(one, other, max)).toBe(distance > max ? undefined : distance)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['qery', 'query'],
  ['QUERY', 'query'],
  ['handovr', 'handover'],
  ['hand', undefined],
  ['', undefined],
  ['q'.repeat(65), undefined],
])('of the words there are, "%s" may mean %s', (wanted, meant) => {
  expect(nearestWord(wanted, ['advisory', 'query', 'handover'])).toBe(meant)
})

test('of words that are as near the first is meant, and nobody is asked about nothing', () => {
  expect(nearestWord('cat', ['bat', 'hat'])).toBe('bat')
  expect([didYouMean('knd', ['kind', 'tool']), didYouMean('xyz', ['kind'])]).toEqual([
    '; did you mean kind?',
    '',
  ])
})
