import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdTable, NO_PLACE } from '../../../src/core/collections/id-table.ts'

const CAPACITY = 8

const steps = fc.array(
  fc.record({ what: fc.constantFrom('add', 'remove', 'drop'), id: fc.nat(20).map((n) => `id-${n}`) }),
  { maxLength: 200 },
)

test('it knows the newest ids and no others, whatever is taken out in between (ACQ-25)', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const table = new IdTable(CAPACITY)
      // What is there, the oldest first; one that was taken out keeps its place until it is the oldest.
      let model: (string | undefined)[] = []
      for (const { what, id } of all) {
        const place = table.find(id)
        if (what === 'add' && place === NO_PLACE) {
          table.add(id)
          model = [...model, id].slice(-CAPACITY)
        } else if (what === 'remove' && place !== NO_PLACE) {
          table.remove(place)
          model = model.map((one) => (one === id ? undefined : one))
        } else if (what === 'drop') {
          table.dropOldest()
          model = model.slice(1)
        }
        for (let n = 0; n <= 20; n += 1)
          expect(table.find(`id-${n}`) !== NO_PLACE).toBe(model.includes(`id-${n}`))
        expect(table.oldest === NO_PLACE).toBe(model.length === 0)
      }
    }),
  )
})

test('ids that fall into one bucket are told apart, and each can be taken out', () => {
  const table = new IdTable(2)
  const ids = ['a', 'b']
  const places = ids.map((id) => table.add(id))

  expect(ids.map((id) => table.find(id))).toEqual(places)
  table.remove(table.find('a'))

  expect(ids.map((id) => table.find(id) !== NO_PLACE)).toEqual([false, true])
})

test('it makes room as ids come, and keeps every place (ACQ-25)', () => {
  const table = new IdTable(3_000)
  const places = Array.from({ length: 2_000 }, (_, i) => table.add(`id-${i}`))

  expect(Array.from({ length: 2_000 }, (_, i) => table.find(`id-${i}`))).toEqual(places)
})
