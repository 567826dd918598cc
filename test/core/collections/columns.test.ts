import { expect, test } from 'vitest'
import { FixedTexts } from '../../../src/core/collections/fixed-texts.ts'
import { GrowingColumn } from '../../../src/core/collections/growing-column.ts'

test('a column of numbers takes any row, and nothing stands in those between', () => {
  const column = new GrowingColumn(Float64Array)
  column.set(3, 1.5)
  column.set(100_000, Number.MAX_SAFE_INTEGER)

  expect([3, 4, 100_000, 200_000].map((row) => column.at(row))).toEqual([1.5, 0, Number.MAX_SAFE_INTEGER, 0])
})

test('texts of one length are told apart, those of another too, and each row has the last it was given', () => {
  const texts = new FixedTexts(4)
  texts.set(0, 'abcd')
  texts.set(5_000, 'efgh')
  texts.set(1, 'longer')

  expect([texts.isAt(0, 'abcd'), texts.isAt(0, 'abce'), texts.isAt(5_000, 'efgh')]).toEqual([
    true,
    false,
    true,
  ])
  expect([texts.isAt(1, 'longer'), texts.isAt(1, 'long'), texts.isAt(0, 'abc')]).toEqual([true, false, false])

  texts.set(1, 'four')

  expect([texts.isAt(1, 'four'), texts.isAt(1, 'longer')]).toEqual([true, false])
})
