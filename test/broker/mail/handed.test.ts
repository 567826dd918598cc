import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Handed, MAX_HANDED } from '../../../src/broker/mail/handed.ts'
import { Runs } from '../../../src/broker/mail/runs.ts'

const item = (replaced: readonly number[] = []) => ({ atMs: 1, via: 'hook', replaced })

/** What may happen to a mailbox's hand-overs. */
const step = fc.oneof(
  fc.record({
    what: fc.constant('add' as const),
    seq: fc.nat(30),
    replaced: fc.array(fc.nat(30), { maxLength: 3 }),
  }),
  fc.record({ what: fc.constantFrom('takeAll' as const, 'takeBack' as const, 'clear' as const) }),
  fc.record({
    what: fc.constantFrom('delete' as const, 'dropBefore' as const, 'forget' as const),
    seq: fc.nat(30),
  }),
)

test('a place is held back, known to have been handed before, or neither, whatever happens (OP-09)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const handed = new Handed<string>()
      for (const one of steps) {
        switch (one.what) {
          case 'add':
            handed.add(one.seq, item(one.replaced))
            expect(handed.has(one.seq)).toBe(true)
            break
          case 'delete':
            handed.delete([one.seq])
            expect([handed.has(one.seq), handed.of(one.seq), handed.wasReturned(one.seq)]).toEqual([
              false,
              undefined,
              false,
            ])
            break
          case 'dropBefore':
            handed.dropBefore(one.seq)
            for (let seq = 0; seq < one.seq; seq += 1) expect(handed.has(seq)).toBe(false)
            break
          case 'forget':
            handed.forget(new Runs([{ first: one.seq, last: one.seq }]))
            expect(handed.has(one.seq)).toBe(false)
            break
          case 'takeAll':
          case 'takeBack':
          case 'clear': {
            const before = handed.count
            handed[one.what]()
            expect(handed.count).toBe(0)
            if (before > 0 && one.what !== 'takeBack') expect(handed.takeBack()).toEqual([])
            break
          }
          default:
            throw new Error('there is no such step')
        }
        const places = Array.from({ length: 31 }, (_, seq) => seq).filter((seq) => handed.has(seq))
        expect(places).toHaveLength(handed.count)
      }
    }),
  )
})

test('what another mailbox handed over comes with it, as handed before and not as held back (OP-09)', () => {
  const left = new Handed<string>()
  left.add(3, item())
  left.takeBack()
  left.add(4, item())
  const heir = new Handed<string>()

  heir.inherit(left)

  expect([3, 4, 5].map((seq) => heir.wasReturned(seq))).toEqual([true, true, false])
  expect([heir.count, left.count, left.wasReturned(3)]).toEqual([0, 0, false])
})

test('no more than so many are remembered as handed before, the newest of them (OP-09)', () => {
  const handed = new Handed<string>()
  for (const first of [0, MAX_HANDED]) {
    for (let i = 0; i < MAX_HANDED; i += 1) handed.add(first + i, item())
    expect(handed.add(10 * MAX_HANDED, item())).toBe(false)
    handed.takeBack()
  }

  expect(handed.wasReturned(MAX_HANDED - 1)).toBe(false)
  expect(handed.wasReturned(MAX_HANDED)).toBe(true)
  expect(handed.wasReturned(2 * MAX_HANDED - 1)).toBe(true)
})
