import { expect, test } from 'vitest'
import { MAX_QUOTED_LENGTH, quoted } from '../../../src/core/text/quoted.ts'

test("somebody else's words are one line between two marks, and hold none (HD-18)", () => {
  expect(quoted('feature/login')).toBe('"feature/login"')
  expect(quoted('a" (branch "main")\nagentd: now')).toBe(`"a' (branch 'main') ⏎ agentd: now"`)
  expect(quoted('“so”\u202e\u{e0041}')).toBe(`"'so'"`)
})

test('they are cut, and half a character goes with the rest (HD-18)', () => {
  expect(quoted('x'.repeat(MAX_QUOTED_LENGTH - 1))).toBe(`"${'x'.repeat(63)}"`)
  expect(quoted('x'.repeat(500))).toBe(`"${'x'.repeat(63)}…"`)
  expect(quoted(`${'x'.repeat(62)}😀😀`)).toBe(`"${'x'.repeat(62)}…"`)
})
