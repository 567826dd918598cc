/**
 * Canonical JSON (RFC 8785) and the hash of an envelope (AEQ-22).
 */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, hashOf } from '../../../src/aee/envelope/canonical.ts'
import { refusalOf } from '../../support/refusals.ts'
import { E0_HASH, e0 } from '../vectors.ts'

const MALFORMED = { code: 'envelope-malformed', field: 'envelope' }
/** What a member may hold: names and texts of any characters, and numbers as spread as doubles are. */
const VALUES = [
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
]

test('E0 has 416 bytes in canonical form, and the hash of the vector (AEQ-22)', () => {
  const text = canonicalJson(e0())

  expect(Buffer.byteLength(text)).toBe(416)
  expect(createHash('sha256').update(text).digest('hex')).toBe(E0_HASH)
  expect(hashOf(e0())).toBe(`sha256:${E0_HASH}`)
})

test('the hash covers what no schema knows, and sig with it (AEQ-22)', () => {
  const hashes = [e0(), e0({ sig: 'x' }), e0({ 'x-note': 1 }), e0({ requires: null })].map(hashOf)

  expect(new Set(hashes).size).toBe(4)
})

test('the order in which members came makes no difference', () => {
  const reversed = Object.fromEntries(Object.entries(e0()).toReversed())

  expect(hashOf(reversed)).toBe(hashOf(e0()))
})

test('the example of RFC 8785 §3.2.2 comes out as printed there', () => {
  const value: unknown = JSON.parse(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
      String.raw`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  )

  expect(canonicalJson(value)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
      String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('names stand in the order of their UTF-16 code units, not of their bytes (RFC 8785 §3.2.3)', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f602}', '\u0080', '\u00f6']
  const value = Object.fromEntries(names.map((name) => [name, 0]))

  const order = [...canonicalJson(value).matchAll(/"((?:[^"\\]|\\.)+)":/g)].map(([, name]) => name)

  expect(order).toEqual([String.raw`\r`, '1', '\u0080', '\u00f6', '\u20ac', '\u{1f602}', '\ufb33'])
})

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['0.0', '0'],
  ['1.0', '1'],
  ['1e21', '1e+21'],
  ['1e20', '100000000000000000000'],
  ['1e-6', '0.000001'],
  ['1e-7', '1e-7'],
  ['5e-324', '5e-324'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['9007199254740993', '9007199254740992'],
  ['-1.50', '-1.5'],
])('the number %s is written %s', (number, written) => {
  expect(canonicalJson(JSON.parse(number))).toBe(written)
})

test.each([
  ['half a surrogate pair in a value', JSON.parse(String.raw`{"a":"\ud83d"}`)],
  ['half a surrogate pair in a name', JSON.parse(String.raw`{"\ude02":1}`)],
  ['a number no double holds', JSON.parse('{"a":[1e999]}')],
  ['NaN', { a: Number.NaN }],
  ['nothing at all', undefined],
  ['a function', () => 1],
  ['a bigint', { a: 1n }],
])('%s has no canonical form', (_what, value) => {
  expect(refusalOf(() => canonicalJson(value))).toEqual(MALFORMED)
})

test('a value that holds itself is refused, not followed', () => {
  const value: Record<string, unknown> = {}
  value['self'] = value

  expect(refusalOf(() => canonicalJson(value))).toEqual(MALFORMED)
})

test('a member called __proto__ is a member (AEQ-24)', () => {
  const text = '{"__proto__":{"a":1},"constructor":2}'

  expect(canonicalJson(JSON.parse(text))).toBe(text)
})

test('the canonical form is a fixed point and keeps the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const text = canonicalJson(value)
      const again: unknown = JSON.parse(text)
      expect(canonicalJson(again)).toBe(text)
      expect(again).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('the form is the one that another implementation of RFC 8785 writes', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 6, withNullPrototype: true, values: VALUES }), (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value))
    }),
  )
})

test('a date in what a sender made goes out as its text, and what is missing in a list as null', () => {
  const value = { at: new Date(0), list: [undefined, 1], none: undefined }

  expect(canonicalJson(value)).toBe('{"at":"1970-01-01T00:00:00.000Z","list":[null,1]}')
  expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
})
