/**
 * Places as runs, held against a plain list of them.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Runs, runsOf } from '../../../src/broker/mail/runs.ts'

const MOST = 60
const places = fc.uniqueArray(fc.integer({ min: 1, max: MOST }), { maxLength: MOST })

function listOf(runs: Runs): readonly number[] {
  return runs.collect({ first: 0, last: Infinity }, Infinity, () => true)
}

test('runs say what a list of places would say, whatever is put together, taken out and let go of (HD-03)', () => {
  fc.assert(
    fc.property(
      places,
      places,
      fc.integer({ min: 0, max: MOST }),
      fc.integer({ min: 0, max: MOST }),
      (a, b, x, y) => {
        const runs = runsOf(a)
          .with(runsOf(b))
          .without(runsOf(b.slice(0, x)))
        runs.dropBefore(y)
        runs.append(MOST + 1)
        const gone = new Set(b.slice(0, x))
        const model = [...new Set([...a, ...b])].filter((one) => !gone.has(one) && one >= y).concat(MOST + 1)

        expect(listOf(runs)).toEqual(model.toSorted((one, other) => one - other))
        expect(runs.count).toBe(model.length)
        expect(runs.countIn(x, y)).toBe(model.filter((one) => one >= x && one <= y).length)
        for (let seq = 0; seq <= MOST + 2; seq += 1) expect(runs.has(seq)).toBe(model.includes(seq))
        expect(runs.collect({ first: x, last: MOST }, 3, (one) => one % 2 === 0)).toEqual(
          listOf(runs)
            .filter((one) => one >= x && one <= MOST && one % 2 === 0)
            .slice(0, 3),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('what follows without a hole is one run, however much that is (HD-03)', () => {
  const runs = new Runs()
  for (let seq = 1; seq <= 100_000; seq += 1) runs.append(seq)

  expect([runs.length, runs.count, runs.countIn(10, 19)]).toEqual([1, 100_000, 10])
})
