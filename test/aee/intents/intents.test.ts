/**
 * The seven intents of the protocol and their schemas (AEE-057…AEE-066, AEE-C04…C08).
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { AEE_INTENTS, aeeIntents, aeeSchema, isAeeIntent } from '../../../src/aee/intents/intents.ts'
import { readCapabilityListTask } from '../../../src/aee/intents/capability.ts'
import { readContextFetchTask, readContextRefuteTask } from '../../../src/aee/intents/context.ts'
import { readValidatePayloadTask } from '../../../src/aee/intents/validation.ts'
import { PAYLOAD_VARIANTS } from '../../../src/aee/intents/payload-schema.ts'
import { SchemaRegistry } from '../../../src/aee/schemas/registry.ts'
import { refusalOf } from '../../support/refusals.ts'

const registry = new SchemaRegistry()

test('there are the seven of the draft, and nothing else is one of them (AEE-057)', () => {
  expect(aeeIntents()).toEqual([
    'aee.status.ping',
    'aee.status.health',
    'aee.spec.query',
    'aee.capability.list',
    'aee.context.fetch',
    'aee.context.refute',
    'aee.validate.payload',
  ])
  for (const other of ['aee.status', 'aee.status.ping ', 'AEE.STATUS.PING', 'toString', '__proto__', '']) {
    expect(isAeeIntent(other), other).toBe(false)
  }
})

test('every schema is a document of the dialect it names, under a name of its own (AEE-067)', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true })
  const ids = new Set<unknown>()

  for (const intent of aeeIntents()) {
    for (const variant of PAYLOAD_VARIANTS) {
      const schema = aeeSchema(intent, variant)
      expect(ajv.validateSchema(schema), `${intent} ${variant}`).toBe(true)
      expect(() => ajv.compile(schema)).not.toThrow()
      ids.add(schema['$id'])
    }
  }

  expect(ids.size).toBe(2 * Object.keys(AEE_INTENTS).length + 1)
})

describe('what a task may be', () => {
  test.each(['aee.status.ping', 'aee.status.health', 'aee.spec.query'])(
    '%s takes an empty payload and no other (AEE-C04)',
    (intent) => {
      expect(registry.validate(intent, 'task', {})).toEqual({ kind: 'valid' })
      expect(registry.validate(intent, 'task', { references: [] })).toEqual({
        kind: 'invalid',
        errors: ['"payload.references" is not a member it may have.'],
      })
    },
  )

  test.each([
    ['aee.capability.list', {}, true],
    ['aee.capability.list', { namespace_filter: 'ops.*', references: [{ id: 'x', type: 'y' }] }, true],
    ['aee.capability.list', { namespace_filter: 7 }, false],
    ['aee.context.fetch', { id: 'e-1', corr: 'c', locator: 'l', hash: 'h', more: 1 }, true],
    ['aee.context.fetch', { corr: 'c' }, false],
    ['aee.context.fetch', { id: '' }, false],
    ['aee.context.fetch', { id: 'e-1', hash: null }, false],
    ['aee.context.refute', { id: 'e-1', reason: 'wrong' }, true],
    ['aee.context.refute', { id: 'e-1' }, false],
    ['aee.context.refute', { id: 'e-1', reason: '' }, false],
    ['aee.validate.payload', { intent: 'x.y', payload_to_validate: {} }, true],
    ['aee.validate.payload', { intent: 'x.y', payload_to_validate: null, type_hint: 'error' }, true],
    ['aee.validate.payload', { intent: 'x.y' }, false],
    ['aee.validate.payload', { payload_to_validate: {} }, false],
    ['aee.validate.payload', { intent: 'x.y', payload_to_validate: {}, type_hint: 'event' }, false],
  ])('%s %j: %s (AEE-061…AEE-064, AEE-C08)', (intent, payload, fits) => {
    expect(registry.validate(intent, 'task', payload).kind).toBe(fits ? 'valid' : 'invalid')
  })
})

describe('what a result may be', () => {
  test.each([
    ['aee.status.ping', { pong: true }, true],
    ['aee.status.ping', { pong: true, ts: '2026-01-01T00:00:00Z', more: 1 }, true],
    ['aee.status.ping', { pong: false }, false],
    ['aee.status.ping', { pong: 'true' }, false],
    ['aee.status.ping', {}, false],
    ['aee.status.ping', { pong: true, ts: 7 }, false],
    ['aee.status.health', { status: 'degraded' }, true],
    ['aee.status.health', { status: 'healthy', details: {} }, true],
    ['aee.status.health', { status: 'fine' }, false],
    ['aee.status.health', { status: 'healthy', details: [] }, false],
    ['aee.spec.query', { aee_version: '1' }, true],
    ['aee.spec.query', { aee_version: '1', extensions: ['aee.ext.x'] }, true],
    ['aee.spec.query', { extensions: [] }, false],
    ['aee.spec.query', { aee_version: '1', extensions: [1] }, false],
    ['aee.capability.list', { intents: [] }, true],
    ['aee.capability.list', {}, false],
    ['aee.capability.list', { intents: 'all' }, false],
    ['aee.context.fetch', { found: false }, true],
    ['aee.context.fetch', { found: true, envelope: {}, hash: 'sha256:0' }, true],
    ['aee.context.fetch', { envelope: {} }, false],
    ['aee.context.refute', { acknowledged: false }, true],
    ['aee.context.refute', { acknowledged: 'yes' }, false],
    ['aee.validate.payload', { valid: true }, true],
    ['aee.validate.payload', { valid: false, errors: ['a sentence'] }, true],
    ['aee.validate.payload', { valid: false, errors: [{ path: '/a' }] }, false],
  ])('%s %j: %s (AEE-058…AEE-064, AEE-C05…C08)', (intent, payload, fits) => {
    expect(registry.validate(intent, 'result', payload).kind).toBe(fits ? 'valid' : 'invalid')
  })
})

test('an error tells programs, people, and whether to try again, and may tell more (AEE-029, AEE-030)', () => {
  const whole = { code: 'E_BUSY', message: 'Try later.', retryable: true }

  for (const intent of aeeIntents()) {
    expect(registry.validate(intent, 'error', { ...whole, backoff_ms: 5, evidence_refs: [] }).kind).toBe(
      'valid',
    )
    for (const name of Object.keys(whole)) {
      const errors = [`"payload.${name}" is required.`]
      const partial = Object.fromEntries(Object.entries(whole).filter(([member]) => member !== name))
      expect(registry.validate(intent, 'error', partial)).toEqual({ kind: 'invalid', errors })
    }
  }
})

test('a task is read as its schema admits it, own members only', () => {
  const inherited = Object.create({ namespace_filter: 'x', corr: 'x' })

  expect(readCapabilityListTask({ namespace_filter: 'ops' })).toEqual({ namespaceFilter: 'ops' })
  expect(readCapabilityListTask(inherited)).toEqual({ namespaceFilter: undefined })
  expect(readContextFetchTask({ id: 'e-1', locator: 'l', hash: 'h' })).toEqual({
    id: 'e-1',
    corr: undefined,
    locator: 'l',
    hash: 'h',
  })
  expect(readContextRefuteTask({ id: 'e-1', reason: 'r' })).toEqual({ id: 'e-1', reason: 'r' })
  expect(readValidatePayloadTask({ intent: 'x.y', payload_to_validate: [1], type_hint: 'result' })).toEqual({
    intent: 'x.y',
    payload: [1],
    variant: 'result',
  })
  expect(readValidatePayloadTask({ intent: 'x.y', payload_to_validate: {} }).variant).toBeUndefined()
})

test('a payload that nobody held against its schema is refused when it is read', () => {
  const refused = { code: 'payload-invalid', field: 'payload.id' }

  expect(refusalOf(() => readContextFetchTask({}))).toEqual(refused)
  expect(refusalOf(() => readContextRefuteTask({ id: 7, reason: 'r' }))).toEqual(refused)
})
