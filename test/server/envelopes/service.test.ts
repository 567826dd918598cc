/**
 * `service.agentd`: what the daemon answers to tasks that are sent to it.
 */
import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import {
  listenFor,
  nextEnvelope,
  sendEnvelope,
  validEnvelope,
  type AnyEnvelope,
} from '../../support/envelopes.ts'
import { request } from '../../support/http.ts'
import { SharedDaemon } from '../shared-daemon.ts'
import { WELL } from '../../support/without-sqlite.ts'

const shared = new SharedDaemon()

/** Asks as an entity of its own, and waits for the answer on that entity's stream. */
async function ask(
  intent: string,
  payload: unknown,
  {
    socket = shared.socket,
    from = `agent.${randomUUID()}`,
    token,
    ...more
  }: Record<string, unknown> & { socket?: string; token?: string } = {},
): Promise<{
  task: AnyEnvelope
  text: string
  answer: Record<string, unknown> & { payload: Record<string, unknown> }
}> {
  using stream = await listenFor(socket, String(from), token === undefined ? {} : { token })
  const task = validEnvelope({ to: 'service.agentd', intent, payload, from, ...more })
  const sent = await sendEnvelope(socket, task, token)
  expect([sent.status, sent.body.recipient_count]).toEqual([200, 1])
  const text = await nextEnvelope(stream)
  return { task, text, answer: JSON.parse(text) }
}

// The first task loads the validator, which takes longer than what a test waits for on a busy machine.
beforeAll(async () => void (await ask('aee.status.ping', {})))

test('a ping is answered with a pong, as a whole envelope that belongs to its task (AEE-024, AEE-058, AEE-C03, AEE-C05, AEE-C22)', async () => {
  const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' }
  const { task, answer } = await ask('aee.status.ping', {}, { trace, priority: 'high' })

  expect(answer).toEqual({
    v: '1',
    id: expect.stringMatching(/^.{8,}$/),
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    type: 'result',
    from: 'service.agentd',
    to: task['from'],
    intent: 'aee.status.ping',
    corr: task.corr,
    reply_to: task.id,
    trace: expect.objectContaining({ trace_id: trace.trace_id, parent_span_id: trace.span_id }),
    priority: 'high',
    requires: null,
    payload: { pong: true, ts: expect.any(String) },
    sig: null,
  })
  const thread = await shared.get(`/v1/threads/${task.corr}`)
  expect(thread.body.items.map((item: { envelope: AnyEnvelope }) => item.envelope.id)).toEqual([
    task.id,
    answer['id'],
  ])
})

test('health, version and capabilities are told (AEE-059, AEE-060, AEE-061, AEE-C06, AEE-C10)', async () => {
  const health = await ask('aee.status.health', {})
  const spec = await ask('aee.spec.query', {})
  const all = await ask('aee.capability.list', {})
  const some = await ask('aee.capability.list', { namespace_filter: 'aee.status.' })
  const none = await ask('aee.capability.list', { namespace_filter: 'ops.' })

  expect(health.answer.payload).toMatchObject({ status: WELL })
  expect(spec.answer.payload).toMatchObject({ aee_version: '1', extensions: expect.any(Array) })
  expect(all.answer.payload['intents']).toHaveLength(7)
  expect(some.answer.payload).toEqual({ intents: ['aee.status.health', 'aee.status.ping'] })
  expect(none.answer.payload).toEqual({ intents: [] })
})

const validate = async (payload: object) => (await ask('aee.validate.payload', payload)).answer.payload

test('a payload is validated for who asks (AEE-064, AEE-C08)', async () => {
  expect(await validate({ intent: 'aee.status.ping', payload_to_validate: {} })).toEqual({ valid: true })
  expect(
    await validate({ intent: 'aee.status.ping', payload_to_validate: { x: 1 }, type_hint: 'task' }),
  ).toMatchObject({
    valid: false,
    errors: [expect.any(String)],
  })
  expect(await validate({ intent: 'ops.unheard.of', payload_to_validate: {} })).toMatchObject({
    code: 'E_SCHEMA_UNKNOWN',
    retryable: false,
  })
})

test('an envelope is fetched byte for byte, with its hash, by who was part of it (AEE-062, AEE-075, AEE-C07, AEQ-22)', async () => {
  const me = `agent.${randomUUID()}`
  const plain = JSON.stringify({ ...validEnvelope({ from: me }), x: undefined })
  const strange = plain.replace(
    '"payload":{',
    String.raw`"x_vendor" : {"__proto__":1,"e":1E+2, "lone":"\ud800"},"payload":{"n":1.0,"s":"\u0041\/",`,
  )
  const id = JSON.parse(plain).id
  await sendEnvelope(shared.socket, strange)
  const other = validEnvelope({ from: me, payload: { b: 1, a: [true, null] } })
  await sendEnvelope(shared.socket, other)

  const { text, answer } = await ask('aee.context.fetch', { id }, { from: me })
  const hashed = await ask('aee.context.fetch', { id: other.id }, { from: me })

  expect(answer['type']).toBe('result')
  expect(text).toContain(`"payload":{"found":true,"envelope":${strange}`)
  // Keys and strings of this one are ASCII, so sorting its keys is all there is to its canonical form.
  const sorted = JSON.stringify(sortKeys(other))
  const hash = `sha256:${createHash('sha256').update(sorted).digest('hex')}`
  expect(hashed.answer.payload).toEqual({ found: true, envelope: other, hash })
  const same = await ask(
    'aee.context.fetch',
    { id: other.id, hash, corr: other.corr, locator: `store://envelopes/${other.id}` },
    { from: me },
  )
  expect(same.answer.payload['found']).toBe(true)
})

test('a wrong hash is an error, and a wrong corr or locator finds nothing (AEQ-23)', async () => {
  const me = `agent.${randomUUID()}`
  const own = validEnvelope({ from: me })
  await sendEnvelope(shared.socket, own)
  const fetch = async (more: object) =>
    (await ask('aee.context.fetch', { id: own.id, ...more }, { from: me })).answer

  expect(await fetch({ hash: `sha256:${'0'.repeat(64)}` })).toMatchObject({
    type: 'error',
    payload: { code: 'E_HASH_MISMATCH', retryable: false, message: expect.any(String) },
  })
  expect((await fetch({ corr: 'another-corr' })).payload).toEqual({ found: false })
  expect((await fetch({ locator: 'store://envelopes/another-id' })).payload).toEqual({ found: false })
})

const payloadOf = (text: string): unknown => JSON.parse(text).payload

test('who was no part of it learns nothing, not even that it is there (AEQ-23)', async () => {
  const channel = `bus.${randomUUID()}`
  const member = await shared.register({ entities: ['agent.member', channel] })
  using _stream = await shared.listen(member)
  const secret = validEnvelope({ from: 'agent.teller', to: channel })
  await sendEnvelope(shared.socket, secret)
  const fetch = async (from: string, id: string, token?: string) =>
    (await ask('aee.context.fetch', { id }, { from, ...(token !== undefined && { token }) })).text

  const stranger = `agent.${randomUUID()}`
  const [hidden, absent] = [await fetch(stranger, secret.id), await fetch(stranger, randomUUID())]

  expect(payloadOf(hidden)).toEqual({ found: false })
  expect(payloadOf(absent)).toEqual(payloadOf(hidden))
  expect(payloadOf(await fetch('agent.teller', secret.id))).toMatchObject({ found: true })
  expect(payloadOf(await fetch('agent.member', secret.id, member.token))).toMatchObject({ found: true })
  // Asking about a workflow does not make one a part of it, whichever corr the task has.
  const nosy = await ask('aee.context.fetch', { id: secret.id }, { from: stranger, corr: secret.corr })
  expect(nosy.answer.payload).toEqual({ found: false })
})

test('a refutation is on record in the thread, acknowledged to who may make it, and to nobody else (AEE-063)', async () => {
  const me = `agent.${randomUUID()}`
  const own = validEnvelope({ from: 'agent.other', to: 'bus.ops', type: 'event' })
  const answer = validEnvelope({ from: me, to: 'bus.ops', type: 'event', corr: own.corr })
  await sendEnvelope(shared.socket, own)
  await sendEnvelope(shared.socket, answer)

  const refuted = await ask('aee.context.refute', { id: own.id, reason: 'out of date' }, { from: me })
  const stranger = await ask('aee.context.refute', { id: own.id, reason: 'spite' })
  const unknown = await ask('aee.context.refute', { id: 'nobody-knows', reason: 'x' }, { from: me })
  const thread = await shared.get(`/v1/threads/${own.corr}`)

  expect(refuted.answer.payload).toEqual({ acknowledged: true })
  expect(stranger.answer.payload).toEqual({ acknowledged: false })
  expect(unknown.answer.payload).toEqual({ acknowledged: false })
  expect(thread.body.items[0].refuted).toEqual([
    { by: me, reason: 'out of date', at: expect.any(String), id: refuted.task.id },
  ])
  expect(thread.body.items[1].refuted).toEqual([])
})

test.each([
  ['an intent that is not its own', 'ops.backup.check', {}, 'E_UNSUPPORTED_INTENT'],
  ['an intent nobody defined', 'aee.made.up', {}, 'E_UNSUPPORTED_INTENT'],
  ['an intent named like a method', 'constructor', {}, 'E_UNSUPPORTED_INTENT'],
  ['a payload that does not fit', 'aee.status.ping', { x: 1 }, 'E_INVALID_PAYLOAD'],
  ['a fetch without an id', 'aee.context.fetch', {}, 'E_INVALID_PAYLOAD'],
  ['a task that waits for a person', 'aee.status.ping', {}, 'E_APPROVAL_REQUIRED'],
])(
  '%s is answered with an error that says so (AEE-029, AEQ-10, AEQ-18)',
  async (_says, intent, payload, code) => {
    const more = code === 'E_APPROVAL_REQUIRED' ? { requires: { human_approval: true } } : {}
    const { answer, task } = await ask(intent, payload, more)

    expect(answer).toMatchObject({ type: 'error', reply_to: task.id, corr: task.corr })
    expect(answer.payload).toMatchObject({ code, retryable: false, message: expect.stringMatching(/\.$/) })
  },
)

test('only tasks are answered: events, results and streams to the daemon are kept and nothing more (AEQ-18, AEQ-19)', async () => {
  const from = `agent.${randomUUID()}`
  using stream = await listenFor(shared.socket, from)
  for (const type of ['event', 'stream', 'result', 'error']) {
    const reply = type === 'result' || type === 'error' ? 'nobody-knows' : null
    const { status, body } = await sendEnvelope(
      shared.socket,
      validEnvelope({
        to: 'service.agentd',
        intent: 'aee.status.ping',
        payload: {},
        from,
        type,
        reply_to: reply,
      }),
    )
    expect([status, body.recipient_count]).toEqual([200, 1])
  }
  await sendEnvelope(
    shared.socket,
    validEnvelope({ to: 'service.agentd', intent: 'aee.status.ping', payload: {}, from }),
  )

  expect(JSON.parse(await nextEnvelope(stream))).toMatchObject({ intent: 'aee.status.ping', type: 'result' })
  expect(stream.events).toHaveLength(1)
})

test("the daemon answers for itself only: a ping to an agent is that agent's to answer (AEQ-19)", async () => {
  const [from, agent] = [`agent.${randomUUID()}`, `agent.${randomUUID()}`]
  using asker = await listenFor(shared.socket, from)
  using asked = await listenFor(shared.socket, agent)
  await sendEnvelope(
    shared.socket,
    validEnvelope({ to: agent, intent: 'aee.status.ping', payload: {}, from }),
  )
  await sendEnvelope(
    shared.socket,
    validEnvelope({ to: 'service.agentd', intent: 'aee.spec.query', payload: {}, from }),
  )

  expect(JSON.parse(await nextEnvelope(asked)).intent).toBe('aee.status.ping')
  expect(JSON.parse(await nextEnvelope(asker)).intent).toBe('aee.spec.query')
})

test('an envelope inside a payload is a record, and goes nowhere (AEE-077, AEE-078)', async () => {
  using stream = await listenFor(shared.socket, 'bus.nested,bus.outer')
  const inner = validEnvelope({ to: 'bus.nested' })
  const outer = validEnvelope({
    to: 'bus.outer',
    type: 'result',
    reply_to: 'nobody-knows',
    payload: { archive: [inner] },
  })
  await sendEnvelope(shared.socket, outer)
  const probe = validEnvelope({ to: 'bus.nested' })
  await sendEnvelope(shared.socket, probe)

  expect(JSON.parse(await nextEnvelope(stream)).id).toBe(outer.id)
  expect(JSON.parse(await nextEnvelope(stream)).id).toBe(probe.id)
  expect((await shared.get(`/v1/envelopes/${inner.id}`)).status).toBe(404)
})

test('an answer waits in the mailbox of who asked and went (docs/http.md §7)', async () => {
  const session = await shared.register({ mailbox: true, entities: ['agent.impatient'] })
  await sendEnvelope(
    shared.socket,
    validEnvelope({ to: 'service.agentd', from: 'agent.impatient', intent: 'aee.status.ping', payload: {} }),
    session.token,
  )

  await shared.get('/v1/inbox/wait', session.token)
  const { body } = await shared.post('/v1/inbox/drain', {}, session.token)

  expect(body.items.map((item: { envelope: AnyEnvelope }) => item.envelope['payload'])).toMatchObject([
    { pong: true },
  ])
})

const FETCHED = 'y'.repeat(1_047_000)

/** What nobody can answer in an envelope → the task. */
const UNANSWERABLE: readonly [string, (from: string) => string][] = [
  [
    'a corr as long as an envelope may be',
    (from) => {
      const text = JSON.stringify(
        validEnvelope({ to: 'service.agentd', intent: 'aee.status.ping', payload: {}, from, corr: 'c' }),
      )
      return text.replace('"corr":"c"', `"corr":"${'c'.repeat(1_048_576 - text.length + 1)}"`)
    },
  ],
  [
    'a trace that is longer when it is written out',
    (from) =>
      JSON.stringify(
        validEnvelope({
          to: 'service.agentd',
          intent: 'aee.status.ping',
          payload: {},
          from,
          trace: { trace_id: 'a', span_id: 'b', x: 0 },
        }),
      ).replace('"x":0', `"x":[${'1e20,'.repeat(100_000)}1]`),
  ],
  [
    'an id and an intent of half a megabyte each',
    (from) =>
      JSON.stringify(
        validEnvelope({
          to: 'service.agentd',
          id: 'i'.repeat(520_000),
          intent: `x.${'y'.repeat(520_000)}`,
          payload: {},
          from,
        }),
      ),
  ],
]

test.each(UNANSWERABLE)(
  'a task with %s harms nobody, whatever becomes of it (R-36)',
  async (_says, makeTask) => {
    await using daemon = await startTestDaemon()
    const from = 'agent.hostile'
    using _stream = await listenFor(daemon.socket, from)

    expect((await sendEnvelope(daemon.socket, makeTask(from))).status).toBe(200)
    const { answer } = await ask('aee.status.ping', {}, { socket: daemon.socket })

    expect(answer.payload).toMatchObject({ pong: true })
    expect((await request(daemon.socket, '/v1/health')).body.pid).toBe(daemon.pid)
  },
)

test('a task that asks in the name of a channel with more listeners than one may reach harms nobody (R-33, R-36)', async () => {
  await using daemon = await startTestDaemon({ config: { limits: { fan_out: 1 } } })
  using _one = await listenFor(daemon.socket, 'bus.crowd')
  using _two = await listenFor(daemon.socket, 'bus.crowd')

  await sendEnvelope(
    daemon.socket,
    validEnvelope({ to: 'service.agentd', from: 'bus.crowd', intent: 'aee.status.ping', payload: {} }),
  )
  const { answer } = await ask('aee.status.ping', {}, { socket: daemon.socket })

  expect(answer.payload).toMatchObject({ pong: true })
  expect((await request(daemon.socket, '/v1/health')).body.pid).toBe(daemon.pid)
})

test('what is too large for an answer to hold is told so, and is there to be had whole (AEE-062)', async () => {
  const from = `agent.${randomUUID()}`
  const large = validEnvelope({ from, payload: { x: FETCHED } })
  await sendEnvelope(shared.socket, large)

  const { answer } = await ask('aee.context.fetch', { id: large.id }, { from })

  expect(answer).toMatchObject({ type: 'error', payload: { code: 'E_TOO_LARGE', retryable: false } })
  expect((await shared.get(`/v1/envelopes/${large.id}`)).body).toEqual(large)
})

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sortKeys(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortKeys(member)]),
  )
}
