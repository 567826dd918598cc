import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import type { Route } from '../../src/protocol/routes/route.ts'
import { ROUTES } from '../../src/protocol/routes/routes.ts'
import { SCHEMA_NAMES } from '../../src/protocol/published/schemas.ts'
import { READING_VERBS, VERBS } from '../../src/protocol/verb/verbs.ts'
import { SAMPLES } from '../aee/samples.ts'
import { listenFor, sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { validFrame } from '../support/frames.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

test('the OpenAPI document has every route, with its media types, parameters and answers (docs/http.md §10)', async () => {
  const { status, headers, body } = await shared.get('/v1/openapi.json')

  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json')
  expect(body.openapi).toMatch(/^3\.1\./)
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const operation = body.paths[route.path]?.[route.method.toLowerCase()]
    expect(operation?.operationId).toBe(name)
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual([...route.takes])
    const inPath = operation.parameters
      .filter((parameter: { in: string }) => parameter.in === 'path')
      .map((parameter: { name: string }) => `{${parameter.name}}`)
    expect(inPath).toEqual(route.path.match(/\{\w+\}/g) ?? [])
    expect(Object.keys(operation.responses)).toContain('default')
  }
  const operations = Object.values<object>(body.paths).flatMap((path) => Object.keys(path))
  expect(operations).toHaveLength(Object.keys(ROUTES).length)
})

test('the OpenAPI document names the query parameters that a route takes (docs/http.md §6)', async () => {
  const { body } = await shared.get('/v1/openapi.json')

  const names = body.paths['/v1/handles/{handle}/stream'].get.parameters.map(
    (one: { name: string }) => one.name,
  )
  expect(names).toEqual([
    'handle',
    'filter',
    'after',
    'replay',
    'instrument',
    'session_id',
    'tool',
    'entities',
    'aside',
    'profile',
  ])
})

test.each(SCHEMA_NAMES)(
  'the schema "%s" answers as JSON Schema draft 2020-12 (docs/http.md §10)',
  async (name) => {
    const { status, headers, body } = await shared.get(`/v1/schemas/${name}`)

    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/schema+json')
    expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  },
)

test('there is a schema for the frame, for each payload and for each verb (docs/http.md §10)', () => {
  const verbs = [...Object.keys(VERBS), ...Object.keys(READING_VERBS)]

  for (const name of ['frame', 'submission', ...KIND_NAMES]) expect(SCHEMA_NAMES).toContain(name)
  for (const verb of verbs)
    expect(SCHEMA_NAMES.some((name) => name === verb || name === `${verb}-verb`)).toBe(true)
})

test('the metrics are Prometheus text, each with help and type, and count what happened (docs/http.md §10)', async () => {
  const session = await shared.register({ mailbox: true })
  using stream = await shared.listen(undefined)
  const frame = validFrame()
  await shared.post('/v1/frames', { frame })
  await shared.post('/v1/frames', { frame })
  await stream.frames(1)

  const { status, headers, text } = await shared.get('/v1/metrics')

  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const values = new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  )
  for (const name of values.keys()) {
    expect(text).toContain(`# HELP ${name} `)
    expect(text).toMatch(new RegExp(`# TYPE ${name} (counter|gauge)`))
    expect(name).toMatch(/^agentd_[a-z_]+$/)
  }
  expect(Object.fromEntries(values)).toMatchObject({
    agentd_frames_accepted_total: 1,
    agentd_frames_duplicate_total: 1,
    agentd_deliveries_emitted_total: 1,
    agentd_deliveries_queued_total: 1,
    agentd_streams_opened_total: 1,
    agentd_streams_cut_slow_total: 0,
    agentd_gaps_told_total: 0,
    agentd_sessions: 2,
    agentd_subscriptions: 1,
    agentd_ring_frames: 1,
  })
  expect(text).not.toContain(session.token)
})

test('the OpenAPI document has the routes of envelopes, with what they take and answer (docs/http.md §§9, 10)', async () => {
  const { body } = await shared.get('/v1/openapi.json')

  for (const [path, method, takes] of [
    ['/v1/envelopes', 'post', ['application/json', 'application/x-ndjson']],
    ['/v1/envelopes/{id}', 'get', []],
    ['/v1/envelopes/{id}/receipts', 'get', []],
    ['/v1/threads', 'get', []],
    ['/v1/threads/{corr}', 'get', []],
    ['/v1/log', 'post', ['application/json', 'application/x-ndjson']],
  ] as const) {
    const operation = body.paths[path]?.[method]
    expect([path, Object.keys(operation?.requestBody?.content ?? {})]).toEqual([path, [...takes]])
    expect(operation.responses['200'].content).toHaveProperty(['application/json'])
  }
  const names = body.paths['/v1/threads/{corr}'].get.parameters.map((one: { name: string }) => one.name)
  expect(names).toEqual(['corr', 'after', 'limit'])
})

const AEE_INTENTS = [
  'aee.status.ping',
  'aee.status.health',
  'aee.spec.query',
  'aee.capability.list',
  'aee.context.fetch',
  'aee.context.refute',
  'aee.validate.payload',
]

test.each(['aee-v1', ...AEE_INTENTS.flatMap((intent) => [`${intent}.task`, `${intent}.result`])])(
  'the schema "%s" is published and compiles (AEE-023, AEE-067)',
  async (name) => {
    const { status, headers, body } = await shared.get(`/v1/schemas/${name}`)

    expect([status, headers['content-type']]).toEqual([200, 'application/schema+json'])
    expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(new Ajv2020({ strict: false }).compile(body)).toBeTypeOf('function')
  },
)

test('the published schema of the envelope and the daemon judge alike (AEE-023, docs/requirements.md §2.1)', async () => {
  const { body } = await shared.get('/v1/schemas/aee-v1')
  const isValid = new Ajv2020({ strict: false }).compile(body)
  const members = { to: 'bus.ops', from: 'agent.sender', ts: new Date().toISOString(), sig: null }
  const changes: readonly Readonly<Record<string, unknown>>[] = [
    {},
    ...Object.keys(validEnvelope()).map((name) => ({ [name]: undefined })),
    ...Object.keys(validEnvelope()).map((name) => ({ [name]: 5 })),
    ...Object.keys(validEnvelope()).map((name) => ({ [name]: '' })),
    { id: '1234567' },
    { id: '🎉'.repeat(7) },
    { id: `🎉🎉🎉🎉🎉🎉🎉${Date.now()}` },
    { type: 'result' },
    { type: 'error', reply_to: '1234567' },
    { type: 'result', reply_to: '12345678' },
    { type: 'event', reply_to: 'x' },
    { trace: {} },
    { trace: { trace_id: null } },
    { trace: { span_id: 1 } },
    { trace: { trace_id: 'a', more: 1 } },
    { requires: { timeout_ms: 'soon' } },
    { x: 1 },
  ]
  const envelopes = [
    ...SAMPLES.map(([, sample]) => ({ ...sample, ...members })),
    ...changes.map((change) => validEnvelope(change)),
  ]

  for (const envelope of envelopes) {
    const { status, body: answer } = await sendEnvelope(shared.socket, envelope)
    const isStructural = status === 400
    expect([envelope, isStructural, answer.code]).toEqual([envelope, !isValid(envelope), answer.code])
  }
})

test('the metrics count envelopes apart from frames: taken, repeated, capped, late (docs/http.md §10)', async () => {
  using stream = await listenFor(shared.socket, 'bus.metrics')
  const read = async () => {
    const { text } = await shared.get('/v1/metrics')
    const valueOf = (name: string) => Number(new RegExp(`^agentd_${name} (\\d+)$`, 'm').exec(text)?.[1])
    return [
      'envelopes_accepted_total',
      'envelopes_duplicate_total',
      'envelopes_late_total',
      'frames_accepted_total',
      'deliveries_emitted_total',
    ].map(valueOf)
  }
  const before = await read()
  const task = validEnvelope({ to: 'bus.metrics' })
  const reply = (type: string) =>
    validEnvelope({ to: 'bus.metrics', type, corr: task.corr, reply_to: task.id })
  for (const one of [task, task, reply('result'), reply('stream')]) await sendEnvelope(shared.socket, one)
  await sendEnvelope(shared.socket, validEnvelope({ type: 'x' }))
  for (let i = 0; i < 3; i += 1) await stream.next('aee_envelope')

  const after = await read()

  expect(after.map((value, i) => value - (before[i] ?? 0))).toEqual([3, 1, 1, 0, 3])
})
