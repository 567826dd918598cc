/** The bound on what a runtime's payload may be made of. */
import { expect, test } from 'vitest'
import { MAX_JSON_PARTS, MAX_JSON_VALUES } from '../../src/core/limits.ts'
import { parsePayload } from '../../src/hooks/payload.ts'

/** An object with one member: two parts, and the array is the third. */
const around = (inner: string): Uint8Array => new TextEncoder().encode(`{"tool_input":[${inner}]}`)
const OTHER_PARTS = 3

test('a payload of as many arrays as any body may have is read, and one more leaves it unread (R-51, HD-10)', () => {
  const most = Array.from({ length: MAX_JSON_PARTS - OTHER_PARTS }, () => '[]')
  expect(parsePayload(around(most.join()))).toHaveProperty('tool_input.length', most.length)
  expect(parsePayload(around([...most, '[]'].join()))).toBeUndefined()
})

test('as many values as any body may have are read, and one more leaves it unread (R-51)', () => {
  // As many as there are containers and commas: the numbers are one more than their commas.
  const most = Array.from({ length: MAX_JSON_VALUES - 1 }, () => '1')
  expect(parsePayload(around(most.join()))).toHaveProperty('tool_input.length', most.length)
  expect(parsePayload(around([...most, '1'].join()))).toBeUndefined()
})

test('what is written in a string is no part, and nor does its escape end it (HD-10)', () => {
  const text = `${'[{'.repeat(MAX_JSON_PARTS)}"`
  expect(parsePayload(around(JSON.stringify(text)))).toEqual({ tool_input: [text] })
})
