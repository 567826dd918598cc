/**
 * The published schema, held against the checks that are written out by hand (AEE-023, docs/requirements.md §2.1).
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEnvelope } from '../../../src/aee/envelope/envelope.ts'
import { ENVELOPE_SCHEMA } from '../../../src/aee/schemas/schema.ts'
import { refusalOf } from '../../support/refusals.ts'
import { SAMPLES } from '../samples.ts'

const admits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(ENVELOPE_SCHEMA)

const NAMES = [
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

function isParsed(value: unknown): boolean {
  return refusalOf(() => parseEnvelope(value)) === undefined
}

test('the schema is a draft 2020-12 document that can be published as it is (AEE-023)', () => {
  expect(ENVELOPE_SCHEMA['$schema']).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(JSON.parse(JSON.stringify(ENVELOPE_SCHEMA))).toEqual(ENVELOPE_SCHEMA)
  expect(Object.keys(Object(ENVELOPE_SCHEMA['properties']))).toEqual(NAMES)
})

test.each(SAMPLES)('the schema admits %s (AEE-C01)', (_name, sample) => {
  expect(admits(sample)).toBe(true)
})

/** As it would come over the wire: an own member may be called anything. */
function toValue(members: ReadonlyMap<string, unknown>): unknown {
  const rows = [...members].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return JSON.parse(`{${rows.join(',')}}`)
}

describe('parseEnvelope and the schema', () => {
  /** Strings around every bound, in units of one and two. */
  const text = fc.oneof(
    fc.constantFrom(
      '1',
      '2',
      '',
      'task',
      'result',
      'event',
      'error',
      'stream',
      'Task',
      'low',
      'urgent',
      'asap',
    ),
    fc.nat(11).map((length) => 'x'.repeat(length)),
    fc.nat(11).map((length) => '😀'.repeat(length)),
    fc.string({ unit: fc.constantFrom('a', '\uD800', '\uDC00', '😀'), maxLength: 12 }),
    fc.string({ maxLength: 12 }),
  )
  const ids = fc.record(
    {
      trace_id: fc.oneof(text, fc.jsonValue({ maxDepth: 1 })),
      span_id: text,
      extra: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  )
  const odd = fc.oneof(
    { weight: 3, arbitrary: text },
    { weight: 2, arbitrary: ids },
    fc.constantFrom(null, 0, 1, true, false, [], {}, ['1'], [null]),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
    fc.constantFrom('x_vendor', '__proto__', 'constructor', 'toString', 'V', ''),
  )
  const mutation = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('set' as const), name, value: odd }) },
    fc.record({ kind: fc.constant('delete' as const), name }),
    fc.record({ kind: fc.constant('cut' as const), name, length: fc.nat(12) }),
    fc.record({ kind: fc.constant('extend' as const), name, more: text }),
    fc.record({ kind: fc.constant('wrap' as const), name }),
    fc.record({
      kind: fc.constant('retype' as const),
      value: fc.constantFrom('task', 'result', 'event', 'error', 'stream'),
    }),
  )

  type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never

  function mutate(members: Map<string, unknown>, change: Mutation): void {
    if (change.kind === 'retype') return void members.set('type', change.value)
    const old = members.get(change.name)
    if (change.kind === 'set') members.set(change.name, change.value)
    else if (change.kind === 'delete') members.delete(change.name)
    else if (change.kind === 'wrap') members.set(change.name, [old ?? null])
    else if (typeof old === 'string') {
      members.set(
        change.name,
        change.kind === 'cut' ? Array.from(old).slice(0, change.length).join('') : old + change.more,
      )
    }
  }

  test('agree on any mutation of a valid envelope (AEE-023)', () => {
    const seen = { valid: 0, invalid: 0 }
    const mutant = fc
      .tuple(fc.constantFrom(...SAMPLES.map(([, sample]) => sample)), fc.array(mutation, { maxLength: 4 }))
      .map(([sample, changes]) => {
        const members = new Map(Object.entries(sample))
        for (const change of changes) mutate(members, change)
        return toValue(members)
      })

    fc.assert(
      fc.property(mutant, (value) => {
        const isValid = admits(value)
        seen[isValid ? 'valid' : 'invalid'] += 1
        expect(isParsed(value)).toBe(isValid)
      }),
      { numRuns: 10_000 },
    )
    // Neither side is vacuous.
    expect(seen.valid).toBeGreaterThan(1_000)
    expect(seen.invalid).toBeGreaterThan(1_000)
  })

  test('agree on any JSON value, which is hardly ever an envelope', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(name, odd)), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value))
        expect(isParsed(plain)).toBe(admits(plain))
      }),
      { numRuns: 2_000 },
    )
  })
})
