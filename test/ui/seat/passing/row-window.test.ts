import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  endOf,
  isAtEnd,
  keepPlace,
  MAX_WINDOW_ROWS,
  OVERSCAN_ROWS,
  reveal,
  seenIn,
  windowOf,
} from '../../../../src/ui/seat/passing/row-window.ts'

const view = fc.record({
  count: fc.integer({ min: 0, max: 100_000 }),
  rowHeight: fc.integer({ min: 1, max: 60 }),
  viewHeight: fc.integer({ min: 0, max: 4_000 }),
  scrollTop: fc.integer({ min: -100, max: 4_000_000 }),
})

test('a window is never over 200 rows and lies in the list, wherever somebody scrolls (SEAT-35)', () => {
  fc.assert(
    fc.property(view, (at) => {
      const { first, end } = windowOf(at)

      expect(first).toBeGreaterThanOrEqual(0)
      expect(end - first).toBeLessThanOrEqual(MAX_WINDOW_ROWS)
      expect(end).toBeLessThanOrEqual(at.count)
      expect(end - first > 0).toBe(at.count > 0)
    }),
  )
})

test('every row that is seen is in the window, as far as 200 rows reach (SEAT-35)', () => {
  fc.assert(
    fc.property(view, (at) => {
      fc.pre(at.count > 0 && at.viewHeight / at.rowHeight < MAX_WINDOW_ROWS - 2 * OVERSCAN_ROWS - 2)
      const scrollTop = Math.min(Math.max(0, at.scrollTop), endOf(at))
      const { first, end } = windowOf({ ...at, scrollTop })
      const seen = Math.floor(scrollTop / at.rowHeight)
      const last = Math.min(at.count - 1, Math.ceil((scrollTop + at.viewHeight) / at.rowHeight) - 1)

      expect(first).toBeLessThanOrEqual(seen)
      expect(end).toBeGreaterThan(last)
    }),
  )
})

test('the end is the end, half a row more or less (SEAT-36)', () => {
  const list = { count: 100, rowHeight: 20, viewHeight: 200 }

  expect(endOf(list)).toBe(1_800)
  expect(isAtEnd({ ...list, scrollTop: 1_800 })).toBe(true)
  expect(isAtEnd({ ...list, scrollTop: 1_790 })).toBe(true)
  expect(isAtEnd({ ...list, scrollTop: 1_789 })).toBe(false)
  expect(endOf({ ...list, count: 2 })).toBe(0)
})

test('when rows go from the front, the same rows stay under the eye (SEAT-36)', () => {
  const before = windowOf({ count: 1_000, rowHeight: 20, viewHeight: 200, scrollTop: 8_000 })
  const after = windowOf({ count: 1_000, rowHeight: 20, viewHeight: 200, scrollTop: keepPlace(8_000, 7, 20) })

  expect(after).toEqual({ first: before.first - 7, end: before.end - 7 })
  expect(keepPlace(100, 7, 20)).toBe(0)
})

test('a chosen row is brought into sight by as little as it takes (SEAT-31)', () => {
  const at = { rowHeight: 20, viewHeight: 200, scrollTop: 1_000 }

  expect(reveal(49, at)).toBe(980)
  expect(reveal(50, at)).toBe(1_000)
  expect(reveal(59, at)).toBe(1_000)
  expect(reveal(60, at)).toBe(1_020)
})

test('seen is a row of which half or more is in sight, and none beyond the list (SEAT-04)', () => {
  const at = { count: 10, rowHeight: 20, viewHeight: 60 }

  expect([0, 9, 11, 150, 190].map((scrollTop) => seenIn({ ...at, scrollTop }))).toEqual([
    { first: 0, end: 3 },
    { first: 0, end: 3 },
    { first: 1, end: 4 },
    { first: 7, end: 10 },
    { first: 9, end: 10 },
  ])
  fc.assert(
    fc.property(view, (one) => {
      const { first, end } = seenIn(one)

      expect(first).toBeLessThanOrEqual(end)
      expect(end - first).toBeLessThanOrEqual(Math.ceil(one.viewHeight / one.rowHeight) + 1)
    }),
  )
})
