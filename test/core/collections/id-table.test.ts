import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdTable, NO_PLACE } from '../../../src/core/collections/id-table.ts'

const CAPACITY = 8

/** Some are UUIDs, which are kept as numbers, and some are not. */
const IDS = Array.from({ length: 21 }, (_, n) =>
  n % 2 === 0 ? `id-${n}` : `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
)

/** Every third is no UUID. */
function idOf(n: number): string {
  return n % 3 === 0 ? `id-${n}` : randomUUID()
}

const steps = fc.array(
  fc.record({ what: fc.constantFrom('add', 'remove', 'drop'), id: fc.constantFrom(...IDS) }),
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
        for (const one of IDS) {
          const found = table.find(one)
          expect(found !== NO_PLACE).toBe(model.includes(one))
          expect(table.idAt(found)).toBe(model.includes(one) ? one : undefined)
        }
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

test('it makes room as ids come, and keeps every place, also of what has come round (ACQ-25)', () => {
  const table = new IdTable()
  const early = Array.from({ length: 200 }, (_, n) => table.add(idOf(n)))
  for (const place of early) if (place < 150) table.dropOldest()
  table.remove(160)
  const ids = Array.from({ length: 2_000 }, (_, n) => idOf(n))
  const places = ids.map((id) => table.add(id))

  expect(ids.map((id) => table.find(id))).toEqual(places)
  expect(places).toEqual(Array.from({ length: 2_000 }, (_, n) => 200 + n))
  expect([table.oldest, table.idAt(149), table.idAt(160)]).toEqual([150, undefined, undefined])
})

test('of an id that was put in twice the newer place is found, and the older one once that is taken out', () => {
  const table = new IdTable()
  const id = randomUUID()
  const [older, newer] = [table.add(id), table.add(id)]

  expect(table.find(id)).toBe(newer)
  table.remove(newer)

  expect([table.find(id), table.has(older), table.has(newer)]).toEqual([older, true, false])
})
