import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedMap, BoundedSet } from '../../../src/core/collections/bounded.ts'

test('a bounded map forgets what was set longest ago, so many together', () => {
  const map = new BoundedMap<string, number>({ most: 4, atOnce: 2 })
  for (const [index, key] of ['a', 'b', 'c', 'd', 'a', 'e'].entries()) map.set(key, index)

  expect(['a', 'b', 'c', 'd', 'e'].map((key) => map.get(key))).toEqual([
    4,
    undefined,
    undefined,
    undefined,
    5,
  ])
})

test('what is taken out of a bounded map makes room, and clearing it forgets everything', () => {
  const map = new BoundedMap<string, number>({ most: 2, atOnce: 0 })
  map.set('a', 1)
  map.set('b', 2)
  map.delete('a')
  map.set('c', 3)
  const kept = ['a', 'b', 'c'].map((key) => map.get(key))
  map.clear()

  expect(kept).toEqual([undefined, 2, 3])
  expect(map.get('c')).toBeUndefined()
})

test('a bounded set is the youngest of what was added, between its bound and what goes together', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 20 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat({ max: 7 }),
      (added, most, spare) => {
        const atOnce = Math.min(spare, most - 1)
        const set = new BoundedSet<number>({ most, atOnce })
        for (const value of added) {
          const wasThere = set.has(value)
          expect(set.add(value)).toBe(!wasThere)
        }
        const distinct = [...new Set(added.toReversed())].toReversed()
        const kept = [...set]

        expect(kept).toEqual(distinct.slice(distinct.length - kept.length))
        expect(kept.length).toBeLessThanOrEqual(most)
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(distinct.length, most - atOnce))
      },
    ),
  )
})
