/**
 * References to envelopes, and where an envelope is to be had (AEE-069…AEE-075).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEnvelope } from '../../../src/aee/envelope/envelope.ts'
import { locatorOf, readLocator, referenceFinding, referencesOf } from '../../../src/aee/thread/references.ts'
import { refusalOf } from '../../support/refusals.ts'
import { E0 } from '../samples.ts'

/** The reference of the draft's section 10.2. */
const REFERENCE = {
  id: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
  corr: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
  type: 'aee.envelope',
  locator: 'store://envelopes/01JFB2R1JZKQ9V3K8W8Y9W1F2A',
  hash: 'sha256:a1b2c3...',
}

function withReferences(references: unknown) {
  return parseEnvelope({ ...E0, payload: { references } })
}

describe('references', () => {
  test('are read in order, without what nobody defined (AEE-069…AEE-074)', () => {
    const least = { id: 'x', type: 'log.line' }

    expect(referencesOf(withReferences([REFERENCE, { ...least, extra: 1 }]))).toEqual([REFERENCE, least])
  })

  test('are none where there are none', () => {
    for (const references of [undefined, null, [], {}, 'x', 7]) {
      expect(referencesOf(withReferences(references))).toEqual([])
    }
    expect(referencesOf(parseEnvelope(E0))).toEqual([])
    expect(
      referencesOf(parseEnvelope({ ...E0, payload: Object.create({ references: [REFERENCE] }) })),
    ).toEqual([])
  })

  test('of a wrong shape are left out, and the others stay', () => {
    const bad = [
      null,
      'id',
      [],
      {},
      { id: 'x' },
      { type: 'x' },
      { id: 1, type: 'x' },
      { ...REFERENCE, hash: null },
    ]

    expect(referencesOf(withReferences([...bad, REFERENCE]))).toEqual([REFERENCE])
  })

  test('past the first thousand are not read', () => {
    expect(referencesOf(withReferences(Array.from({ length: 1_001 }, () => REFERENCE)))).toHaveLength(1_000)
  })
})

test.each([
  [{}, 'payload.references', 'must be an array'],
  ['x', 'payload.references', 'must be an array'],
  [['x'], 'payload.references[0]', 'must be an object'],
  [[REFERENCE, null], 'payload.references[1]', 'must be an object'],
  [[{ type: 'aee.envelope' }], 'payload.references[0].id', 'is required'],
  [[{ id: 'x' }], 'payload.references[0].type', 'is required'],
  [[{ id: '', type: 'x' }], 'payload.references[0].id', 'must not be empty'],
  [[REFERENCE, { id: 'x', type: 7 }], 'payload.references[1].type', 'must be a string'],
  [[{ ...REFERENCE, locator: {} }], 'payload.references[0].locator', 'must be a string'],
])('what is wrong with %j is found at %s (AEE-070, AEE-072)', (references, field, rule) => {
  const finding = referenceFinding({ references })

  expect(finding?.field).toBe(field)
  expect(finding?.rule).toContain(rule)
})

test.each([undefined, null, [], [REFERENCE], [{ id: 'x', type: 'log.line', corr: '', more: null }]])(
  'nothing is wrong with %j',
  (references) => {
    expect(referenceFinding({ references })).toBeUndefined()
  },
)

describe('a locator', () => {
  test('is the id below store://envelopes/ (AEE-073)', () => {
    expect(locatorOf(REFERENCE.id)).toBe(REFERENCE.locator)
    expect(readLocator(REFERENCE.locator)).toBe(REFERENCE.id)
    expect(locatorOf('a/b?c#d e%\n')).toBe('store://envelopes/a%2Fb%3Fc%23d%20e%25%0A')
  })

  test('of any id leads back to it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
        expect(readLocator(locatorOf(id))).toBe(id)
      }),
    )
  })

  test('of an id that no URI can hold is refused', () => {
    expect(refusalOf(() => locatorOf('abcdefg\uD800'))).toEqual({ code: 'field-invalid', field: 'id' })
  })

  test.each([
    '',
    'store://envelopes/',
    'store://envelopes',
    'store://other/abcdefgh',
    'STORE://envelopes/abcdefgh',
    ' store://envelopes/abcdefgh',
    'file:///etc/passwd',
    'store://envelopes/../secrets',
    'store://envelopes/a/b',
    'store://envelopes/a?b',
    'store://envelopes/a#b',
    'store://envelopes/a b',
    'store://envelopes/%',
    'store://envelopes/%zz',
    'store://envelopes/%ff',
    'store://envelopes/%ed%a0%80',
  ])('is not %j', (text) => {
    expect(readLocator(text)).toBeUndefined()
  })
})
