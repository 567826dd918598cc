/**
 * What a text of JSON looks like without its values (ACQ-40, R-36).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasMembers, readJsonShape } from '../../../src/core/text/json-shape.ts'

/** Strings that hold what a scanner looks for: quotes, backslashes, colons, braces. */
const trickyText = fc.string({
  unit: fc.constantFrom('"', '\\', ':', '{', '}', '[', ']', ' ', 'é', '😀', 'a'),
})

const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    trickyText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(trickyText, tie('value'), { maxKeys: 4 }),
  ),
})).value

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, part) => sum + membersOf(part), own)
}

test('depth and members are those of the value, however it is written', () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const shape = readJsonShape(text)
      const read: unknown = JSON.parse(text)
      expect(shape.depth).toBe(depthOf(read))
      expect(shape.members).toBe(membersOf(read))
      expect(hasMembers(read, shape.members)).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

test('a text that is plain is what JSON.stringify writes, where its integers are safe', () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const isSafe = !/\d{16}/.test(text)
      if (readJsonShape(text).isPlain && isSafe) expect(JSON.stringify(JSON.parse(text))).toBe(text)
    }),
    { numRuns: 1_000 },
  )
})

describe('plain', () => {
  test.each(['{"a":[1,true,false,null,"e"],"b":{}}', '"x: y, {z}"', '12', 'true', '{"e":1}'])(
    'is %s',
    (text) => {
      expect(readJsonShape(text).isPlain).toBe(true)
    },
  )

  test.each([
    '{"a": 1}',
    ' 1',
    '1\n',
    '[1,\t2]',
    '"\\u0041"',
    '"\\n"',
    '1.0',
    '-0',
    '1e3',
    '1E3',
    '[1e+3]',
    '{"a":10e1}',
  ])('is not %j', (text) => {
    expect(readJsonShape(text).isPlain).toBe(false)
  })
})

describe('a member that stands twice', () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"b":{}},{"a":1,"b":2,"a":{}}]',
    '{"__proto__":1,"__proto__":2}',
    '{"":0,"":0}',
    '{"x":{"y":[[[{"z":1,"z":2}]]]}}',
  ])('is missed in the value: %s', (text) => {
    expect(hasMembers(JSON.parse(text), readJsonShape(text).members)).toBe(false)
  })

  test('in two objects is two members', () => {
    const text = '[{"a":1},{"a":1},{"__proto__":{"a":1}}]'

    expect(hasMembers(JSON.parse(text), readJsonShape(text).members)).toBe(true)
  })
})

test('depth is counted far beyond what is accepted, without recursion', () => {
  const levels = 500_000

  expect(readJsonShape('['.repeat(levels) + ']'.repeat(levels)).depth).toBe(levels)
})

test('arrays, objects and commas are counted, those in strings are not (HD-10)', () => {
  expect(readJsonShape('[[],{"a":{}},"[{\\"["]')).toMatchObject({ containers: 4, members: 1 })
})
