/**
 * The payload schemas a daemon knows (AEE-022, AEE-055, AEE-056, AEE-067).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aeeIntents, aeeSchema } from '../../../src/aee/intents/intents.ts'
import { MAX_ERRORS } from '../../../src/aee/schemas/payload-complaints.ts'
import { DIALECT } from '../../../src/aee/intents/payload-schema.ts'
import { SchemaRegistry } from '../../../src/aee/schemas/registry.ts'

const NAME = 'ops.backup.check.task.schema.json'
const INTENT = 'ops.backup.check'

function file(name: string, schema: unknown) {
  return { name, text: typeof schema === 'string' ? schema : JSON.stringify(schema) }
}

/** A registry of one schema, that of the task. */
function registryOf(schema: unknown): SchemaRegistry {
  return new SchemaRegistry([file(NAME, schema)])
}

/** What is wrong with a task payload; none when it is valid. */
function errorsOf(schema: unknown, payload: unknown): readonly string[] {
  const registry = registryOf(schema)
  const validation = registry.validate(INTENT, 'task', payload)
  expect(registry.faults).toEqual([])
  expect(validation.kind).not.toBe('unknown')
  return validation.kind === 'invalid' ? validation.errors : []
}

/** So many strings. */
function texts(count: number): readonly string[] {
  return Array.from({ length: count }, () => 'x')
}

/** The one fault of a registry of one file, which is then not used. */
function faultOf(name: string, schema: unknown): string {
  const registry = new SchemaRegistry([file(name, schema)])
  expect(registry.intents).toEqual(aeeIntents().toSorted())
  expect(registry.faults).toHaveLength(1)
  return registry.faults[0] ?? ''
}

describe('what there is', () => {
  test('without any file, the seven of the protocol are known', () => {
    const registry = new SchemaRegistry()

    expect(registry.intents).toEqual(aeeIntents().toSorted())
    expect(registry.faults).toEqual([])
    expect(registry.find('aee.status.ping', 'result')).toBe(aeeSchema('aee.status.ping', 'result'))
    expect(registry.validate('aee.status.ping', 'result', { pong: true })).toEqual({ kind: 'valid' })
  })

  test('a file adds the variant it is named after, and no other', () => {
    const registry = registryOf({ type: 'object', required: ['cluster'] })

    expect(registry.intents).toContain(INTENT)
    expect(registry.validate(INTENT, 'task', { cluster: 'x' })).toEqual({ kind: 'valid' })
    expect(registry.validate(INTENT, 'task', {}).kind).toBe('invalid')
    expect(registry.validate(INTENT, 'result', {})).toEqual({ kind: 'unknown' })
    expect(registry.validate(INTENT, 'error', {})).toEqual({ kind: 'unknown' })
    expect(registry.find(INTENT, 'task')).toEqual({ type: 'object', required: ['cluster'] })
    expect(registry.find(INTENT, 'result')).toBeUndefined()
  })

  test.each(['ops.other', '__proto__', 'constructor', 'toString', ''])(
    'of %j nobody published a schema, which is no refusal (AEE-056)',
    (intent) => {
      expect(registryOf({}).validate(intent, 'task', {})).toEqual({ kind: 'unknown' })
    },
  )

  test('extensions of the protocol may bring schemas (AEE-C10)', () => {
    const registry = new SchemaRegistry([file('aee.ext.acme.probe.task.schema.json', {})])

    expect(registry.faults).toEqual([])
    expect(registry.intents).toContain('aee.ext.acme.probe')
  })

  test('an intent may end in the name of a variant', () => {
    const registry = new SchemaRegistry([
      file('ops.task.result.schema.json', { required: ['a'] }),
      file('ops.task.task.schema.json', { required: ['b'] }),
    ])

    expect(registry.validate('ops.task', 'result', { a: 1 }).kind).toBe('valid')
    expect(registry.validate('ops.task', 'task', { a: 1 }).kind).toBe('invalid')
  })
})

describe('a file that cannot be used is a sentence with its name, and the others work', () => {
  const nested = (levels: number): unknown => (levels === 0 ? {} : { not: nested(levels - 1) })

  test.each([
    ['README.schema.json', {}, 'is not named'],
    ['.task.schema.json', {}, 'is not named'],
    ['ab.task.schema.json', {}, 'is not named'],
    ['ops.x.event.schema.json', {}, 'is not named'],
    ['ops.x.task.schema.json.bak', {}, 'is not named'],
    ['ops/x.task.schema.json', {}, 'is not named'],
    ['aee.status.ping.task.schema.json', {}, 'cannot replace what the protocol says of aee.status.ping'],
    ['aee.validate.payload.error.schema.json', {}, 'cannot replace'],
    ['aee.made.up.task.schema.json', {}, 'reserved namespace'],
    [NAME, '', 'is not valid JSON'],
    [NAME, '{"type":"object"', 'is not valid JSON'],
    [NAME, '\ufeff{}', 'begins with a byte order mark'],
    [NAME, '{"type":"object","type":"array"}', 'names a member twice'],
    [NAME, nested(80), 'is nested more than 64 levels deep'],
    [NAME, 'true', 'is not a JSON object'],
    [NAME, '[]', 'is not a JSON object'],
    [NAME, 'null', 'is not a JSON object'],
    [NAME, { type: 'strin' }, '"schema.type"'],
    [NAME, { properties: { a: { minLength: -1 } } }, '"schema.properties.a.minLength" must be >= 0'],
    [NAME, { required: ['a', 'a'] }, 'must not hold the same item twice'],
    [NAME, { $schema: 'http://json-schema.org/draft-07/schema#' }, `has another $schema than ${DIALECT}`],
    [NAME, { $schema: 7 }, 'has another $schema'],
    [NAME, { $async: true }, '$async'],
    [NAME, { pattern: '(' }, 'the broken pattern "("'],
    [NAME, { patternProperties: { '(': {} } }, 'the broken pattern "("'],
    [NAME, { pattern: '^(?!x)' }, 'a pattern that cannot be matched in bounded time: "^(?!x)"'],
    [NAME, { pattern: '(?<=x)y' }, 'cannot be matched in bounded time'],
    [NAME, { pattern: String.raw`(a)\1` }, 'cannot be matched in bounded time'],
    [NAME, { pattern: String.raw`(?<a>a)\k<a>` }, 'cannot be matched in bounded time'],
    [NAME, { patternProperties: { 'a{1001}': {} } }, 'cannot be matched in bounded time'],
    [NAME, { $defs: { a: { $id: 'urn:x:y' } } }, 'has an $id inside'],
    [NAME, { $id: DIALECT }, 'cannot be used'],
    [NAME, { $id: 'urn:agentd:schema:aee.status.ping.task' }, 'which another schema has'],
    [NAME, { $ref: 'https://example.org/other.json' }, 'nothing is fetched from elsewhere'],
    [NAME, { $ref: '#/$defs/none' }, '"#/$defs/none"'],
    [NAME, { $ref: '#none' }, '"#none"'],
    [NAME, { $ref: '#/%' }, '"#/%"'],
    [NAME, { $ref: 'ops.other.task.schema.json' }, 'refers to "ops.other.task.schema.json"'],
    [NAME, { anyOf: [{ $dynamicRef: 'file:///etc/passwd' }] }, 'refers to "file:///etc/passwd"'],
  ])('%s %j', (name, schema, says) => {
    const fault = faultOf(name, schema)

    expect(fault).toContain(JSON.stringify(name))
    expect(fault).toContain(says)
    expect(fault).toMatch(/^The intent schema .*\.$/)
  })

  test('of two files with one name the first is used', () => {
    const registry = new SchemaRegistry([file(NAME, { required: ['a'] }), file(NAME, { required: ['b'] })])

    expect(registry.faults).toEqual([`The intent schema "${NAME}" is there twice; the first one is used.`])
    expect(registry.validate(INTENT, 'task', { a: 1 }).kind).toBe('valid')
  })

  test('of two files with one $id the first is used', () => {
    const registry = new SchemaRegistry([
      file(NAME, { $id: 'urn:x:one' }),
      file('ops.b.task.schema.json', { $id: 'urn:x:one#' }),
    ])

    expect(registry.faults).toEqual([
      expect.stringContaining('the $id "urn:x:one", which another schema has'),
    ])
    expect(registry.validate('ops.b', 'task', {}).kind).toBe('unknown')
  })

  test('one bad file among good ones takes only those with it that need it', () => {
    const registry = new SchemaRegistry([
      file('ops.a.task.schema.json', { $ref: 'ops.b.task.schema.json' }),
      file('ops.b.task.schema.json', { $ref: 'ops.c.task.schema.json#/$defs/x' }),
      file('ops.c.task.schema.json', '{'),
      file('ops.d.task.schema.json', { required: ['d'] }),
    ])

    expect(registry.intents.filter((intent) => intent.startsWith('ops.'))).toEqual(['ops.d'])
    expect(registry.faults).toHaveLength(3)
    expect(registry.validate('ops.d', 'task', { d: 1 }).kind).toBe('valid')
  })

  test.each([
    ['refers to itself', { $ref: '#' }],
    ['has a keyword in no way it can be used', { nullable: true }],
    ['has the id of an older draft', { id: 'urn:x:y' }],
  ])('a schema that %s fails at its first use, once, and refuses nobody', (_why, schema) => {
    const registry = registryOf(schema)
    expect(registry.faults).toEqual([])

    expect(registry.validate(INTENT, 'task', {})).toEqual({ kind: 'unknown' })
    expect(registry.validate(INTENT, 'task', {})).toEqual({ kind: 'unknown' })

    expect(registry.faults).toEqual([expect.stringContaining(`The intent schema "${NAME}" cannot be used: `)])
    expect(registry.validate('aee.status.ping', 'task', {})).toEqual({ kind: 'valid' })
  })

  test('whatever the files hold, a registry comes of it and a fault is one line', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            name: fc.oneof(fc.constant(NAME), fc.string(), fc.constant('ops.\u001b[31m.task.schema.json')),
            text: fc.oneof(fc.string(), fc.json(), fc.constantFrom('{}', '{"type":"object"}')),
          }),
          { maxLength: 4 },
        ),
        fc.jsonValue(),
        (files, payload) => {
          const registry = new SchemaRegistry(files)
          for (const intent of registry.intents) registry.validate(intent, 'task', payload)
          for (const fault of registry.faults) expect(fault).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        },
      ),
    )
  })
})

describe('references', () => {
  test('lead into the same file, to another by its name, by its $id, and to the protocol', () => {
    const registry = new SchemaRegistry([
      file('ops.a.task.schema.json', {
        properties: {
          here: { $ref: '#/$defs/text' },
          anchored: { $ref: '#text' },
          escaped: { $ref: '#/$defs/a~1b%20c' },
          listed: { $ref: '#/allOf/0' },
          byName: { $ref: 'ops.b.task.schema.json#/$defs/number' },
          byId: { $ref: 'https://example.org/s/c.json' },
          byNameThough: { $ref: 'ops.d.task.schema.json' },
          failure: { $ref: 'urn:agentd:schema:aee.error' },
          schema: { $ref: DIALECT },
        },
        allOf: [{ type: 'object' }],
        $defs: { text: { $anchor: 'text', type: 'string' }, 'a/b c': { type: 'null' } },
      }),
      file('ops.b.task.schema.json', { $defs: { number: { type: 'number' } } }),
      file('ops.c.task.schema.json', {
        $id: 'https://example.org/s/c.json',
        properties: { sibling: { $ref: 'd.json' } },
      }),
      file('ops.d.task.schema.json', { $id: 'https://example.org/s/d.json#', type: 'boolean' }),
    ])

    const validation = registry.validate('ops.a', 'task', {
      here: 1,
      anchored: 1,
      escaped: 1,
      listed: 1,
      byName: 'x',
      byId: { sibling: 'x' },
      byNameThough: 'x',
      failure: {},
      schema: { minLength: -1 },
    })

    expect(registry.faults).toEqual([])
    expect(validation).toEqual({
      kind: 'invalid',
      errors: [
        '"payload.here" must be a string.',
        '"payload.anchored" must be a string.',
        '"payload.escaped" must be null.',
        '"payload.listed" must be an object.',
        '"payload.byName" must be a number.',
        '"payload.byId.sibling" must be true or false.',
        '"payload.byNameThough" must be true or false.',
        '"payload.failure.code" is required.',
        '"payload.failure.message" is required.',
        '"payload.failure.retryable" is required.',
        '"payload.schema.minLength" must be >= 0.',
      ],
    })
  })

  test('within data, and as the name of a member, $ref and $id are no keywords', () => {
    const data = { $ref: 'https://example.org/x', $id: 'urn:x:y' }
    const schema = {
      const: data,
      default: data,
      examples: [data],
      enum: [data],
      properties: { $ref: { type: 'string' }, enum: { type: 'object' }, pattern: {} },
    }

    expect(errorsOf(schema, data)).toEqual([])
  })

  test('a reference within a member called like a keyword is found', () => {
    expect(faultOf(NAME, { properties: { enum: { $ref: 'https://example.org/x' } } })).toContain('refers to')
  })

  test('a recursive schema is one as long as it goes down', () => {
    const tree = { properties: { children: { type: 'array', items: { $ref: '#' } }, n: { type: 'integer' } } }

    expect(errorsOf(tree, { children: [{ children: [{ n: 1 }] }] })).toEqual([])
    expect(errorsOf(tree, { children: [{ children: [{ n: 'x' }] }] })).toEqual([
      '"payload.children[0].children[0].n" must be a whole number.',
    ])
  })
})

describe('what is said of a payload', () => {
  test.each([
    [{ type: 'object' }, [], '"payload" must be an object.'],
    [{ required: ['cluster'] }, {}, '"payload.cluster" is required.'],
    [{ additionalProperties: false }, { x: 1 }, '"payload.x" is not a member it may have.'],
    [{ unevaluatedProperties: false }, { x: 1 }, '"payload.x" is not a member it may have.'],
    [{ properties: { a: { type: ['string', 'null'] } } }, { a: 1 }, '"payload.a" must be a string or null.'],
    [{ properties: { a: { enum: ['x', 1] } } }, { a: 'y' }, '"payload.a" must be one of "x", 1.'],
    [{ properties: { a: { const: true } } }, { a: 1 }, '"payload.a" must be true.'],
    [{ properties: { a: false } }, { a: 1 }, '"payload.a" must not be there.'],
    [{ properties: { a: { minimum: 1 } } }, { a: 0 }, '"payload.a" must be >= 1.'],
    [{ properties: { a: { pattern: '^x' } } }, { a: 'y' }, '"payload.a" must match pattern "^x".'],
    [
      { properties: { a: { items: { type: 'number' } } } },
      { a: [1, 'x'] },
      '"payload.a[1]" must be a number.',
    ],
    [
      { properties: { 'a/b~c': { properties: { 0: { type: 'null' } } } } },
      { 'a/b~c': { 0: 1 } },
      '"payload.a/b~c.0" must be null.',
    ],
    [
      { properties: { a: { uniqueItems: true } } },
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
      '"payload.a" must not hold the same item twice.',
    ],
  ])('%j of %j: %s', (schema, payload, sentence) => {
    expect(errorsOf(schema, payload)).toEqual([sentence])
  })

  test('all faults are told, up to a bound, and none twice', () => {
    const properties = Object.fromEntries(
      Array.from({ length: MAX_ERRORS + 1 }, (_, at) => [`p${at}`, { type: 'null' }]),
    )
    const payload = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]))
    const { p0: _first, ...rest } = payload

    expect(errorsOf({ properties }, rest)).toHaveLength(MAX_ERRORS)
    expect(errorsOf({ properties }, payload)).toHaveLength(MAX_ERRORS)
    expect(errorsOf({ anyOf: [{ required: ['a'] }, { required: ['a'] }] }, {})).toEqual([
      '"payload.a" is required.',
      '"payload" must match a schema in anyOf.',
    ])
  })

  test('of a payload with very many parts the first fault is told, not all of them collected', () => {
    const schema = { properties: { items: { items: { type: 'number' } } } }
    // The payload and its list are two parts of the ten thousand that are looked through.
    expect(errorsOf(schema, { items: texts(9_997) })).toHaveLength(MAX_ERRORS)
    expect(errorsOf(schema, { items: texts(9_998) })).toEqual(['"payload.items[0]" must be a number.'])
  })

  test('no value of a payload is repeated, whatever is wrong with it (AEE-090)', () => {
    const secret = 'S3CRET'
    const schemas = [
      { type: 'object', properties: { a: { type: 'number' } } },
      { properties: { a: { enum: ['x'] }, b: { const: 1 } } },
      { properties: { a: { pattern: '^x$' }, b: { maxLength: 2 } } },
      { properties: { a: { not: {} }, b: { format: 'uri', minLength: 99 } } },
      { properties: { a: { items: { type: 'null' }, uniqueItems: true, contains: false } } },
      { properties: { a: { propertyNames: { maxLength: 0 } } }, dependentRequired: { a: ['c'] } },
      { anyOf: [{ required: ['z'] }, { properties: { a: false } }] },
    ]
    const value = fc.oneof(fc.constant(secret), fc.constant([secret, secret]), fc.constant({ x: secret }))

    fc.assert(
      fc.property(fc.constantFrom(...schemas), value, value, (schema, a, b) => {
        expect(errorsOf(schema, { a, b }).join(' ')).not.toContain(secret)
      }),
    )
  })

  test('a sentence is one line of bounded length, whatever the members are called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 2_000 }), (name) => {
        for (const sentence of errorsOf({ additionalProperties: false }, { [name]: 1 })) {
          expect(sentence.length).toBeLessThan(400)
          expect(sentence).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u)
        }
      }),
    )
  })
})

describe('validation', () => {
  test('what a prototype has is not a member (AEQ-24)', () => {
    expect(errorsOf({ required: ['toString', '__proto__'] }, {})).toEqual([
      '"payload.toString" is required.',
      '"payload.__proto__" is required.',
    ])
    expect(errorsOf({ required: ['__proto__'] }, JSON.parse('{"__proto__":1}'))).toEqual([])
  })

  test('unknown keywords and formats are notes of the author, and nothing is changed or filled in', () => {
    const payload = Object.freeze({ a: '7' })
    const schema = { 'x-note': {}, properties: { a: { format: 'no-such' }, b: { default: 1 } } }

    expect(errorsOf(schema, payload)).toEqual([])
    expect(payload).toEqual({ a: '7' })
  })

  test('items are compared as values, and comparing very many does not take their square', () => {
    const unique = { properties: { a: { uniqueItems: true } } }
    const many = Array.from({ length: 50_000 }, (_, at) => ({ at, list: [at] }))

    expect(errorsOf(unique, { a: [1, '1', true, null, [1], { a: 1 }, [[1]], { a: '1' }, 'null'] })).toEqual(
      [],
    )
    expect(errorsOf(unique, { a: many })).toEqual([])
    expect(errorsOf(unique, { a: [...many, { list: [0], at: 0 }] })).toHaveLength(1)
    expect(errorsOf({ properties: { a: { uniqueItems: false } } }, { a: [1, 1] })).toEqual([])
  })

  test('a definition that is used a thousand times is compiled once', () => {
    const large = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, { type: 'string' }]))
    const uses = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`u${at}`, { $ref: '#/$defs/large' }]),
    )

    expect(
      errorsOf({ properties: uses, $defs: { large: { properties: large } } }, { u999: { m499: 1 } }),
    ).toEqual(['"payload.u999.m499" must be a string.'])
  })
})
