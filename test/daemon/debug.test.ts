/**
 * `AGENTD_DEBUG` in the daemon: a line per request, and nothing of what was in it.
 */
import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { validFrame, withMembers } from '../support/frames.ts'
import { connectRaw, openLines, openStream, post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'

const SECRET = 'hush-91c3'

// A wrong guess at what is in a line is a failing test.
// oxlint-disable-next-line typescript/no-explicit-any
function linesOf(path: string): any[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** Some of everything, with a secret wherever a client can put one. */
async function traffic({ socket }: TestDaemon): Promise<string> {
  const { body: session } = await post(socket, '/v1/sessions', { instrument: 'cc', mailbox: true })
  const token = String(session.token)
  const frame = () => withMembers(validFrame(), { payload: { advisory_text: SECRET } })
  await post(socket, '/v1/verbs/agent_advise', { text: SECRET }, token)
  await post(socket, '/v1/frames', { frame: frame() })
  await post(socket, '/v1/frames', { frame: { ...validFrame(), [SECRET]: SECRET } })
  await sendEnvelope(socket, validEnvelope({ to: 'bus.x', payload: { [SECRET]: SECRET } }))
  await request(socket, `/v1/${SECRET}?${SECRET}=${SECRET}`)
  await request(socket, `/v1/frames/${SECRET}`)
  await request(socket, `/v1/frames?filter=${SECRET}`)
  await request(socket, '/v1/health', { token: SECRET })
  await request(socket, '/v1/frames', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"${SECRET}`,
  })
  using lines = openLines(socket)
  lines.send({ frame: frame() })
  lines.write(`${SECRET}\n`)
  await lines.answered(2)
  using raw = await connectRaw(socket)
  raw.write(`GET /v1/health HTTP/1.1\r\nhost: a\r\nx-${SECRET}: ${SECRET}\r\nconnection: close\r\n\r\n`)
  await raw.closed
  using stream = await openStream(socket, '/v1/handles/~alice/stream')
  stream.connection.socket.destroy()
  return token
}

test('each request is one line with its route, status, time and kind of caller, and no payload, path or token (R-10)', async () => {
  await using dir = await createTempDir()
  const path = dir.file('debug.log')
  await using daemon = await startTestDaemon({ dir, env: { AGENTD_DEBUG: path } })
  const token = await traffic(daemon)
  expect((await daemon.stop()).code).toBe(0)

  const lines = linesOf(path)
  const told = lines.map(({ method, route, status, caller }) => [method, route, status, caller])
  for (const line of lines) {
    expect(line).toMatchObject({ what: 'request', pid: daemon.pid, ms: expect.any(Number) })
  }
  expect(told).toEqual(
    expect.arrayContaining([
      ['POST', 'openSession', 201, 'principal'],
      ['POST', 'callVerb', 200, 'session'],
      ['POST', 'submitFrame', 200, 'principal'],
      ['POST', 'submitFrame', 400, 'principal'],
      ['POST', 'submitEnvelope', 200, 'principal'],
      ['GET', 'none', 404, 'unknown'],
      ['GET', 'getReceipts', 404, 'principal'],
      ['GET', 'getHealth', 401, 'unknown'],
      ['GET', 'getHealth', 200, 'principal'],
      ['GET', 'openStream', 200, 'principal'],
    ]),
  )
  expect(lines.find(({ route, status }) => route === 'submitFrame' && status === 400)).toMatchObject({
    error: 'AgentdError',
    code: expect.stringMatching(/^[a-z-]+$/),
  })
  const text = readFileSync(path, 'utf8')
  expect(text).not.toContain(SECRET)
  expect(text).not.toContain(token)
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
})

test('where nobody asks, nothing is written', async () => {
  await using dir = await createTempDir()
  await using daemon = await startTestDaemon({ dir })
  const before = readdirSync(dir.path)
  await request(daemon.socket, '/v1/health')
  await daemon.stop()

  expect(readdirSync(dir.path).filter((name) => !before.includes(name))).toEqual([])
})

test('a file that is not ours costs the lines and is told in the log; the daemon serves (R-02)', async () => {
  await using dir = await createTempDir()
  symlinkSync(dir.file('target'), dir.file('debug.log'))
  await using daemon = await startTestDaemon({ dir, env: { AGENTD_DEBUG: dir.file('debug.log') } })

  for (let i = 0; i < 3; i += 1) {
    expect((await request(daemon.socket, '/v1/health')).status).toBe(200)
  }
  await daemon.stop()

  const warnings = daemon
    .stderr()
    .split('\n')
    .filter((line) => line.includes('AGENTD_DEBUG'))
  expect(warnings).toHaveLength(1)
  expect(existsSync(dir.file('target'))).toBe(false)
})

test('a minus puts the lines among those of the log', async () => {
  await using daemon = await startTestDaemon({ env: { AGENTD_DEBUG: '-' } })
  await request(daemon.socket, '/v1/health')
  await daemon.stop()

  expect(daemon.stderr()).toContain('"what":"request","method":"GET","route":"getHealth","status":200')
})
