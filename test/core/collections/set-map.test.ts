import { expect, test } from 'vitest'
import { SetMap } from '../../../src/core/collections/set-map.ts'

test('what stands under a key is there once, in the order it was added', () => {
  const map = new SetMap<string, number>()
  for (const value of [2, 1, 2]) map.add('a', value)
  map.add('b', 1)

  expect([...map.of('a')]).toEqual([2, 1])
  expect([...map.of('b')]).toEqual([1])
  expect([...map.of('c')]).toEqual([])
})

test('a key is forgotten with the last that stands under it, and what is not there is taken out in vain', () => {
  const map = new SetMap<string, number>()
  map.add('a', 1)
  map.add('a', 2)
  for (const [key, value] of [
    ['a', 3],
    ['b', 1],
    ['a', 1],
  ] as const)
    map.delete(key, value)
  const before = map.has('a')
  map.delete('a', 2)

  expect([before, map.has('a'), map.of('a').size]).toEqual([true, false, 0])
})

test('what was read under a key goes on with it', () => {
  const map = new SetMap<string, number>()
  map.add('a', 1)
  const values = map.of('a')
  map.add('a', 2)

  expect([...values]).toEqual([1, 2])
})
