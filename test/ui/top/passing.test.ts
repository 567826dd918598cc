import { expect, test } from 'vitest'
import { SeatModel } from '../../../src/ui/seat/seat-model.ts'
import { advisory, NOON_MS, read, snapshot } from '../support/wire.ts'
import { sit } from './support.ts'

/** Rows `row 1`, `row 2`, … of which the oldest go when there are more than a hundred. */
function passing(count: number) {
  const model = new SeatModel({ nowMs: () => NOON_MS }, 100)
  model.feed(read('snapshot', snapshot()))
  let last = 0
  const more = (n: number): void => {
    for (let i = 0; i < n; i += 1) {
      last += 1
      model.feed(read('passed', advisory('~alice/cc@s1', [], { text: `row ${last}.` }), `e1-${last}`))
    }
  }
  more(count)
  const sat = sit(model)
  sat.press('g', 'p')
  return { sat, more, rows: () => [...sat.screen(80, 12).matchAll(/row (\d+)\./g)].map(([, n]) => Number(n)) }
}

test('it follows what passes, and shows the newest', () => {
  const { rows, more } = passing(30)
  expect(rows().at(-1)).toBe(30)
  more(5)

  expect(rows().at(-1)).toBe(35)
})

test('who goes up stays there, also when old rows go, and reads how many are new (SEAT-36)', () => {
  const { sat, rows, more } = passing(100)
  rows()
  for (let up = 0; up < 15; up += 1) {
    sat.press('ArrowUp')
    rows()
  }
  const before = rows()
  more(40)

  expect(rows()).toEqual(before)
  expect(sat.screen(80, 12)).toMatch(/\d+ new ↓/)
  sat.press('Escape')
  expect(rows().at(-1)).toBe(140)
})

test('a pause stops the list where it is, and f goes on', () => {
  const { sat, rows, more } = passing(20)
  sat.press('p')
  more(10)
  expect(rows().at(-1)).toBe(20)
  expect(sat.screen(80, 12)).toContain('‖ paused')
  sat.press('p')

  expect(rows().at(-1)).toBe(30)
})

test('the filter takes effect as it is typed, and e leaves only what the person sent or was sent', () => {
  const { sat, rows } = passing(25)
  sat.press('/')
  sat.type('ROW 25.')
  sat.press('Enter')

  expect(rows()).toEqual([25])
  sat.press('e')
  expect(rows()).toEqual([])
  expect(sat.screen(80, 12)).toContain('Nothing that has passed fits the filter.')
})

test('Enter on a row opens the item in full (SEAT-23)', async () => {
  const { sat } = passing(3)
  sat.press('ArrowUp', 'Enter')
  await sat.settled()

  expect(sat.screen()).toContain('Item e1-3')
  expect(sat.screen()).toContain('AS IT WAS ACCEPTED')
})
