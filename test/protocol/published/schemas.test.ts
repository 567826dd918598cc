/**
 * The published JSON Schemas: what is valid here is valid there, and what is missing or unknown is not
 * (AC-005, AC-041, AC-174, docs/http.md §10).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { SCHEMA_NAMES, findJsonSchema } from '../../../src/protocol/published/schemas.ts'
import { READING_VERBS, VERBS } from '../../../src/protocol/verb/verbs.ts'
import { arbitraryFrame, brokenFrame, validFrame, validPayload, withMembers } from '../../support/frames.ts'
import { publishedSchema, satisfies } from '../../support/published.ts'
import { PAYLOAD_TABLE, stepsOf, withValueAt } from '../frame/payload-table.ts'

type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const FRAME = publishedSchema('frame')

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
    const published = JSON.parse(JSON.stringify(publishedSchema(name)))
    expect(published['$schema'], name).toBe('https://json-schema.org/draft/2020-12/schema')
  }
})

test('a name that is not published, inherited ones too, has no schema (ACQ-40)', () => {
  for (const name of ['', 'Frame', '__proto__', 'constructor', 'toString'])
    expect(findJsonSchema(name)).toBeUndefined()
})

test('every object we take is closed in its schema (AC-004, AC-174)', () => {
  const taken = SCHEMA_NAMES.filter((name) => !/-(?:reply|event)$|^gap$|^error$/.test(name))
  for (const name of taken) {
    visit(publishedSchema(name), (schema) => {
      if (schema['type'] === 'object' && schema['properties'] !== undefined)
        expect(schema['additionalProperties'], name).toBe(false)
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
  fc.assert(
    fc.property(arbitraryFrame(), (frame) => {
      expect(satisfies('frame', frame)).toBe(true)
      expect(satisfies(frame.kind, frame.payload)).toBe(true)
      expect(satisfies('submission', { frame })).toBe(true)
      expect(satisfies('submission', { frame, recipient_scope: '~alice/*' })).toBe(true)
    }),
    { numRuns: 200 },
  )
})

describe.each(KIND_NAMES)('the schema of %s', (kind) => {
  const schema = publishedSchema(kind)
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
        expect(satisfies(kind, payload), `${path}: ${JSON.stringify(value).slice(0, 60)}`).toBe(true)
      }
    }
  })

  test('refuses a payload or frame with a member too few or too many (AC-002, AC-004)', () => {
    const frame = validFrame(kind)
    for (const [path, { optional }] of rows) {
      const payload = withMembers(frame.payload, { [path]: undefined })
      expect(satisfies(kind, payload), path).toBe(optional)
      expect(satisfies('frame', { ...frame, payload }), path).toBe(optional)
    }
    expect(satisfies(kind, { ...frame.payload, stranger: 1 })).toBe(false)
    expect(satisfies('frame', { ...frame, stranger: 1 })).toBe(false)
    for (const name of Object.keys(frame)) {
      expect(satisfies('frame', brokenFrame(kind, { [name]: undefined })), name).toBe(false)
    }
  })
})
