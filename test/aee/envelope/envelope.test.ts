/**
 * The envelope, and which of several faults is reported (AEE-001…AEE-023, AEE-035…AEE-038, AEQ-01…AEQ-12, AEQ-24).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ENVELOPE_FIELDS,
  PRIORITIES,
  REQUIRED_FIELDS,
  TYPES,
  codePoints,
  decodeEnvelope,
  decodeEnvelopeText,
  parseEnvelope,
} from '../../../src/aee/envelope/envelope.ts'
import { refusalOf } from '../../support/refusals.ts'
import { BAREST, E0, E0_ERROR, E0_RESULT, SAMPLES } from '../samples.ts'

/** AEE-002, in its order. */
const FOURTEEN = [
  'v',
  'id',
  'ts',
  'type',
  'from',
  'to',
  'intent',
  'corr',
  'reply_to',
  'trace',
  'priority',
  'requires',
  'payload',
  'sig',
]

/** AEE-036, in its order. */
const TEN = ['v', 'id', 'ts', 'type', 'from', 'to', 'intent', 'corr', 'priority', 'payload']

const MALFORMED = { code: 'envelope-malformed', field: 'envelope' }
const TOO_LARGE = { code: 'envelope-too-large', field: 'envelope' }

function refusalWith(members: Readonly<Record<string, unknown>>, base: object = E0) {
  return refusalOf(() => parseEnvelope({ ...base, ...members }))
}

function without(names: readonly string[], base: object = E0): Record<string, unknown> {
  return Object.fromEntries(Object.entries(base).filter(([name]) => !names.includes(name)))
}

function invalid(field: string) {
  return { code: 'field-invalid', field }
}

function missing(field: string) {
  return { code: 'field-missing', field }
}

function decode(text: string) {
  return decodeEnvelope(Buffer.from(text))
}

test('the fields are the fourteen of the table, ten of them required (AEE-002, AEE-036)', () => {
  expect(ENVELOPE_FIELDS).toEqual(FOURTEEN)
  expect(REQUIRED_FIELDS).toEqual(TEN)
  expect(TYPES).toEqual(['task', 'result', 'event', 'error', 'stream'])
  expect(PRIORITIES).toEqual(['low', 'normal', 'high', 'urgent'])
})

describe.each(SAMPLES)('%s', (_name, sample) => {
  test('is accepted, every member as it came (AEE-C01, AEE-C02)', () => {
    const text = JSON.stringify(sample)

    expect(parseEnvelope(sample)).toBe(sample)
    expect(decode(text)).toEqual({ envelope: sample, text })
    expect(decodeEnvelopeText(text)).toEqual({ envelope: sample, text })
  })

  test('is refused without any of the ten (AEE-036)', () => {
    for (const name of TEN) {
      expect(
        refusalOf(() => parseEnvelope(without([name], sample))),
        name,
      ).toEqual(missing(name))
    }
  })
})

describe('v', () => {
  test.each(['2', '1.0', '01', ' 1', '', 'one'])(
    '%j is a version nobody here speaks (AEE-003, AEQ-08)',
    (v) => {
      expect(refusalWith({ v })).toEqual({ code: 'version-unsupported', field: 'v' })
    },
  )

  test.each([1, 1.5, true, null, ['1'], { v: '1' }])('%j is not a version (AEQ-08)', (v) => {
    expect(refusalWith({ v })).toEqual(invalid('v'))
  })
})

describe.each([
  ['id', 'AEE-004', 8],
  ['ts', 'AEE-006', 10],
  ['from', 'AEE-009', 1],
  ['to', 'AEE-010', 1],
  ['intent', 'AEE-011', 3],
  ['corr', 'AEE-012', 8],
] as const)('%s', (name, id, min) => {
  test(`is any string of ${min} characters or more (${id})`, () => {
    for (const unit of ['x', ' ', '\n', '\0', 'é', '😀', '\uFFFD']) {
      expect(refusalWith({ [name]: unit.repeat(min) }), JSON.stringify(unit)).toBeUndefined()
      expect(refusalWith({ [name]: unit.repeat(min - 1) }), JSON.stringify(unit)).toEqual(invalid(name))
    }
    expect(refusalWith({ [name]: 'x'.repeat(100_000) })).toBeUndefined()
  })

  test(`is nothing but a string (${id})`, () => {
    for (const value of [null, 12_345_678_901, true, ['abcdefghijk'], { length: 20 }]) {
      expect(refusalWith({ [name]: value }), JSON.stringify(value)).toEqual(invalid(name))
    }
  })
})

test('characters are code points: a pair of surrogates is one, and so is half of a pair (AEQ-07)', () => {
  expect(codePoints('')).toBe(0)
  expect(codePoints('😀😀😀😀')).toBe(4)
  expect(codePoints('e\u0301')).toBe(2)
  expect(codePoints('\uD83D')).toBe(1)
  expect(codePoints('\uDE00\uD83D')).toBe(2)
  expect(refusalWith({ id: '😀😀😀😀' })).toEqual(invalid('id'))
  expect(refusalWith({ id: '😀😀😀😀😀😀😀' })).toEqual(invalid('id'))
  expect(refusalWith({ id: '😀😀😀😀😀😀😀x' })).toBeUndefined()
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(codePoints(text)).toBe(Array.from(text).length)
    }),
  )
})

describe.each([
  ['type', 'AEE-008', TYPES.filter((type) => type !== 'result' && type !== 'error')],
  ['priority', 'AEE-016', PRIORITIES],
])('%s', (name, id, values) => {
  test(`is one of its words, case and all (${id})`, () => {
    for (const value of values) {
      expect(refusalWith({ [name]: value }), value).toBeUndefined()
      expect(refusalWith({ [name]: value.toUpperCase() }), value).toEqual(invalid(name))
      expect(refusalWith({ [name]: `${value} ` }), value).toEqual(invalid(name))
      expect(refusalWith({ [name]: [value] }), value).toEqual(invalid(name))
    }
    for (const value of ['', 'query', 'toString', 0, null, {}]) {
      expect(refusalWith({ [name]: value }), JSON.stringify(value)).toEqual(invalid(name))
    }
  })
})

describe('reply_to', () => {
  test.each([E0_RESULT, E0_ERROR])(
    'has to be there on a $type, and has to be a possible id (AEE-013)',
    (base) => {
      expect(refusalOf(() => parseEnvelope(without(['reply_to'], base)))).toEqual(missing('reply_to'))
      for (const value of [null, '', 'seven77', '😀😀😀😀', 12_345_678, ['01JFB2R1JZKQ9V3K8W8Y9W1F2A'], {}]) {
        expect(refusalWith({ reply_to: value }, base), JSON.stringify(value)).toEqual(invalid('reply_to'))
      }
      expect(refusalWith({ reply_to: 'eight888' }, base)).toBeUndefined()
      expect(refusalWith({ reply_to: '😀'.repeat(8) }, base)).toBeUndefined()
    },
  )

  test.each(['task', 'event', 'stream'])(
    'is any string, null or absent on a %s (AEE-014, AEQ-02, AEQ-03)',
    (type) => {
      expect(refusalOf(() => parseEnvelope({ ...without(['reply_to']), type }))).toBeUndefined()
      for (const value of [null, '', 'x', E0.id]) {
        expect(refusalWith({ type, reply_to: value }), JSON.stringify(value)).toBeUndefined()
      }
      for (const value of [0, false, [], {}]) {
        expect(refusalWith({ type, reply_to: value }), JSON.stringify(value)).toEqual(invalid('reply_to'))
      }
    },
  )

  test('is not what is wrong with an envelope without a type', () => {
    expect(refusalOf(() => parseEnvelope(without(['type', 'reply_to'])))).toEqual(missing('type'))
    expect(refusalOf(() => parseEnvelope(without(['type', 'reply_to'], E0_RESULT)))).toEqual(missing('type'))
  })
})

describe.each([
  ['trace', 'AEE-015'],
  ['requires', 'AEE-017'],
])('%s', (name, id) => {
  test(`is an object, null or absent (${id})`, () => {
    for (const value of [null, {}, { anything: [1, { at: 'all' }] }]) {
      expect(refusalWith({ [name]: value }), JSON.stringify(value)).toBeUndefined()
    }
    expect(refusalOf(() => parseEnvelope(without([name])))).toBeUndefined()
    for (const value of ['', 'x', 0, true, [], [{}]]) {
      expect(refusalWith({ [name]: value }), JSON.stringify(value)).toEqual(invalid(name))
    }
  })
})

test.each(['trace_id', 'span_id'])('trace.%s is a string when it is there (AEE-C23, AEQ-11)', (name) => {
  for (const value of ['', 'x', '9f3c']) expect(refusalWith({ trace: { [name]: value } })).toBeUndefined()
  for (const value of [null, 7, false, [], {}]) {
    expect(refusalWith({ trace: { [name]: value } }), JSON.stringify(value)).toEqual(invalid(`trace.${name}`))
  }
  expect(refusalWith({ trace: { trace_id: 1, span_id: 2 } })).toEqual(invalid('trace.trace_id'))
})

test('the keys of requires are of any type (AEE-018, AEQ-09)', () => {
  expect(refusalWith({ requires: { timeout_ms: '30s', human_approval: 'yes', format: 1 } })).toBeUndefined()
})

test('the payload is an object and nothing else (AEE-020)', () => {
  expect(refusalWith({ payload: {} })).toBeUndefined()
  for (const value of [null, 'x', 0, [], [{}], false]) {
    expect(refusalWith({ payload: value }), JSON.stringify(value)).toEqual(invalid('payload'))
  }
})

test('sig is an object, a string, null or absent (AEE-021, AEQ-12)', () => {
  for (const value of [null, {}, '', 'opaque', { alg: 1 }])
    expect(refusalWith({ sig: value })).toBeUndefined()
  for (const value of [0, true, [], ['x']]) expect(refusalWith({ sig: value })).toEqual(invalid('sig'))
})

test('unknown members are no fault, and stay (AEE-038, AEE-C02)', () => {
  const text = JSON.stringify({ ...BAREST, Payload: 1, replyTo: 'x', '': null, toString: 'mine' })

  expect(JSON.stringify(decode(text).envelope)).toBe(text)
})

describe('of several faults', () => {
  test('the first missing member of AEE-036 is reported, and reply_to after them', () => {
    for (const [at, name] of TEN.entries()) {
      const broken = without([...TEN.slice(at), 'reply_to'], E0_RESULT)
      expect(
        refusalOf(() => parseEnvelope(broken)),
        name,
      ).toEqual(missing(name))
    }
    expect(refusalOf(() => parseEnvelope({ ...without(['payload', 'reply_to']), type: 'error' }))).toEqual(
      missing('payload'),
    )
  })

  test('the first invalid member of the table is reported (AEE-002)', () => {
    const bad = Object.fromEntries(FOURTEEN.slice(1).map((name) => [name, 0]))
    for (const [at, name] of FOURTEEN.slice(1).entries()) {
      const broken = without(FOURTEEN.slice(1, at + 1), bad)
      expect(refusalWith(broken), name).toEqual(invalid(name))
    }
  })

  test('a missing member comes before an invalid one, the version before both', () => {
    expect(refusalOf(() => parseEnvelope({ ...without(['payload']), id: 1 }))).toEqual(missing('payload'))
    expect(refusalOf(() => parseEnvelope({ v: '2' }))).toEqual({ code: 'version-unsupported', field: 'v' })
    expect(refusalOf(() => parseEnvelope({ v: 1 }))).toEqual(invalid('v'))
    expect(refusalOf(() => parseEnvelope({}))).toEqual(missing('v'))
    expect(refusalOf(() => parseEnvelope({ ...without(['reply_to'], E0_RESULT), id: 1 }))).toEqual(
      missing('reply_to'),
    )
  })

  test('what is no JSON comes before the version, and the size before everything (AEQ-24)', () => {
    expect(refusalOf(() => decode('{"v":"2","v":"1"}'))).toEqual(MALFORMED)
    expect(refusalOf(() => decode(`{"v":"2" ${' '.repeat(1_048_576)}`))).toEqual(TOO_LARGE)
  })
})

test.each([null, undefined, 0, 'x', '', true, [], [E0], () => E0])(
  '%j is no envelope at all (AEE-001)',
  (value) => {
    expect(refusalOf(() => parseEnvelope(value))).toEqual(MALFORMED)
  },
)

describe('members are an object’s own (AEQ-24)', () => {
  test('so that what a prototype has is missing', () => {
    const inherited: unknown = Object.create(E0)

    expect(refusalOf(() => parseEnvelope(inherited))).toEqual(missing('v'))
    expect(refusalOf(() => parseEnvelope({ ...E0, trace: Object.create({ trace_id: 1 }) }))).toBeUndefined()
  })

  test('and one called __proto__ is a member like any other', () => {
    const inner = JSON.stringify(E0)
    const text = inner.replace('{', '{"__proto__":{"id":1,"polluted":true},')
    const { envelope } = decode(text)

    expect(JSON.stringify(envelope)).toBe(text)
    expect(Object.getPrototypeOf(envelope)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(refusalOf(() => decode(`{"__proto__":${inner}}`))).toEqual(missing('v'))
  })
})

/** E0, with a payload that makes it exactly so many octets long. */
function filled(octets: number, unit: string): string {
  const text = JSON.stringify({ ...E0, payload: { fill: '' } })
  const rest = octets - text.length
  const size = Buffer.byteLength(unit)
  return text.replace('"fill":"', `"fill":"${unit.repeat(rest / size)}${'x'.repeat(rest % size)}`)
}

describe('the text', () => {
  const text = JSON.stringify(E0)

  test.each([
    ['nothing', ''],
    ['half of it', text.slice(0, -1)],
    ['two of them', `${text}${text}`],
    ['an array of one', `[${text}]`],
    ['a string', JSON.stringify(text)],
    ['null', 'null'],
    ['a byte order mark before it', `\uFEFF${text}`],
    ['a name twice', text.replace('{', '{"sig":null,')],
    ['a name twice, once as an escape', text.replace('{', '{"\\u0073ig":null,')],
    ['a name twice further down', text.replace('"payload":{', '"payload":{"cluster":"x",')],
    ['65 levels', text.replace('"24h"', '['.repeat(63) + ']'.repeat(63))],
  ])('with %s is malformed (AEE-001, AEQ-24)', (_name, broken) => {
    expect(refusalOf(() => decode(broken))).toEqual(MALFORMED)
    expect(refusalOf(() => decodeEnvelopeText(broken))).toEqual(MALFORMED)
  })

  test('is valid UTF-8, and text is what UTF-8 can carry (AEQ-24)', () => {
    const bytes = Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from(',"x":"\xFF"}', 'latin1')])

    expect(refusalOf(() => decodeEnvelope(bytes))).toEqual(MALFORMED)
    expect(refusalOf(() => decodeEnvelopeText(text.replace('24h', '\uD800')))).toEqual(MALFORMED)
  })

  test('of 64 levels is read', () => {
    expect(decode(text.replace('"24h"', '['.repeat(62) + ']'.repeat(62))).envelope.id).toBe(E0.id)
  })

  test('is bounded in octets (AEQ-24)', () => {
    for (const unit of ['x', 'é', '€', '😀']) {
      expect(decode(filled(1_048_576, unit)).envelope.id).toBe(E0.id)
      expect(decodeEnvelopeText(filled(1_048_576, unit)).envelope.id).toBe(E0.id)
      expect(refusalOf(() => decode(filled(1_048_577, unit)))).toEqual(TOO_LARGE)
      expect(refusalOf(() => decodeEnvelopeText(filled(1_048_577, unit)))).toEqual(TOO_LARGE)
    }
  })

  test('is kept as it came: spacing, order, escapes and the spelling of numbers (AEE-C02)', () => {
    const odd = `{ "payload":\t{"n":1.0,"e":1E2,"big":12345678901234567890,"s":"\\u0041\\/"}, ${text.slice(1).replace('"payload":{"cluster":"node.lan","window":"24h"},', '')}`

    expect(decode(odd).text).toBe(odd)
    expect(decodeEnvelopeText(odd).text).toBe(odd)
  })

  test('becomes one line: its line breaks are spaces, and nothing surrounds it', () => {
    const pretty = JSON.stringify({ ...E0, payload: { text: 'a\r\nb\n' } }, null, 2).replaceAll('\n', '\r\n')
    const decoded = decode(`\r\n\t ${pretty} \n\n`)

    expect(decoded.text).toBe(pretty.replaceAll(/[\r\n]/g, ' '))
    expect(JSON.parse(decoded.text)).toEqual(decoded.envelope)
    expect(decoded.envelope.payload).toEqual({ text: 'a\r\nb\n' })
  })

  test('of any JSON is, once flattened, the same value on one line', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.constantFrom('\n', '\r\n', '\t', ' \r'),
        (value, space) => {
          const spread = JSON.stringify({ ...E0, payload: { value } }, null, 1).replaceAll('\n', () => space)
          const decoded = decode(spread)
          expect(decoded.text).not.toMatch(/[\r\n]/)
          expect(JSON.parse(decoded.text)).toEqual(JSON.parse(spread))
          expect(decoded.envelope).toEqual(JSON.parse(spread))
        },
      ),
    )
  })
})

/** A result that has half of a surrogate pair in one member, as an escape. */
function spelled(name: string): string {
  return JSON.stringify({ ...E0_RESULT, [name]: 'abcdefgh\uD800' })
}

describe('half of a surrogate pair', () => {
  test.each(['id', 'from', 'to', 'intent', 'corr', 'reply_to'])(
    'is refused in %s, which is a name',
    (name) => {
      expect(spelled(name)).toContain('\\ud800')
      expect(refusalOf(() => decode(spelled(name)))).toEqual(invalid(name))
      expect(refusalOf(() => decodeEnvelopeText(spelled(name)))).toEqual(invalid(name))
      // The schema has nothing against it, and the schema is what a parsed value is read by (AEE-023).
      expect(parseEnvelope(JSON.parse(spelled(name)))).toHaveProperty(name, 'abcdefgh\uD800')
    },
  )

  test('stays the escape it came as anywhere else (AEE-C02)', () => {
    const text = JSON.stringify({ ...E0, ts: 'about noon \uDC00', payload: { '\uD800': 'x\uDFFF' } })

    expect(text).toContain('\\udc00')
    expect(decode(text).text).toBe(text)
    expect(Buffer.from(decode(text).text).toString()).toBe(text)
  })
})

test('a refusal says what to do', () => {
  expect(() => parseEnvelope({ ...E0, id: 'x' })).toThrow('"id" must be a string of at least 8 characters.')
  expect(() => parseEnvelope({ ...E0, from: '' })).toThrow('"from" must be a string of at least 1 character.')
  expect(() => parseEnvelope({ ...E0, priority: 'asap' })).toThrow(
    '"priority" must be one of low, normal, high, urgent.',
  )
  expect(() => parseEnvelope(without(['corr']))).toThrow('"corr" is required.')
  expect(() => parseEnvelope([])).toThrow('The body is not a JSON object.')
  expect(() => parseEnvelope({ v: '2' })).toThrow('This daemon speaks AEE version "1".')
})
