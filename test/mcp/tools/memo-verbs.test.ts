/** The ten verbs of the memo by its own names, for a host that asks for them (memo §9, AC-172). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { MEMO_TOOLS } from '../../../src/mcp/tools/memo-tools.ts'
import { TOOLS } from '../../../src/mcp/tools/tools.ts'
import { agentd } from '../../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { openStream, post, request } from '../../support/http.ts'
import { AGENTD } from '../../cli/support.ts'
import { connectHost } from '../support/connection.ts'
import { hostOfProcess, type Called, type Host } from '../support/host.ts'

/** In the order of the memo. */
const TEN = [
  'agent_send',
  'agent_advise',
  'agent_broadcast',
  'agent_handover',
  'agent_lock_acquire',
  'agent_lock_release',
  'agent_lease_extend',
  'agent_query',
  'agent_roster',
  'agent_subscribe',
]

const Listed = z.object({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })),
})
const Subscribed = z.object({ socket: z.string(), url: z.string(), address: z.string(), token: z.string() })

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

async function open(): Promise<Host> {
  const host = connectHost(daemon.socket, { verbs: 'memo' })
  await host.open()
  return host
}

function done({ isError, facts }: Called): Readonly<Record<string, unknown>> {
  if (isError) throw new Error(JSON.stringify(facts))
  return facts
}

/** The newest frame that is retained. */
// oxlint-disable-next-line typescript/no-explicit-any
async function newest(): Promise<any> {
  return (await request(daemon.socket, '/v1/frames?limit=1')).body.items[0]
}

test('are listed when they are asked for, and by default agentd’s own (AC-172)', async () => {
  await using host = await open()
  await using usual = connectHost(daemon.socket)
  await usual.open()

  const { tools } = Listed.parse((await host.request('tools/list')).result)

  expect(tools.map(({ name }) => name)).toEqual(TEN)
  const own = Listed.parse((await usual.request('tools/list')).result).tools.map(({ name }) => name)
  expect(own).toEqual(TOOLS.map(({ definition }) => definition.name))
})

describe('each that sends', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    [
      'agent_send',
      { kind: 'agent_return_event', payload: { return_event_ref: 'run/1', summary: 'green' } },
      {},
    ],
    ['agent_advise', { text: 'editing', file_refs: ['src/a.ts'] }, { kind: 'agent_advisory' }],
    ['agent_broadcast', { text: 'merged', event_class: 'merged' }, { kind: 'agent_broadcast' }],
    ['agent_handover', { body: 'two tests are red' }, { kind: 'agent_handover' }],
    ['agent_lock_acquire', { resource: 'src/a.ts', ttl_ms: 1_000 }, { kind: 'agent_lock_request' }],
    ['agent_lock_release', { lease_id: crypto.randomUUID() }, { kind: 'agent_lock_release' }],
    ['agent_lease_extend', { lease_id: crypto.randomUUID() }, { kind: 'agent_lease_extend' }],
    ['agent_query', { text: 'who?' }, { kind: 'agent_query' }],
  ]

  test.each(cases)(
    '%s submits its frame and answers what becomes of it (memo §9)',
    async (verb, args, frame) => {
      await using host = await open()

      const facts = done(await host.call(verb, { as: 'memoist', recipient_scope: '~alice/*', ...args }))

      const item = await newest()
      expect(item).toMatchObject({ scope: '~alice/*', frame: { frame_id: facts['frame_id'], ...frame } })
      expect(facts).toMatchObject({ reached: expect.any(Number), queued: expect.any(Number) })
      const id = { agent_query: 'query_id', agent_lock_acquire: 'lease_id' }[verb]
      if (id !== undefined) expect(facts[id]).toBe(item.frame.payload[id])
    },
  )

  test('refuses what the verb refuses, in its words', async () => {
    await using host = await open()

    const { isError, facts } = await host.call('agent_advise', { as: 'memoist', text: 'x', colour: 'red' })

    expect({ isError, facts }).toMatchObject({
      isError: true,
      facts: { error: { code: 'field-unknown', field: 'colour' } },
    })
  })
})

test('agent_subscribe says where to read, agent_query that its answers go there, and both come true (memo §9)', async () => {
  await using host = await open()
  const told = Subscribed.parse(
    done(await host.call('agent_subscribe', { as: 'asker', filter: 'kind:agent_response' })),
  )
  const again = Subscribed.parse(done(await host.call('agent_subscribe', { filter: 'kind:agent_query' })))
  using stream = await openStream(told.socket, told.url, { token: told.token })
  const { query_id: queryId } = done(
    await host.call('agent_query', { text: 'who has auth?', response_scope: told.address }),
  )

  const answered = await post(daemon.socket, '/v1/verbs/agent_respond', { query_id: queryId, text: 'I have' })

  expect(answered.body).toMatchObject({ recipient_count: 1 })
  const event = await stream.next()
  expect(JSON.parse(event.data)).toMatchObject({ kind: 'agent_response', payload: { query_id: queryId } })
  expect(event.event).toBeUndefined()
  expect(again).toMatchObject({ address: told.address, token: told.token })
})

test('agent_subscribe refuses a filter that nobody knows (AC-157), and what it opened ends with the connection', async () => {
  const host = await open()
  const refused = await host.call('agent_subscribe', { as: 'asker', filter: 'colour:red' })
  const { token } = Subscribed.parse(done(await host.call('agent_subscribe')))

  await host[Symbol.asyncDispose]()

  expect(refused.facts).toMatchObject({ error: { code: 'filter-axis-unknown', field: 'filter' } })
  expect((await request(daemon.socket, '/v1/sessions/self', { token })).status).toBe(401)
})

test('agent_roster names who a scope would reach, oneself among them', async () => {
  await using host = await open()
  await post(daemon.socket, '/v1/sessions', { instrument: 'codex', session_id: 'r1', mailbox: true })

  const { you, sessions } = done(await host.call('agent_roster', { as: 'lister' }))

  expect(sessions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ address: '~alice/codex@r1', instrument: 'codex', session_id: 'r1' }),
      expect.objectContaining({ address: you }),
    ]),
  )
})

test.each([
  ['through the daemon', [AGENTD, 'mcp', '--verbs', 'memo']],
  ['by the long way', [AGENTD, 'mcp', '--verbs=memo']],
  [
    'without a daemon',
    [AGENTD, 'mcp', '--verbs', 'memo', '--no-start', '--socket', '/nonexistent/agentd.sock'],
  ],
])('agentd mcp --verbs memo serves them %s', async (_, args) => {
  await using host = hostOfProcess({ args, env: daemon.env })
  await host.open()

  const { tools } = Listed.parse((await host.request('tools/list')).result)

  expect(tools.map(({ name }) => name)).toEqual(MEMO_TOOLS.map(({ definition }) => definition.name))
})

test('another set of verbs is refused, by the command and by the route', async () => {
  const { code, stderr } = await agentd(daemon.env, ['mcp', '--verbs', 'alter'])
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, body } = await request(daemon.socket, '/v1/mcp?verbs=alter', { headers, body: '' })

  expect({ code, status }).toEqual({ code: 2, status: 400 })
  expect(stderr).toContain('agentd, memo')
  expect(body).toMatchObject({ code: 'field-invalid', field: 'verbs' })
})
