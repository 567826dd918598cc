import { expect, test } from 'vitest'
import { KIND_NAMES } from '../../src/protocol/kinds.ts'
import type { Route } from '../../src/protocol/route.ts'
import { ROUTES } from '../../src/protocol/routes.ts'
import { SCHEMA_NAMES } from '../../src/protocol/schemas.ts'
import { READING_VERBS, VERBS } from '../../src/protocol/verbs.ts'
import { validFrame } from '../support/frames.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

test('the OpenAPI document has every route, with its media types, parameters and answers (wire §10)', async () => {
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

test('the OpenAPI document names the query parameters that a route takes (wire §6)', async () => {
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
  ])
})

test('every reference inside the OpenAPI document leads somewhere', async () => {
  const { body, text } = await shared.get('/v1/openapi.json')

  for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/(components[^"]*)"/g)) {
    const found: unknown = pointer.split('/').reduce((at, step) => at?.[step], body)
    expect([pointer, typeof found]).toEqual([pointer, 'object'])
  }
})

test.each(SCHEMA_NAMES)('the schema "%s" answers as JSON Schema draft 2020-12 (wire §10)', async (name) => {
  const { status, headers, body } = await shared.get(`/v1/schemas/${name}`)

  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/schema+json')
  expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
})

test('there is a schema for the frame, for each payload and for each verb (wire §10)', () => {
  const verbs = [...Object.keys(VERBS), ...Object.keys(READING_VERBS)]

  for (const name of ['frame', 'submission', ...KIND_NAMES]) expect(SCHEMA_NAMES).toContain(name)
  for (const verb of verbs)
    expect(SCHEMA_NAMES.some((name) => name === verb || name === `${verb}-verb`)).toBe(true)
})

test('the metrics are Prometheus text, each with help and type, and count what happened (wire §10)', async () => {
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
