import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { validFrame } from '../support/frames.ts'
import { request, type Reply } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const open = new SharedDaemon()
const strict = new SharedDaemon({ config: { auth: 'session' } })

const UNAUTHENTICATED = { status: 401, body: { code: 'unauthenticated' } }

test('without a token a request speaks for the principal, with any instrument (docs/http.md §2)', async () => {
  const { status } = await open.post('/v1/frames', {
    frame: validFrame(undefined, { drafted_with: '~anything' }),
  })

  expect(status).toBe(200)
})

const WRONG = [
  'Bearer wrong',
  `Bearer ${randomBytes(32).toString('base64url')}`,
  'Bearer ',
  'Bearer',
  'Bearer a b',
  'Basic YWxpY2U6eA==',
  'wrong',
  '',
]

test.each(WRONG)(
  'an Authorization of "%s" is never silently the principal (docs/http.md §2, R-09)',
  async (authorization) => {
    const send = (path: string, json?: unknown): Promise<Reply> =>
      request(open.socket, path, { headers: { authorization }, ...(json !== undefined && { json }) })

    for (const answer of [
      await send('/v1/health'),
      await send('/v1/frames', { frame: validFrame() }),
      await send('/v1/handles/~alice/stream'),
      await send('/v1/sessions', { instrument: 'cc' }),
      await send('/v1/verbs/agent_advise', { text: 'x' }),
    ]) {
      expect(answer).toMatchObject(UNAUTHENTICATED)
      expect(answer.body).not.toHaveProperty('field')
    }
  },
)

test('a wrong token behind a hundred other headers is a wrong token still (docs/http.md §2, R-09)', async () => {
  const padding = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, '1']))

  const answer = await request(open.socket, '/v1/handles/~alice/roster', {
    headers: { ...padding, authorization: 'Bearer wrong' },
  })

  expect(answer).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'headers' } })
})

test('a token is worth nothing once its session is over (docs/http.md §2, R-09)', async () => {
  const session = await open.register()
  await request(open.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })

  expect(await open.post('/v1/frames', { frame: validFrame() }, session.token)).toMatchObject(UNAUTHENTICATED)
})

test.each([
  ['sender_handle', { sender_handle: '~bob' }],
  ['acted_by', { acted_by: '~bob' }],
  ['drafted_with', { drafted_with: '~codex' }],
] as const)(
  'a session that claims another %s is refused, and nothing goes out (AC-013, AC-177, AC-178)',
  async (field, claim) => {
    const session = await open.register()
    using stream = await open.listen(session)

    const answer = await open.post('/v1/frames', { frame: validFrame(undefined, claim) }, session.token)

    expect(answer).toMatchObject({ status: 403, body: { code: 'sender-identity-mismatch', field } })
    await open.expectSilence(stream)
  },
)

test("a session that registered under its own handle sends under it, and not under its principal's (ACQ-13)", async () => {
  const session = await open.register({ instrument: 'cc-solo', handle: '~cc-solo' })
  const send = (sender: string): Promise<Reply> =>
    open.post(
      '/v1/frames',
      { frame: validFrame(undefined, { sender_handle: sender, drafted_with: '~cc-solo' }) },
      session.token,
    )

  expect(await send('~cc-solo')).toMatchObject({ status: 200 })
  expect(await send('~alice')).toMatchObject({ status: 403, body: { field: 'sender_handle' } })
  expect(await open.get('/v1/handles/~cc-solo/roster')).toMatchObject({
    status: 200,
    body: { handle: '~cc-solo' },
  })
})

test("a token's stream is that of its own handle, and what it says of itself must be true (docs/http.md §6)", async () => {
  const session = await open.register({ instrument: 'cc-solo2', handle: '~cc-solo2' })

  const foreign = await open.get('/v1/handles/~alice/stream', session.token)
  const claims = await open.get('/v1/handles/~cc-solo2/stream?instrument=other', session.token)

  expect(foreign).toMatchObject({ status: 403, body: { code: 'scope-unauthorised', field: 'handle' } })
  expect(claims).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'instrument' } })
})

test.each(['/v1/sessions/self', '/v1/inbox/wait'])(
  '%s is for sessions only (docs/http.md §§4, 7)',
  async (path) => {
    expect(await open.get(path)).toMatchObject(UNAUTHENTICATED)
  },
)

test.each(['/v1/inbox/drain', '/v1/seen'])('POST %s is for sessions only (docs/http.md §7)', async (path) => {
  expect(await open.post(path, {})).toMatchObject(UNAUTHENTICATED)
})

test('with auth "session" everything but health needs a token, or the key of the person (docs/http.md §2, HD-23)', async () => {
  const health = await strict.get('/v1/health')
  const key = readFileSync(strict.daemon.dir.file('state', 'person.key'), 'utf8').trim()
  const json = { instrument: 'cc-opus-4-6' }
  const headers = { 'agentd-key': key }
  const { body: session } = await request(strict.socket, '/v1/sessions', { json, headers })

  expect(await strict.post('/v1/sessions', json)).toMatchObject(UNAUTHENTICATED)

  for (const path of [
    '/v1/handles/~alice/roster',
    '/v1/handles/~alice/stream',
    '/v1/frames',
    '/v1/frames/x',
    '/v1/metrics',
    '/v1/schemas/frame',
    '/v1/openapi.json',
    '/v1/sessions/self',
  ]) {
    expect([path, await strict.get(path)]).toMatchObject([path, UNAUTHENTICATED])
  }
  expect(await strict.post('/v1/frames', { frame: validFrame() })).toMatchObject(UNAUTHENTICATED)
  expect(await strict.post('/v1/verbs/agent_advise', { text: 'x' })).toMatchObject(UNAUTHENTICATED)
  expect(health.status).toBe(200)
  expect(await strict.post('/v1/frames', { frame: validFrame() }, session.token)).toMatchObject({
    status: 200,
  })
  expect(await strict.get('/v1/metrics', session.token)).toMatchObject({ status: 200 })
})

test('a token never shows in the log, whatever is done with it (R-10)', async () => {
  const session = await open.register()
  await open.get('/v1/sessions/self', session.token)
  await open.get(`/v1/frames?token=${session.token}`)
  await open.get('/v1/handles/~bob/roster', session.token)

  expect(open.daemon.stderr()).not.toContain(session.token)
})
