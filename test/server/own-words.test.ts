/**
 * Every refusal is a sentence of ours: whoever reads it has not heard of the library that found the fault (AC-159,
 * docs/errors.md). Each member of each body that a route takes is given values it cannot hold.
 */
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import type { Route } from '../../src/protocol/routes/route.ts'
import { ROUTES } from '../../src/protocol/routes/routes.ts'
import { READING_VERBS, VERBS } from '../../src/protocol/verb/verbs.ts'
import { readQuery } from '../../src/server/request/query.ts'
import { brokenFrame, validFrame, validPayload, withMembers } from '../support/frames.ts'
import { request } from '../support/http.ts'
import { PAYLOAD_TABLE, withValueAt } from '../protocol/frame/payload-table.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

/** How zod begins and goes on, and what we say where we have no better words. */
const NOT_OURS =
  /Invalid (?:input|option|string|key|element|union|number|format)|expected .*received|Too (?:big|small)|Unrecognized|must match pattern|[<>]=|ZodError|invalid_type|does not have the form/i

/** A refusal begins with the field, or as a sentence does, and ends as one. */
const SENTENCE = /^["~A-Z{].*[.!?]$/s

const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  '',
  'x y',
  '\uD800',
  'x'.repeat(5_000),
  [],
  [null],
  [{}],
  ['\uD800'],
  {},
  { x: null },
]

/** What every member of an object may be, one at a time. */
function spoiled(object: Readonly<Record<string, unknown>>): readonly unknown[] {
  const names = Object.keys(object)
  const bodies = names.flatMap((name) =>
    [undefined, ...JUNK].map((junk) => withMembers(object, { [name]: junk })),
  )
  return [...bodies, { ...object, stranger: 1 }, ...JUNK]
}

/** The member names of an object's schema. */
function namesOf(schema: z.ZodType | undefined): readonly string[] {
  const shape: unknown = schema === undefined ? {} : Reflect.get(schema.def, 'shape')
  return Object.keys(Object(shape))
}

/** Each member once, holding nothing that it could. */
function hollow(names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, null]))
}

/** Sends each, and returns what was said of those that were refused. */
async function refusalsOf(
  path: string,
  bodies: readonly unknown[],
  token?: string,
): Promise<readonly string[]> {
  const said: string[] = []
  for (const json of bodies) {
    const body = JSON.stringify(json) ?? 'null'
    const headers = { 'content-type': 'application/json' }
    const answer = await request(shared.socket, path, {
      method: 'POST',
      headers,
      body,
      ...(token !== undefined && { token }),
    })
    if (answer.status >= 400) said.push(String(answer.body?.message))
  }
  return said
}

function expectOurs(said: readonly string[], least: number): void {
  expect(said.filter((sentence) => NOT_OURS.test(sentence) || !SENTENCE.test(sentence))).toEqual([])
  expect(said.length).toBeGreaterThanOrEqual(least)
}

describe('what a frame is refused with', () => {
  test('is ours, whichever member is at fault (AC-159)', async () => {
    const frame = { ...validFrame('agent_advisory', { ttl_ms: 1, provenance_return_ref: 'x' }) }
    const wrapped = spoiled(frame).map((one) => ({ frame: one }))

    expectOurs(await refusalsOf('/v1/frames', [...wrapped, ...spoiled({ frame, recipient_scope: 'x' })]), 150)
  })

  test.each(KIND_NAMES)('is ours, whichever member of a payload of %s is (AC-159)', async (kind) => {
    const payloads = PAYLOAD_TABLE[kind].flatMap(([path]) =>
      JUNK.map((junk) => withValueAt(validPayload(kind), path, junk)),
    )
    const bodies = [...payloads, ...JUNK].map((payload) => ({ frame: brokenFrame(kind, { payload }) }))

    expectOurs(await refusalsOf('/v1/frames', bodies), 20)
  })
})

const BODIES: readonly (readonly [name: string, route: Route])[] = Object.entries<Route>(ROUTES).filter(
  ([name, { method, takes, onlyLinked }]) =>
    method === 'POST' && takes.length > 0 && name !== 'serveMcp' && onlyLinked !== true,
)

test.each(BODIES)('the body of %s is refused in words of ours (AC-159)', async (_, route) => {
  const { token } = await shared.register({ mailbox: true })
  const path = route.path.replace('{runtime}', 'claude-code').replace('{verb}', 'agent_advise')
  const bodies = spoiled({ ...hollow(namesOf(route.request)), id: 'x', v: '1', type: 'task' })

  expectOurs(await refusalsOf(path, bodies, token), 1)
})

const CALLS = Object.entries({
  ...Object.fromEntries(Object.entries(VERBS).map(([name, { shape }]) => [name, Object.keys(shape)])),
  ...Object.fromEntries(Object.entries(READING_VERBS).map(([name, args]) => [name, namesOf(args)])),
})

test.each(CALLS)('the arguments of %s are refused in words of ours (AC-159, AC-172)', async (verb, names) => {
  const bodies = names.flatMap((name) => JUNK.map((junk) => ({ [name]: junk })))
  const path = `/v1/verbs/${verb}`

  expectOurs(await refusalsOf(path, [...bodies, ...JUNK, { ...hollow(names), stranger: 1 }]), 20)
})

test('an envelope is refused in words of ours (AEE-070)', async () => {
  const envelope = {
    v: '1',
    id: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
    ts: new Date().toISOString(),
    type: 'result',
    from: 'agent.a',
    to: 'agent.b',
    intent: 'ops.backup.check',
    corr: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
    reply_to: null,
    trace: null,
    priority: 'high',
    requires: null,
    payload: {},
    sig: null,
  }

  expectOurs(await refusalsOf('/v1/envelopes', spoiled(envelope)), 100)
})

test('a query string is refused in words of ours, on every route (AC-159, ACQ-27)', () => {
  const junk = ['', '-1', '1e9', '999999999', 'x y', '\u0000', '~A', 'x'.repeat(5_000)]
  const said = Object.values<Route>(ROUTES).flatMap(({ query }) =>
    [...namesOf(query), 'stranger'].flatMap((name) =>
      junk.flatMap((value) => sentenceOf(() => readQuery(query, `${name}=${encodeURIComponent(value)}`))),
    ),
  )

  expectOurs(said, 150)
})

test('what a tool is called with is refused in words of ours (PD-06)', async () => {
  const names = [
    'kind',
    'text',
    'id',
    'refs',
    'to',
    'extra',
    'as',
    'max',
    'peek',
    'resource',
    'action',
    'timeout_s',
  ]
  const tools = ['agentd_send', 'agentd_inbox', 'agentd_roster', 'agentd_ask', 'agentd_lock']
  const calls = tools.flatMap((name) =>
    names.flatMap((argument) => JUNK.slice(0, 12).map((junk) => ({ name, arguments: { [argument]: junk } }))),
  )
  const malformed = [{}, { name: 1 }, { name: 'agentd_send', arguments: [] }, null, []]
  const params = [...calls, ...malformed]
  const lines = params.map((one, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: one }),
  )
  const hello = {
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  }

  const { text } = await request(shared.socket, '/v1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: [JSON.stringify(hello), ...lines, ''].join('\n'),
  })

  expect(text.split('\n').filter((line) => NOT_OURS.test(line))).toEqual([])
  expect(text.split('\n').length).toBeGreaterThan(params.length)
})

/** What was said of it; nothing for what was taken. */
function sentenceOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
