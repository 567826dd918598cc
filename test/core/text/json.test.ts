/**
 * JSON as it is accepted: what `JSON.parse` lets through and agentd does not (AC-001, ACQ-06, ACQ-14, ACQ-40).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_JSON_PARTS, MAX_JSON_VALUES } from '../../../src/core/limits.ts'
import { decodeJson, parseJson } from '../../../src/core/text/json.ts'
import { refusalOf } from '../../support/refusals.ts'

const REFUSAL = { code: 'field-invalid', field: 'frame' }

function decode(text: string): unknown {
  return decodeJson(Buffer.from(text), 'frame')
}

/** A text in which nothing is where `JSON.stringify` would put it, so that the shortcut cannot be taken. */
function loosely(value: unknown): string {
  return ` ${JSON.stringify(value, null, 1)}\r\n\t`
}

test('any JSON value is read as JSON.parse reads it, canonical text or not (AC-001)', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value)
      expect(decode(text)).toEqual(JSON.parse(text))
      expect(decode(loosely(value))).toEqual(JSON.parse(text))
      expect(parseJson(text, 'frame')).toEqual(JSON.parse(text))
    }),
    { numRuns: 300 },
  )
})

test.each([
  '',
  ' ',
  '{',
  '}',
  '{}{}',
  '[1,]',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  'NaN',
  'Infinity',
  'undefined',
  '01',
  '+1',
  '.5',
  '1.',
  '0x1',
  '"\n"',
  '"	"',
  '"\\x41"',
  '"\\u12"',
  '"',
  'tru',
  '// c\n1',
  '/**/1',
  '\xA01',
  '1\u2028',
  '\x001',
  '1\0',
  'nul',
  '[1 2]',
  '{"a" 1}',
])('%j is not JSON (ACQ-06)', (text) => {
  expect(refusalOf(() => decode(text))).toEqual(REFUSAL)
})

test('the field an error names is the caller’s (ACQ-39)', () => {
  expect(refusalOf(() => decodeJson(Buffer.from('x'), 'body'))).toEqual({
    code: 'field-invalid',
    field: 'body',
  })
})

describe('bytes', () => {
  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['an encoded pair of surrogates (CESU-8)', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that never occurs', [0xff]],
    ['Latin-1', [0xe9, 0x20]],
  ])('with %s are not UTF-8, and nothing is put in their place (ACQ-06)', (_name, bytes) => {
    const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])

    expect(refusalOf(() => decodeJson(text, 'frame'))).toEqual(REFUSAL)
  })

  test('of UTF-16 are not JSON (ACQ-06)', () => {
    expect(refusalOf(() => decodeJson(Buffer.from('{"a":1}', 'utf16le'), 'frame'))).toEqual(REFUSAL)
  })

  test('with a byte order mark are refused, one inside a string is a character (ACQ-06)', () => {
    expect(refusalOf(() => decode('\uFEFF{}'))).toEqual(REFUSAL)
    expect(refusalOf(() => parseJson('\uFEFF{}', 'frame'))).toEqual(REFUSAL)
    expect(refusalOf(() => decode('{}\uFEFF'))).toEqual(REFUSAL)
    expect(decode('"\uFEFF"')).toBe('\uFEFF')
  })

  test('are read from where their view begins', () => {
    const pool = Buffer.from('xx{"a":"é"}yy')

    expect(decodeJson(pool.subarray(2, -2), 'frame')).toEqual({ a: 'é' })
    expect(decodeJson(new Uint8Array(pool).subarray(2, -2), 'frame')).toEqual({ a: 'é' })
  })
})

/** Every UTF-16 unit of a text as a JSON escape. */
function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

describe('a name twice', () => {
  test.each([
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"":1,"":2}',
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"a":2}',
    '{"\\u00e9":1,"é":2}',
    '{"\\ud83d\\ude00":1,"😀":2}',
    '{"\\/":1,"/":2}',
    '{"\\n":1,"\\u000A":2}',
    '{"\\"":1,"\\u0022":2}',
    '{"\\\\":1,"\\u005c":2}',
    '{"\\ud800":1,"\\uD800":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"__proto__":1,"\\u005f_proto__":2}',
    '{"constructor":1,"constructor":2}',
    '{"x":{"a":1,"a":2}}',
    '[{"a":1},{"a":1,"b":[{"a":1,"a":2}]}]',
    '{"a":{"a":{"a":1}},"a":1}',
    '{"a":[],"a":[]}',
    '{"a" : 1 , "a" : 2}',
    '{"a":"{\\"a\\":1}","b":"}","a":2}',
    '{"1":0,"1":0}',
  ])('is refused, in whatever spelling and however deep: %s (ACQ-40)', (text) => {
    expect(refusalOf(() => decode(text))).toEqual(REFUSAL)
  })

  test.each([
    '{"a":1,"A":2}',
    '{"a":{"a":{"a":1}}}',
    '{"a":{"b":1},"b":{"a":1}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a"}',
    '{"a":"\\"a\\":","b":":"}',
    '{"a":["a","a",{"a":"a"},"a"]}',
    '{"\u00e9":1,"e\u0301":2}',
    '{"a":"{","b":"[","c":"]}"}',
    '{"a\\\\":1,"a":2}',
    '{ "b":1, "a":2, "1":3 }',
  ])('is not seen where there is none: %s (ACQ-40)', (text) => {
    expect(decode(text)).toEqual(JSON.parse(text))
  })

  /** Any JSON with an object in it somewhere that has one name twice. */
  const doubled = fc
    .tuple(
      fc.jsonValue({ maxDepth: 3 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.array(fc.constantFrom('array', 'object', 'last'), { maxLength: 8 }),
    )
    .map(([value, name, way]) => {
      const literal = JSON.stringify(name)
      const escaped = `"${escapeAll(name)}"`
      const inner = `{${literal}:${JSON.stringify(value)},"${name.length}-other":0,${escaped}:1}`
      const wrap = {
        array: (t: string) => `[0,${t}]`,
        object: (t: string) => `{"a":${t}}`,
        last: (t: string) => `{"a":"","b":${t},"c":[]}`,
      }
      return way.reduce((text, step) => wrap[step](text), inner)
    })

  test('is found in any text (ACQ-40)', () => {
    fc.assert(
      fc.property(doubled, (text) => {
        expect(() => JSON.parse(text)).not.toThrow()
        expect(refusalOf(() => decode(text))).toEqual(REFUSAL)
      }),
      { numRuns: 500 },
    )
  })
})

const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('depth', () => {
  test('of 64 levels is read, of 65 refused', () => {
    expect(decode(arrays(64))).toEqual(JSON.parse(arrays(64)))
    expect(decode(objects(64))).toEqual(JSON.parse(objects(64)))
    expect(refusalOf(() => decode(arrays(65)))).toEqual(REFUSAL)
    expect(refusalOf(() => decode(objects(65)))).toEqual(REFUSAL)
    expect(refusalOf(() => decode(`[1,{"a":[${objects(62)}]}]`))).toEqual(REFUSAL)
  })

  test('of a hundred thousand levels is refused, not fallen over', () => {
    expect(refusalOf(() => decode(arrays(100_000)))).toEqual(REFUSAL)
    expect(refusalOf(() => decode(objects(100_000)))).toEqual(REFUSAL)
    expect(refusalOf(() => decode('['.repeat(100_000)))).toEqual(REFUSAL)
    expect(refusalOf(() => decode(` ${arrays(100_000)}`))).toEqual(REFUSAL)
  })

  test('says nothing of breadth', () => {
    expect(decode(`[${'{},'.repeat(10_000)}{}]`)).toHaveLength(10_001)
  })
})

test('a long string in a text that has to be scanned is one token', () => {
  for (const filler of ['x', '\\n', '\\"', '{"a":1}'.replaceAll('"', '\\"')]) {
    const text = ` {"a":"${filler.repeat(1_000_000 / filler.length)}","b":1}`
    expect(Object.keys(Object(decode(text)))).toEqual(['a', 'b'])
  }
})

test('numbers are read as JSON has them, for the schema to judge (ACQ-15)', () => {
  expect(decode('[1e400,-1e400,1e3,1000.0,1E+2]')).toEqual([Infinity, -Infinity, 1_000, 1_000, 100])
  expect(Object.is(decode('-0'), -0)).toBe(true)
})

test('a lone surrogate can be spelled, and is left for the schema to refuse (ACQ-14)', () => {
  expect(decode('"\\ud800"')).toBe('\uD800')
})

test('a member named like an inherited one is an own member (ACQ-40)', () => {
  const value = decode('{"__proto__":{"a":1},"constructor":2}')

  expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

/** Texts of so many parts, and of so many values. */
function manyArrays(count: number): string {
  return `[${'[],'.repeat(count - 2)}[]]`
}
function manyMembers(count: number): string {
  return `{${Array.from({ length: count - 1 }, (_, i) => `"${i}":0`).join()}}`
}
function manyNumbers(count: number): string {
  return `[${'0,'.repeat(count - 1)}0]`
}

test.each([manyArrays, manyMembers])(
  'a text has so many arrays, objects and members and no more, and is not parsed to find out (HD-10): %o',
  (made) => {
    expect(decode(made(MAX_JSON_PARTS))).toEqual(JSON.parse(made(MAX_JSON_PARTS)))
    expect(refusalOf(() => decode(made(MAX_JSON_PARTS + 1)))).toEqual(REFUSAL)
    // Broken at its end, which nobody has come to.
    expect(() => decode(`${made(MAX_JSON_PARTS + 1)}}`)).toThrow(`more than ${MAX_JSON_PARTS} arrays`)
  },
)

test('a text has so many values and no more (HD-10)', () => {
  expect(decode(manyNumbers(MAX_JSON_VALUES))).toHaveLength(MAX_JSON_VALUES)
  expect(() => decode(manyNumbers(MAX_JSON_VALUES + 1))).toThrow(`more than ${MAX_JSON_VALUES} values`)
})

test.each(['"', '["', '{"a', '["\\"', '["\\\\\\"'])(
  'a string without an end is refused and nothing is looked for behind it: %j (HD-10)',
  (text) => {
    expect(() => decode(text)).toThrow('The body is not valid JSON.')
  },
)
