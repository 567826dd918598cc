/**
 * The published JSON Schemas: what is valid here is valid there, and what is missing or unknown is not
 * (AC-005, AC-041, AC-174, docs/http.md §10).
 *
 * A schema is a necessary condition: octets, the pronoun and the calendar are beyond it.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIND_NAMES, type Kind } from '../../../src/protocol/frame/kinds.ts'
import { SCHEMA_NAMES, findJsonSchema } from '../../../src/protocol/http/schemas.ts'
import { READING_VERBS, VERBS } from '../../../src/protocol/verb/verbs.ts'
import { arbitraryFrame, brokenFrame, validFrame, validPayload, withMembers } from '../../support/frames.ts'
import { PAYLOAD_TABLE, stepsOf, withValueAt } from '../frame/payload-table.ts'

type Schema = Readonly<Record<string, unknown>>
// A keyword's rule has the type its own row says; the table cannot.
// oxlint-disable-next-line typescript/no-explicit-any
type Check = (rule: any, value: unknown, schema: Schema) => boolean

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
}

const always: Check = () => true

/** The part of JSON Schema 2020-12 that we publish; a keyword that is not here fails the tests. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    ['$schema', 'format', 'default', 'x-min-octets', 'x-max-octets'].map((key) => [key, always]),
  ),
  type: (type: string, value: unknown) => TYPES[type]?.(value) ?? false,
  const: (wanted: unknown, value: unknown) => value === wanted,
  enum: (wanted: readonly unknown[], value: unknown) => wanted.includes(value),
  pattern: (pattern: string, value: unknown) =>
    typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minLength: (min: number, value: unknown) => typeof value !== 'string' || Array.from(value).length >= min,
  maxLength: (max: number, value: unknown) => typeof value !== 'string' || Array.from(value).length <= max,
  minimum: (min: number, value: unknown) => typeof value !== 'number' || value >= min,
  maximum: (max: number, value: unknown) => typeof value !== 'number' || value <= max,
  minItems: (min: number, value: unknown) => !Array.isArray(value) || value.length >= min,
  maxItems: (max: number, value: unknown) => !Array.isArray(value) || value.length <= max,
  items: (item: Schema, value: unknown) =>
    !Array.isArray(value) || value.every((one) => satisfies(item, one)),
  required: (names: readonly string[], value: unknown) =>
    !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  properties: (properties: Readonly<Record<string, Schema>>, value: unknown) =>
    !isObject(value) ||
    Object.entries(properties).every(
      ([name, sub]) => !Object.hasOwn(value, name) || satisfies(sub, value[name]),
    ),
  additionalProperties: (rule: unknown, value: unknown, { properties = {} }) =>
    rule !== false ||
    !isObject(value) ||
    Object.keys(value).every((name) => Object.hasOwn(Object(properties), name)),
  anyOf: (schemas: readonly Schema[], value: unknown) => schemas.some((one) => satisfies(one, value)),
  oneOf: (schemas: readonly Schema[], value: unknown) =>
    schemas.filter((one) => satisfies(one, value)).length === 1,
  allOf: (schemas: readonly Schema[], value: unknown) => schemas.every((one) => satisfies(one, value)),
}

function satisfies(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    const check = KEYWORDS[keyword]
    if (check === undefined) throw new Error(`the schema uses "${keyword}", which these tests do not know`)
    return check(rule, value, schema)
  })
}

function schemaOf(name: string): Schema {
  const schema = findJsonSchema(name)
  if (schema === undefined) throw new Error(`no schema "${name}"`)
  return schema
}

const FRAME = schemaOf('frame')

function visit(schema: unknown, see: (schema: Schema) => void): void {
  if (Array.isArray(schema)) for (const one of schema) visit(one, see)
  if (!isObject(schema)) return
  see(schema)
  for (const one of Object.values(schema)) visit(one, see)
}

test('there is a schema for the frame, each payload, each request and reply, and each verb (docs/http.md §10)', () => {
  const verbs = [...Object.keys(VERBS), ...Object.keys(READING_VERBS)]
  const kinds: readonly string[] = KIND_NAMES
  const verbNames = verbs.map((name) => (kinds.includes(name) ? `${name}-verb` : name))

  expect(SCHEMA_NAMES).toEqual(
    expect.arrayContaining(['frame', 'submission', 'error', ...kinds, ...verbNames]),
  )
  expect(new Set(SCHEMA_NAMES).size).toBe(SCHEMA_NAMES.length)
  for (const name of SCHEMA_NAMES) {
    const published = JSON.parse(JSON.stringify(schemaOf(name)))
    expect(published['$schema'], name).toBe('https://json-schema.org/draft/2020-12/schema')
  }
})

test('a name that is not published, inherited ones too, has no schema (ACQ-40)', () => {
  for (const name of ['', 'Frame', '__proto__', 'constructor', 'toString'])
    expect(findJsonSchema(name)).toBeUndefined()
})

test('every object we take is closed in its schema (AC-004, AC-174)', () => {
  const taken = SCHEMA_NAMES.filter((name) => !/-reply$|^gap$|^error$/.test(name))
  for (const name of taken) {
    visit(schemaOf(name), (schema) => {
      if (schema['properties'] !== undefined) expect(schema['additionalProperties'], name).toBe(false)
    })
  }
})

test('every bound in octets stands beside a weaker one in characters (AC-042)', () => {
  let seen = 0
  visit(FRAME, (schema) => {
    if (schema['x-max-octets'] === undefined) return
    seen += 1
    expect(schema['maxLength']).toBe(schema['x-max-octets'])
    expect(schema['minLength'] ?? 0).toBeLessThanOrEqual(Number(schema['x-min-octets']))
  })
  expect(seen).toBeGreaterThan(10)
})

test('any valid frame satisfies the schema of the frame, of a submission and of its payload (AC-005, AC-041)', () => {
  const payloads = new Map<Kind, Schema>(KIND_NAMES.map((kind) => [kind, schemaOf(kind)]))
  const submission = schemaOf('submission')

  fc.assert(
    fc.property(arbitraryFrame(), (frame) => {
      expect(satisfies(FRAME, frame)).toBe(true)
      expect(satisfies(payloads.get(frame.kind) ?? {}, frame.payload)).toBe(true)
      expect(satisfies(submission, { frame })).toBe(true)
      expect(satisfies(submission, { frame, recipient_scope: '~alice/*' })).toBe(true)
    }),
    { numRuns: 200 },
  )
})

describe.each(KIND_NAMES)('the schema of %s', (kind) => {
  const schema = schemaOf(kind)
  const rows = PAYLOAD_TABLE[kind].filter(([path]) => stepsOf(path).length === 1)

  test('has the members of the table, and asks for the required ones (AC-041)', () => {
    const required = rows.filter(([, row]) => !row.optional).map(([path]) => path)

    expect(Object.keys(Object(schema['properties'])).toSorted()).toEqual(
      rows.map(([path]) => path).toSorted(),
    )
    expect(new Set(Object.values(Object(schema['required'])))).toEqual(new Set(required))
  })

  test('admits every valid value of the table (AC-041)', () => {
    for (const [path, { valid }] of PAYLOAD_TABLE[kind]) {
      for (const value of valid) {
        const payload = withValueAt(validPayload(kind), path, value)
        expect(satisfies(schema, payload), `${path}: ${JSON.stringify(value).slice(0, 60)}`).toBe(true)
      }
    }
  })

  test('refuses a payload or frame with a member too few or too many (AC-002, AC-004)', () => {
    const frame = validFrame(kind)
    for (const [path, { optional }] of rows) {
      const payload = withMembers(frame.payload, { [path]: undefined })
      expect(satisfies(schema, payload), path).toBe(optional)
      expect(satisfies(FRAME, { ...frame, payload }), path).toBe(optional)
    }
    expect(satisfies(schema, { ...frame.payload, stranger: 1 })).toBe(false)
    expect(satisfies(FRAME, { ...frame, stranger: 1 })).toBe(false)
    for (const name of Object.keys(frame)) {
      expect(satisfies(FRAME, brokenFrame(kind, { [name]: undefined })), name).toBe(false)
    }
  })
})
