/** `auth: "session"` end to end: who has the person's key is the person, and who has not registers nothing (HD-23, HD-04). */
import { chmodSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWith } from '../../src/client/client.ts'
import { systemClock } from '../../src/core/clock.ts'
import { agentd, startAgentd } from '../cli/support.ts'
import { payloadOf } from '../runtimes/support/fixtures.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'
import { request, type RequestOptions } from '../support/http.ts'
import { within } from '../support/within.ts'
import { detailsBesides } from '../support/without-sqlite.ts'

const UNAUTHENTICATED = { status: 401, body: { code: 'unauthenticated' } }

let daemon: TestDaemon
let key: string

beforeAll(async () => {
  daemon = await startTestDaemon({ config: { auth: 'session' } })
  key = readFileSync(daemon.dir.file('state', 'person.key'), 'utf8').trim()
})

afterAll(() => daemon[Symbol.asyncDispose]())

function ask(path: string, options: RequestOptions = {}) {
  return request(daemon.socket, path, options)
}

function register(sessionId: string, headers: Readonly<Record<string, string>>) {
  return ask('/v1/sessions', { json: { instrument: 'cc', session_id: sessionId }, headers })
}

test('the key is a file that only this user reads, made by the daemon (HD-23, R-01)', () => {
  const found = lstatSync(daemon.dir.file('state', 'person.key'))

  expect(found.mode & 0o7777).toBe(0o600)
  expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/)
})

test('without the key, or with another, nobody registers, forgets, ends or listens (HD-23)', async () => {
  const { body } = await register('victim', { 'agentd-key': key })
  const address = encodeURIComponent('~alice/cc@victim')

  for (const headers of [
    {},
    { 'agentd-key': 'x'.repeat(43) },
    { 'agentd-key': '' },
    { 'agentd-key': `${key}x` },
  ]) {
    expect(await register('sandboxed', headers)).toMatchObject(UNAUTHENTICATED)
    for (const [method, path] of [
      ['DELETE', '/v1/frames?sender=~alice'],
      ['DELETE', `/v1/sessions/${address}`],
      ['GET', '/v1/handles/~alice/stream'],
      ['GET', '/v1/handles/~alice/roster'],
      ['POST', '/v1/stop'],
    ] as const)
      expect([path, await ask(path, { method, headers })]).toMatchObject([path, UNAUTHENTICATED])
  }

  expect(await ask('/v1/sessions/self', { token: body.token })).toMatchObject({ status: 200 })
})

test('a session with its own token updates itself, and registers nobody (HD-23)', async () => {
  const { body } = await register('updating', { 'agentd-key': key })
  const json = { instrument: 'cc', session_id: 'updating', title: 'new' }

  expect(await ask('/v1/sessions', { json, token: body.token })).toMatchObject({ status: 200 })
  for (const sessionId of ['another', undefined]) {
    const other = { instrument: 'cc', session_id: sessionId }
    expect(await ask('/v1/sessions', { json: other, token: body.token })).toMatchObject(UNAUTHENTICATED)
  }
})

test('with the key a request is the person: it sends, reads, forgets and ends (HD-23)', async () => {
  const headers = { 'agentd-key': key }
  await register('ended', headers)
  const frame = validFrame()

  expect(await ask('/v1/frames', { json: { frame }, headers })).toMatchObject({ status: 200 })
  const forgotten = await ask(`/v1/frames?frame_id=${frame.frame_id}`, { method: 'DELETE', headers })
  expect(forgotten).toMatchObject({ status: 200, body: { forgotten: 1 } })
  const path = `/v1/sessions/${encodeURIComponent('~alice/cc@ended')}`
  expect(await ask(path, { method: 'DELETE', headers })).toMatchObject({ status: 204 })
  expect(await ask(path, { method: 'DELETE', headers })).toMatchObject({
    status: 404,
    body: { field: 'address' },
  })
})

test('the command line finds the key by itself, on its short way too, and goes without it in a sandbox (HD-23)', async () => {
  await register('by-hand', { 'agentd-key': key })
  const sandbox = { ...daemon.env, AGENTD_STATE_DIR: daemon.dir.file('elsewhere') }

  for (const args of [
    ['advise', 'hello'],
    ['roster'],
    ['history', '--forget', '--kind', 'agent_advisory', '--yes'],
    ['roster', '--end', 'cc@by-hand'],
  ]) {
    expect([args, await agentd(sandbox, args)]).not.toMatchObject([args, { code: 0 }])
    expect([args, await agentd(daemon.env, args)]).toMatchObject([args, { code: 0 }])
  }

  const { stdout } = await agentd(daemon.env, ['roster', '--json'])
  expect(stdout).not.toContain('cc@by-hand')
})

test('a hook registers its session with it (HD-23)', async () => {
  const payload = JSON.stringify({ ...payloadOf('claude-code', 'session-start'), session_id: 'hooked' })

  expect(await agentd(daemon.env, ['hook', 'claude-code'], payload)).toMatchObject({ code: 0 })

  const { stdout } = await agentd(daemon.env, ['roster', '--json'])
  expect(stdout).toContain('@hooked')
})

test('without it no hook is answered, nobody waits and no session is told of (OP-04)', async () => {
  const payload = payloadOf('claude-code', 'session-start')
  for (const headers of [{}, { 'agentd-key': 'x'.repeat(43) }]) {
    const answers = [
      await ask('/v1/hooks/claude-code', { json: payload, headers }),
      await ask('/v1/hooks/claude-code/wait?session=hooked', { headers }),
      await ask('/v1/hooks/claude-code?session=hooked', { headers }),
    ]
    for (const answer of answers) expect(answer).toMatchObject(UNAUTHENTICATED)
  }
  const { body } = await ask('/v1/hooks/claude-code?session=hooked', { headers: { 'agentd-key': key } })
  expect(body.session.address).toBe('~alice/cc-agent@hooked')

  // A session is not the person: it learns no other one's token, and speaks for none.
  const { token } = body.session
  const refused = { body: { code: 'scope-unauthorised' } }
  for (const headers of [{}, { 'agentd-key': key }]) {
    expect(await ask('/v1/hooks/claude-code', { json: payload, token, headers })).toMatchObject(refused)
    expect(await ask('/v1/hooks/claude-code/wait?session=hooked', { token, headers })).toMatchObject(refused)
    expect(await ask('/v1/hooks/claude-code?session=hooked', { token, headers })).toMatchObject(refused)
  }
})

test('a hook that waits finds the key by itself (OP-04)', async () => {
  const payload = JSON.stringify({ ...payloadOf('claude-code', 'session-start'), session_id: 'waiting' })
  await agentd(daemon.env, ['hook', 'claude-code'], payload)
  await using waiter = startAgentd(daemon.env, ['hook', 'claude-code', '--wait'])
  waiter.type(payload)
  waiter.endInput()
  const json = { text: 'which port?', recipient_scope: '~alice/cc-agent@waiting' }
  await ask('/v1/verbs/agent_query', { json, headers: { 'agentd-key': key } })

  expect(await within(waiter.ended, 'the wake')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('which port?'),
  })
})

test('a program that has it in hand registers through the library, and its session needs no more (HD-23)', async () => {
  await using client = await connectWith(
    { clock: systemClock, random: Math.random, readPersonKey: () => key },
    { socket: daemon.socket },
  )

  await using session = await client.session({ instrument: 'cc', sessionId: 'library' })

  expect((await session.roster()).map(({ sessionId }) => sessionId)).toContain('library')
  await client.endSession(session.address)
  await expect(session.roster()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('a key that is there outlives the daemon; one that others could read counts for nobody, and health says so (HD-23)', async () => {
  const first = await startTestDaemon({ config: { auth: 'session' } })
  const path = first.dir.file('state', 'person.key')
  const before = readFileSync(path, 'utf8')
  await first.stop()
  const second = await startTestDaemon({ dir: first.dir, config: { auth: 'session' } })
  const after = readFileSync(path, 'utf8')
  await second.stop()
  chmodSync(path, 0o644)
  const third = await startTestDaemon({ dir: first.dir, config: { auth: 'session' } })
  const json = { instrument: 'cc' }
  const health = await request(third.socket, '/v1/health')
  const refused = await request(third.socket, '/v1/sessions', {
    json,
    headers: { 'agentd-key': before.trim() },
  })
  await third.stop()
  await first.dir[Symbol.asyncDispose]()

  expect(after).toBe(before)
  expect(health.body.status).toBe('degraded')
  expect(detailsBesides(health.body.details)).toEqual([expect.stringContaining('others may read it')])
  expect(refused).toMatchObject(UNAUTHENTICATED)
})

test('an empty file where the key should be is told, and not taken for one (HD-23)', async () => {
  const first = await startTestDaemon({ config: { auth: 'session' } })
  await first.stop()
  writeFileSync(first.dir.file('state', 'person.key'), '')
  const second = await startTestDaemon({ dir: first.dir, config: { auth: 'session' } })
  const { body } = await request(second.socket, '/v1/health')
  await second.stop()
  rmSync(first.dir.file('state', 'person.key'))
  await first.dir[Symbol.asyncDispose]()

  expect(detailsBesides(body.details)).toEqual([expect.stringContaining('holds no key')])
})

test('where no token is needed the key is not asked for, and is not an error (HD-23)', async () => {
  await using open = await startTestDaemon()
  const json = { instrument: 'cc' }

  const answers = [
    await request(open.socket, '/v1/sessions', { json }),
    await request(open.socket, '/v1/sessions', { json, headers: { 'agentd-key': 'any' } }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([201, 201])
})
