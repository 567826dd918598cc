/** The order of cause and effect, worked out a little at a time (AEE-C12, R-51). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { GradualOrder, STEP_PLACES } from '../../../src/aee/thread/gradual-order.ts'
import { causalOrder, type ThreadEdge } from '../../../src/aee/thread/thread.ts'

/** @returns the order, and how often it paused */
function orderOf(links: readonly ThreadEdge[]): { seqs: readonly number[]; pauses: number } {
  const gradual = new GradualOrder()
  for (const link of links) gradual.add(link)
  const steps = gradual.order()
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next()
    if (done === true) return { seqs: value, pauses }
  }
}

/** Few names, so that answers find questions, before and behind them, and each other in rings. */
const LINKS = fc
  .array(fc.record({ id: fc.nat(12).map(String), replyTo: fc.option(fc.nat(14).map(String)) }), {
    maxLength: 30,
  })
  .map((found) => found.map((one, i) => ({ ...one, seq: 2 * i + 1 })))

test('it is the order that is worked out at once, whoever answers whom (AEE-C12)', () => {
  fc.assert(
    fc.property(LINKS, (links) => {
      expect(orderOf(links).seqs).toEqual(causalOrder(links).map(({ seq }) => seq))
    }),
    { numRuns: 2_000 },
  )
})

test('ids of any length and ending are told apart, and of two alike the earlier is meant (AEE-C12)', () => {
  const ids = [
    '',
    'a',
    'b',
    'ab',
    'bb',
    '\ud83d',
    '😀',
    'é😀',
    ...Array.from({ length: 300 }, (_, i) => `x${i}`),
  ]
  // Each is answered before it comes, and comes twice.
  const answers = ids.map((id, i) => ({ seq: i + 1, id: `answer to ${id}`, replyTo: id }))
  const questions = [...ids, ...ids].map((id, i) => ({ seq: ids.length + i + 1, id, replyTo: null }))
  const links = [...answers, ...questions]

  expect(orderOf(links).seqs).toEqual(causalOrder(links).map(({ seq }) => seq))
})

test.each([
  ['a chain that came backwards', (i: number, count: number) => (i === count - 1 ? null : i + 1)],
  ['one ring of all', (i: number, count: number) => (i + 1) % count],
  [
    'answers that all came before their one question',
    (i: number, count: number) => (i === count - 1 ? null : count - 1),
  ],
  ['answers to what is not there', () => -1],
] as const)('%s is put in order with pauses, and as it is at once (R-51)', (_, parentOf) => {
  const count = 4 * STEP_PLACES
  const links = Array.from({ length: count }, (_, i) => {
    const parent = parentOf(i, count)
    return { seq: i + 1, id: String(i), replyTo: parent === null ? null : String(parent) }
  })
  const { seqs, pauses } = orderOf(links)
  expect(seqs).toEqual(causalOrder(links).map(({ seq }) => seq))
  expect(pauses).toBeGreaterThanOrEqual(count / STEP_PLACES - 1)
})
