/**
 * What `service.agentd` answers (AEE-058…AEE-064, AEQ-10, AEQ-18, AEQ-23).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../../../src/aee/envelope/canonical.ts'
import { decodeEnvelopeText, parseEnvelope } from '../../../src/aee/envelope/envelope.ts'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import { aeeIntents } from '../../../src/aee/intents/intents.ts'
import { SchemaRegistry } from '../../../src/aee/schemas/registry.ts'
import { answerTask } from '../../../src/aee/service/answers.ts'
import type { ServiceFacts, ServicePorts } from '../../../src/aee/service/answers.ts'
import { MAX_ENVELOPE_OCTETS } from '../../../src/core/limits.ts'
import { E0 } from '../samples.ts'

const registry = new SchemaRegistry([
  {
    name: 'ops.probe.task.schema.json',
    text: '{"required":["host"],"properties":{"host":{}},"additionalProperties":false}',
  },
  { name: 'ops.probe.result.schema.json', text: '{"type":"object","required":["open"]}' },
  { name: 'ops.tell.error.schema.json', text: '{"type":"object","required":["code"]}' },
])

const FACTS: ServiceFacts = {
  status: 'healthy',
  details: [],
  version: '0.1.0',
  extensions: ['aee.ext.agentd'],
  nowIso: '2026-11-20T00:00:00.000Z',
  knownIntents: registry.intents,
}

/** A store with one envelope that the requester may see. */
const STORED = JSON.stringify(E0)
const PORTS: ServicePorts = {
  findEnvelope: (id, corr) => (id === E0.id && (corr === undefined || corr === E0.corr) ? STORED : undefined),
  refute: (id) => id === E0.id,
  validate: (intent, variant, payload) => registry.validate(intent, variant, payload),
}

function task(
  intent: string,
  payload: unknown = {},
  changes: Readonly<Record<string, unknown>> = {},
): Envelope {
  return parseEnvelope({ ...E0, to: 'service.agentd', intent, payload, ...changes })
}

interface Asked {
  readonly facts?: Partial<ServiceFacts>
  readonly ports?: Partial<ServicePorts>
}

/** The type and the payload of an answer, which fits the schema that its intent has for it. */
function answerTo(asked: Envelope, { facts, ports }: Asked = {}): { type: string; payload: unknown } {
  const { type, payloadText } = answerTask(asked, { ...FACTS, ...facts }, { ...PORTS, ...ports })
  const payload: unknown = JSON.parse(payloadText)
  const intent = registry.intents.includes(asked.intent) ? asked.intent : 'aee.status.ping'
  expect(registry.validate(intent, type, payload)).toEqual({ kind: 'valid' })
  return { type, payload }
}

/** What an error looks like to programs. */
function failureOf(code: string, says = '') {
  return { type: 'error', payload: { code, message: expect.stringContaining(says), retryable: false } }
}

/** The answer to who fetches an envelope with this payload. */
function fetched(payload: unknown) {
  const stored = JSON.stringify({ ...E0, payload })
  return answerTo(task('aee.context.fetch', { id: E0.id }), { ports: { findEnvelope: () => stored } })
}

/** What is said of a payload that nothing is known of. */
/** A port that nobody is to use. */
function never(): never {
  throw new Error('it was done')
}

describe('status', () => {
  test('a ping is answered with a pong (AEE-058, AEE-C05)', () => {
    expect(answerTo(task('aee.status.ping'))).toEqual({
      type: 'result',
      payload: { pong: true, ts: FACTS.nowIso },
    })
  })

  test('health is a state, with what it rests on when there is something (AEE-059, AEE-C06)', () => {
    expect(answerTo(task('aee.status.health'))).toEqual({ type: 'result', payload: { status: 'healthy' } })
    const facts = { status: 'degraded', details: ['The store is full.'] } as const
    expect(answerTo(task('aee.status.health'), { facts }).payload).toEqual({
      status: 'degraded',
      details: { notes: ['The store is full.'] },
    })
  })

  test('the version of the envelope and the extensions are told (AEE-060, AEE-C10)', () => {
    expect(answerTo(task('aee.spec.query')).payload).toEqual({
      aee_version: '1',
      extensions: ['aee.ext.agentd'],
      implementation: 'agentd/0.1.0',
    })
  })
})

describe('capabilities', () => {
  const knownIntents = ['aee.status.health', 'aee.status.ping', 'aee.statusx.y', 'ops.probe', 'ops']

  test.each([
    [undefined, knownIntents],
    ['', knownIntents],
    ['*', knownIntents],
    ['aee', ['aee.status.health', 'aee.status.ping', 'aee.statusx.y']],
    ['aee.', ['aee.status.health', 'aee.status.ping', 'aee.statusx.y']],
    ['aee.*', ['aee.status.health', 'aee.status.ping', 'aee.statusx.y']],
    ['aee.status', ['aee.status.health', 'aee.status.ping']],
    ['aee.status.ping', ['aee.status.ping']],
    ['ops.*', ['ops.probe', 'ops']],
    ['op', []],
    ['OPS', []],
  ])('the filter %j leaves what is at or below it (AEE-061)', (filter, intents) => {
    const payload = filter === undefined ? {} : { namespace_filter: filter }

    expect(answerTo(task('aee.capability.list', payload), { facts: { knownIntents } }).payload).toEqual({
      intents,
    })
  })
})

describe('context', () => {
  const hash = hashOf(E0)

  test('an envelope is fetched byte for byte, with its hash (AEE-062, AEE-C07, AEQ-22)', () => {
    const stored = STORED.replace('"priority":', '"unknown":  1.0, "priority":')
    const ports = { findEnvelope: () => stored }

    const answer = answerTask(task('aee.context.fetch', { id: E0.id }), FACTS, { ...PORTS, ...ports })

    expect(answer.payloadText).toBe(
      `{"found":true,"envelope":${stored},"hash":"${hashOf(JSON.parse(stored))}"}`,
    )
    expect(answerTo(task('aee.context.fetch', { id: E0.id }), { ports }).type).toBe('result')
  })

  test.each([
    [{ id: E0.id, corr: E0.corr }],
    [{ id: E0.id, locator: `store://envelopes/${E0.id}`, hash }],
    [{ id: E0.id, locator: 'https://elsewhere.example/e/1' }],
    [{ id: E0.id, hash: hash.toUpperCase() }],
  ])('%j finds it', (payload) => {
    expect(answerTo(task('aee.context.fetch', payload)).payload).toEqual({ found: true, envelope: E0, hash })
  })

  test.each([
    [{ id: 'another-id' }],
    [{ id: E0.id, corr: 'another-corr' }],
    [{ id: E0.id, locator: 'store://envelopes/another-id' }],
    [{ id: 'another-id', locator: `store://envelopes/${E0.id}` }],
    [{ id: 'another-id', hash }],
  ])('%j finds nothing, whether there is something or not (AEQ-23)', (payload) => {
    expect(answerTo(task('aee.context.fetch', payload))).toEqual({
      type: 'result',
      payload: { found: false },
    })
  })

  test.each([`sha256:${'0'.repeat(64)}`, hash.slice(7), hash.replace('sha256', 'sha512'), 'x', ''])(
    'the hash %j is another, and the answer says so (AEQ-23)',
    (other) => {
      expect(answerTo(task('aee.context.fetch', { id: E0.id, hash: other }))).toEqual(
        failureOf('E_HASH_MISMATCH', hash),
      )
    },
  )

  test('an envelope without a canonical form is fetched without a hash, and matches none', () => {
    const ports = { findEnvelope: () => STORED.replace('"24h"', '1e999') }
    const asked = { id: E0.id }

    const answer = answerTask(task('aee.context.fetch', asked), FACTS, { ...PORTS, ...ports })

    expect(answer.payloadText).toBe(`{"found":true,"envelope":${ports.findEnvelope()}}`)
    expect(answerTo(task('aee.context.fetch', { ...asked, hash }), { ports })).toEqual(
      failureOf('E_HASH_MISMATCH'),
    )
  })

  test('an envelope that no other can hold is an error that says where it is', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })
    const tooLarge = failureOf('E_TOO_LARGE', 'GET /v1/envelopes/{id}')

    expect(fetched({ s: 'x'.repeat(MAX_ENVELOPE_OCTETS - 6_000) }).type).toBe('result')
    expect(fetched({ s: 'x'.repeat(MAX_ENVELOPE_OCTETS - 2_000) })).toEqual(tooLarge)
    expect(fetched(nested(61)).type).toBe('result')
    expect(fetched(nested(62))).toEqual(tooLarge)
  })

  test('a refutation is acknowledged when it is on record (AEE-063)', () => {
    const said: string[] = []
    const ports = { refute: (id: string, reason: string) => said.push(`${id} ${reason}`) > 0 && id === E0.id }
    const refute = (id: string) =>
      answerTo(task('aee.context.refute', { id, reason: 'It is old.' }), { ports })

    expect(refute(E0.id).payload).toEqual({ acknowledged: true })
    expect(refute('another-id').payload).toEqual({ acknowledged: false })
    expect(said).toEqual([`${E0.id} It is old.`, 'another-id It is old.'])
  })
})

describe('validation', () => {
  test.each([
    [{ intent: 'ops.probe', payload_to_validate: { host: 'x' } }, { valid: true }],
    [
      { intent: 'ops.probe', payload_to_validate: { open: true } },
      {
        valid: false,
        errors: ['"payload.host" is required.', '"payload.open" is not a member it may have.'],
      },
    ],
    [{ intent: 'ops.probe', payload_to_validate: { open: true }, type_hint: 'result' }, { valid: true }],
    [{ intent: 'ops.tell', payload_to_validate: { code: 1 } }, { valid: true }],
    [
      { intent: 'ops.probe', payload_to_validate: [1] },
      { valid: false, errors: ['"payload" must be an object.'] },
    ],
    [
      { intent: 'aee.status.ping', payload_to_validate: { pong: true }, type_hint: 'result' },
      { valid: true },
    ],
  ])('%j: %j (AEE-064, AEE-C08)', (payload, expected) => {
    expect(answerTo(task('aee.validate.payload', payload))).toEqual({ type: 'result', payload: expected })
  })

  test.each([
    [{ intent: 'ops.tell', payload_to_validate: {}, type_hint: 'task' }, 'the task of "ops.tell"'],
    [{ intent: 'ops.other', payload_to_validate: {} }, '"ops.other"'],
  ])('of what nobody has published a schema for is not done: %j (AEE-056, AEE-064)', (payload, what) => {
    expect(answerTo(task('aee.validate.payload', payload))).toEqual(
      failureOf('E_SCHEMA_UNKNOWN', `no schema for ${what};`),
    )
  })
})

describe('what is not done', () => {
  test.each(['ops.backup.status.check', 'aee.made.up', 'aee.ext.acme.probe', '__proto__', 'toString'])(
    '%s is no intent of the daemon (AEQ-18)',
    (intent) => {
      expect(answerTo(task(intent))).toEqual(failureOf('E_UNSUPPORTED_INTENT', `"${intent}"`))
    },
  )

  test('an intent is repeated on one line and within bounds', () => {
    const { payloadText } = answerTask(task(`x\u001b[31m\n${'y'.repeat(100_000)}`), FACTS, PORTS)

    expect(payloadText.length).toBeLessThan(400)
    expect(payloadText).not.toMatch(/\\u001b|\\n/)
  })

  test.each(aeeIntents().map((intent) => [intent]))(
    '%s is not done while it waits for a person (AEQ-10)',
    (intent) => {
      const payload = { id: E0.id, reason: 'r', intent: 'ops.probe', payload_to_validate: {} }
      const ports = { findEnvelope: never, refute: never, validate: never }

      expect(answerTo(task(intent, payload, { requires: { human_approval: true } }), { ports })).toEqual(
        failureOf('E_APPROVAL_REQUIRED'),
      )
    },
  )

  test('what requires says otherwise changes nothing (AEE-018, AEQ-09)', () => {
    const requires = { human_approval: 'yes', timeout_ms: 0, unknown: {} }

    expect(answerTo(task('aee.status.ping', {}, { requires })).type).toBe('result')
  })

  test.each([
    ['aee.status.ping', { x: 1 }, '"payload.x" is not a member it may have.'],
    ['aee.context.fetch', {}, '"payload.id" is required.'],
    ['aee.context.refute', { id: 'x' }, '"payload.reason" is required.'],
    ['aee.validate.payload', { intent: 'x.y' }, '"payload.payload_to_validate" is required.'],
  ])('%s with %j is told what is wrong', (intent, payload, sentence) => {
    expect(answerTo(task(intent, payload))).toEqual({
      type: 'error',
      payload: {
        code: 'E_INVALID_PAYLOAD',
        message: expect.any(String),
        retryable: false,
        errors: [sentence],
      },
    })
  })

  test('an answer that no envelope has room for is an error', () => {
    const knownIntents = Array.from({ length: 50_000 }, (_, at) => `ops.long.name.of.an.intent.${at}`)

    expect(answerTo(task('aee.capability.list'), { facts: { knownIntents } })).toEqual(
      failureOf('E_TOO_LARGE', 'ask for less'),
    )
  })
})

describe('every answer', () => {
  const text = fc.oneof(fc.constantFrom(E0.id, E0.corr, 'ops.probe', 'task', hashOf(E0)), fc.string())
  const payload = fc.oneof(
    fc.record(
      {
        id: text,
        corr: text,
        locator: fc.oneof(
          text,
          text.map((id) => `store://envelopes/${id}`),
        ),
        hash: text,
        reason: text,
        intent: text,
        payload_to_validate: fc.jsonValue(),
        type_hint: fc.constantFrom('task', 'result', 'error', 'event'),
        namespace_filter: text,
        references: fc.array(fc.jsonValue(), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
    fc.constant({}),
  )

  test('fits the schema of its intent, and an envelope can be put around it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...aeeIntents()), payload, (intent, asked) => {
        const asTask = task(intent, asked)

        answerTo(asTask)
        const { type, payloadText } = answerTask(asTask, FACTS, PORTS)

        const head = { ...E0, type, reply_to: asTask.id, payload: undefined }
        const whole = `${JSON.stringify(head).slice(0, -1)},"payload":${payloadText}}`
        expect(decodeEnvelopeText(whole).envelope.type).toBe(type)
      }),
      { numRuns: 500 },
    )
  })

  test('leaves room for what its envelope repeats of a long task', () => {
    const corr = 'c'.repeat(400_000)
    const stored = JSON.stringify({ ...E0, payload: { s: 'x'.repeat(600_000) } })
    const ports = { findEnvelope: () => stored }

    const fetchedBy = (changes: object) =>
      answerTo(task('aee.context.fetch', { id: E0.id }, { ...changes }), { ports })

    expect(fetchedBy({ corr }).type).toBe('result')
    expect(fetchedBy({ corr, from: 'f'.repeat(50_000) })).toEqual(failureOf('E_TOO_LARGE'))
  })
})
