/** Spans in which a session may have changed anything (OB-05). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  AFTERMATH_MS,
  MAX_SPANS,
  mayBeOwn,
  withSpan,
  type Span,
} from '../../../src/hooks/observation/own-work.ts'

const span = fc
  .tuple(fc.nat(1_000_000), fc.nat(20_000))
  .map(([fromMs, lengthMs]): Span => ({ fromMs, toMs: fromMs + lengthMs }))

test('whatever was within a tool’s time or right behind it is own work, and nothing else is (OB-05)', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: MAX_SPANS }), fc.nat(1_050_000), (tools, atMs) => {
      const kept = tools.reduce(withSpan, [])

      const isWithin = tools.some(({ fromMs, toMs }) => atMs >= fromMs - 1_000 && atMs <= toMs + AFTERMATH_MS)
      expect(mayBeOwn(kept, atMs)).toBe(isWithin)
      expect(kept.every(({ toMs }, i) => toMs < (kept[i + 1]?.fromMs ?? Infinity))).toBe(true)
    }),
  )
})

test('of more spans than are remembered the oldest is forgotten (OB-05)', () => {
  const tools = Array.from({ length: MAX_SPANS + 1 }, (_, i) => ({ fromMs: i * 100_000, toMs: i * 100_000 }))

  const kept = tools.reduce(withSpan, [])

  expect(kept).toHaveLength(MAX_SPANS)
  expect(mayBeOwn(kept, 0)).toBe(false)
  expect(mayBeOwn(kept, MAX_SPANS * 100_000)).toBe(true)
})
