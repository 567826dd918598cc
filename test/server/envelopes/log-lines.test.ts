/**
 * Log lines (MVE-5): taken, written down by name, and never routed.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { listenFor, sendEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { openLines, request } from '../../support/http.ts'
import { SharedDaemon } from '../shared-daemon.ts'
import { detailsBesides } from '../../support/without-sqlite.ts'

const shared = new SharedDaemon()

const line = (changes: object = {}) => ({
  v: '1',
  id: randomUUID(),
  type: 'event',
  from: 'agent.a',
  intent: 'ops.x.y',
  ...changes,
})
const logPath = (): string => shared.daemon.dir.file('state', 'envelopes.log')

/** The lines of the log about an id, once there are as many. */
async function logged(id: string, count = 1): Promise<Record<string, string>[]> {
  const read = () =>
    (existsSync(logPath()) ? readFileSync(logPath(), 'utf8') : '')
      .split('\n')
      .filter((text) => text.includes(id))
      .map((text): Record<string, string> => JSON.parse(text))
  await expect.poll(() => read().length).toBe(count)
  return read()
}

/** Every file below a directory that holds a text. */
function filesWith(text: string, directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path).isFile() && readFileSync(path).includes(text))
}

test('five members are a log line, answered with its id (AEE-042, AEQ-25)', async () => {
  const one = line()
  const { status, body } = await shared.post('/v1/log', one)

  expect([status, body]).toEqual([200, { id: one.id, logged: true }])
  expect(await logged(one.id)).toMatchObject([
    { id: one.id, type: 'event', from: 'agent.a', intent: 'ops.x.y' },
  ])
})

test('a log line is never routed, kept, or found, whatever else it says (AEE-043, AEE-C19)', async () => {
  using stream = await listenFor(shared.socket, 'bus.log,agent.log')
  const mailbox = await shared.register({ mailbox: true, entities: ['bus.log'] })
  const before = await shared.get('/v1/health')
  const whole = validEnvelope({ to: 'bus.log' })

  expect((await shared.post('/v1/log', whole)).status).toBe(200)
  expect(
    (await shared.post('/v1/log', { ...whole, to: 'service.agentd', intent: 'aee.status.ping' })).status,
  ).toBe(200)
  const probe = validEnvelope({ to: 'bus.log' })
  const sent = await sendEnvelope(shared.socket, probe)

  expect(JSON.parse((await stream.next()).data).id).toBe(probe.id)
  expect((await shared.post('/v1/inbox/drain', {}, mailbox.token)).body.items).toHaveLength(1)
  expect((await shared.get(`/v1/envelopes/${whole.id}`)).status).toBe(404)
  expect((await shared.get(`/v1/threads/${whole.corr}`)).body.items).toEqual([])
  expect(sent.body.event_id).toBe(
    `${before.body.epoch}-${Number(before.body.ring.newest_event_id?.split('-')[1] ?? 0) + 1}`,
  )
  // A line that was logged has used no id.
  expect((await sendEnvelope(shared.socket, whole)).body.duplicate).toBeUndefined()
})

test('five members are no envelope (AEQ-25)', async () => {
  const { status, body } = await shared.post('/v1/envelopes', line())

  expect([status, body.code, body.field]).toEqual([400, 'field-missing', 'ts'])
})

test.each([
  [{ v: undefined }, 'field-missing', 'v'],
  [{ v: '2', id: 1 }, 'version-unsupported', 'v'],
  [{ v: 1 }, 'field-invalid', 'v'],
  [{ id: undefined, type: undefined }, 'field-missing', 'id'],
  [{ type: undefined }, 'field-missing', 'type'],
  [{ from: undefined }, 'field-missing', 'from'],
  [{ intent: undefined, id: 'x' }, 'field-missing', 'intent'],
  [{ id: '1234567', type: 'x' }, 'field-invalid', 'id'],
  [{ type: 'log' }, 'field-invalid', 'type'],
  [{ from: '' }, 'field-invalid', 'from'],
  [{ intent: 'ab' }, 'field-invalid', 'intent'],
  [{ from: 'a\uD800' }, 'field-invalid', 'from'],
])(
  'a log line with %j is refused, as JSON and as a line (AEE-042, docs/http.md §3)',
  async (changes, code, field) => {
    const body = JSON.stringify(line(changes))

    const whole = await request(shared.socket, '/v1/log', {
      body,
      headers: { 'content-type': 'application/json' },
    })
    const lines = await request(shared.socket, '/v1/log', {
      body: `\n${body}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    })

    expect([whole.status, whole.body.code, whole.body.field]).toEqual([400, code, field])
    expect(lines.body).toEqual({ code, field, message: whole.body.message, line: 2 })
  },
)

test.each([
  ['', 'envelope-malformed'],
  ['[]', 'envelope-malformed'],
  ['{"v":"1","v":"1"}', 'envelope-malformed'],
  ['\uFEFF{}', 'envelope-malformed'],
])('the log takes no %j (AEQ-24)', async (body, code) => {
  const answer = await request(shared.socket, '/v1/log', {
    body,
    headers: { 'content-type': 'application/json' },
  })

  expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, code, 'envelope'])
})

test('the other members may be anything: a log line is not an envelope (AEE-042)', async () => {
  const odd = line({ ts: 5, corr: 5, payload: 'text', to: null, priority: ['x'], reply_to: {} })

  expect((await shared.post('/v1/log', odd)).status).toBe(200)
  const [entry] = await logged(odd.id)
  expect(Object.keys(entry ?? {})).not.toContain('corr')
})

test('thousands of log lines are answered in order while they are sent, a bad one in the middle (docs/http.md §5, AEE-C19)', async () => {
  using lines = openLines(shared.socket, { path: '/v1/log' })
  const sent = Array.from({ length: 1_000 }, (_, i) => line(i === 500 ? { type: 'x' } : {}))

  for (const one of sent) lines.send(one)
  const answers = await lines.answered(1_000)

  expect(answers[500]).toMatchObject({ code: 'field-invalid', field: 'type', line: 501 })
  expect(answers.filter(({ logged: isLogged }) => isLogged).map(({ id }) => id)).toEqual(
    sent.filter(({ type }) => type === 'event').map(({ id }) => id),
  )
})

test('nothing of a payload is written anywhere, of a log line not even to the store (AEE-090, AEE-C24, R-10)', async () => {
  const secret = `secret-${randomUUID()}`
  const one = line({
    payload: { token: secret },
    requires: { x: secret },
    ts: secret,
    trace: secret,
    [secret]: 1,
  })
  await shared.post('/v1/log', one)
  await shared.post('/v1/log', { ...one, v: secret })
  await shared.post('/v1/log', { ...one, type: secret })
  await shared.post('/v1/log', `not json ${secret}`)
  await sendEnvelope(shared.socket, validEnvelope({ v: secret }))
  await sendEnvelope(shared.socket, validEnvelope({ payload: secret }))
  await sendEnvelope(shared.socket, `not json ${secret}`)
  await logged(one.id)

  expect(filesWith(secret, shared.daemon.dir.path)).toEqual([])
  expect(shared.daemon.stderr()).not.toContain(secret)
})

test('an accepted envelope is a log line of seven names and a time; its payload is in the store alone (AEE-039, AEE-090)', async () => {
  const secret = `secret-${randomUUID()}`
  const envelope = validEnvelope({
    payload: { secret },
    requires: { format: secret },
    trace: { trace_id: secret },
    x_more: secret,
  })
  await sendEnvelope(shared.socket, envelope)

  const [entry] = await logged(envelope.id)

  const { id, corr, intent, from, to, type, priority } = envelope as Record<string, unknown>
  expect(entry).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    id,
    corr,
    intent,
    from,
    to,
    type,
    priority,
  })
  expect(readFileSync(logPath(), 'utf8')).not.toContain(secret)
  expect(shared.daemon.stderr()).not.toContain(secret)
  for (const path of filesWith(secret, shared.daemon.dir.path))
    expect(path).toMatch(/\.(db|sqlite)(-wal|-journal)?$/)
  expect(lstatSync(logPath()).mode & 0o777).toBe(0o600)
})

test('a name cannot forge a line of the log, nor fill it (AEE-090, R-10)', async () => {
  const id = randomUUID()
  await shared.post(
    '/v1/log',
    line({ id, from: `a\n{"at":"x","id":"${id}"}\n`, intent: `x.${'y'.repeat(500_000)}` }),
  )
  const entries = await logged(id)

  expect(entries).toHaveLength(1)
  expect(JSON.stringify(entries[0]).length).toBeLessThan(2_000)
})

test('with aee.log off no envelope is written down, and what is sent to be logged still is (AEE-039, AEE-091)', async () => {
  await using daemon = await startTestDaemon({ config: { aee: { log: false } } })
  const [envelope, one] = [validEnvelope(), line()]
  await sendEnvelope(daemon.socket, envelope)
  await request(daemon.socket, '/v1/log', { json: one })
  await daemon.stop()

  const text = readFileSync(daemon.dir.file('state', 'envelopes.log'), 'utf8')
  expect([text.includes(envelope.id), text.includes(one.id)]).toEqual([false, true])
})

test('a log that cannot be had costs no delivery, is told in health, and nothing is called logged that is not', async () => {
  await using daemon = await startTestDaemon()
  symlinkSync(daemon.dir.file('elsewhere'), daemon.dir.file('state', 'envelopes.log'))
  using stream = await listenFor(daemon.socket, 'bus.ops')
  const envelope = validEnvelope()
  const sent = await sendEnvelope(daemon.socket, envelope)
  await stream.next('aee_envelope')
  const answer = await request(daemon.socket, '/v1/log', { json: line() })
  const health = await request(daemon.socket, '/v1/health')

  expect(sent.status).toBe(200)
  expect(existsSync(daemon.dir.file('elsewhere'))).toBe(false)
  expect(detailsBesides(health.body.details)).toEqual([expect.stringContaining('envelopes.log')])
  expect(answer.body.logged).not.toBe(true)
})
