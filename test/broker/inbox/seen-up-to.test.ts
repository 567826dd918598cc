/**
 * Concluding everything up to a place: a page a step, and what a look at the mailbox would have shown (HD-07, HD-10).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { coalesce } from '../../../src/broker/inbox/coalesce.ts'
import { concludeUpTo } from '../../../src/broker/inbox/seen-up-to.ts'
import { STEP_FRAMES } from '../../../src/broker/ring/background.ts'
import type { Conclusion } from '../../../src/broker/ring/delivery.ts'
import type { RetainedFrame } from '../../../src/broker/ring/retained.ts'
import { validFrame } from '../../support/frames.ts'
import { NOON_MS, retained } from '../../support/rings.ts'

/** An advisory about one file, waiting at a place. */
function advisory(seq: number, file: string, expiresAtMs: number): RetainedFrame {
  const frame = { ...validFrame('agent_advisory'), payload: { advisory_text: 't', file_refs: [file] } }
  return { ...retained({ text: JSON.stringify(frame) }), seq, expiresAtMs }
}

/** Runs all steps. @returns place → end, and how many places each step concluded */
function runSteps(items: readonly RetainedFrame[], waiting: ReadonlySet<number>) {
  const ends = new Map<number, Conclusion>()
  const sizes: number[] = []
  const bySeq = new Map(items.map((item) => [item.seq, item]))
  const steps = concludeUpTo({
    places: items.map(({ seq }) => seq),
    waiting,
    state: 'seen',
    nowMs: NOON_MS,
    ring: { get: (seq) => bySeq.get(seq) },
    conclude: (places, state) => {
      for (const place of places) ends.set(place, state)
      return places.length
    },
  })
  for (let before = 0; ; before = ends.size) {
    const { done, value } = steps.next()
    if (done === true) return { ends, sizes, news: value }
    sizes.push(ends.size - before)
  }
}

test('no step concludes more than a page, however much waits, and all is concluded once (HD-10)', () => {
  const items = Array.from({ length: 10 * STEP_FRAMES + 1 }, (_, i) => advisory(i + 1, `f${i}`, Infinity))

  const { ends, sizes, news } = runSteps(items, new Set(items.map(({ seq }) => seq)))

  expect(Math.max(...sizes)).toBe(STEP_FRAMES)
  expect([ends.size, news]).toEqual([items.length, items.length])
})

test('what waits ends as a look at the whole mailbox would have it, whatever the pages are (HD-07)', () => {
  const wish = fc.record({
    file: fc.constantFrom('a', 'b', 'c'),
    isOver: fc.boolean(),
    waits: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 3 * STEP_FRAMES }), (wishes) => {
      const items = wishes.map(({ file, isOver }, i) => advisory(i + 1, file, isOver ? NOON_MS : Infinity))
      const waiting = new Set(items.filter((_, i) => wishes[i]?.waits === true).map(({ seq }) => seq))

      const { ends } = runSteps(items, waiting)

      const fresh = items.filter(({ seq, expiresAtMs }) => waiting.has(seq) && expiresAtMs > NOON_MS)
      const replaced = new Set(coalesce(fresh).flatMap((one) => one.replaced))
      const expected = items.map(({ seq, expiresAtMs }) => {
        if (!waiting.has(seq)) return 'seen'
        if (expiresAtMs <= NOON_MS) return 'expired'
        return replaced.has(seq) ? 'dropped' : 'seen'
      })
      expect(items.map(({ seq }) => ends.get(seq))).toEqual(expected)
    }),
    { numRuns: 100 },
  )
})
