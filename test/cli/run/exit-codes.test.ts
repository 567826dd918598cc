import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { nestedText } from '../../support/nested.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { agentd, createUser, fullAgentd, startAgentd, words } from '../support.ts'

const QUERY = '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c'

test('what the daemon accepts ends with 0 and an empty stderr', async () => {
  await using daemon = await startTestDaemon()

  const outcome = await agentd(daemon.env, ['advise', 'editing src/auth.ts'])

  expect(outcome).toEqual({
    code: 0,
    stdout: 'sent agent_advisory; nobody is listening just now\n',
    stderr: '',
  })
})

test.each([[agentd], [fullAgentd]])(
  'a refusal ends with 1 and the code of the daemon on stderr',
  async (run) => {
    await using daemon = await startTestDaemon()

    const outcome = await run(daemon.env, ['advise', 'hello', '--scope', '~bob'])
    const json = await run(daemon.env, ['advise', 'hello', '--scope', '~bob', '--json'])

    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toMatch(/^agentd: scope-unauthorised: .*\n$/)
    expect(json).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(json.stderr)).toMatchObject({ code: 'scope-unauthorised', field: 'recipient_scope' })
  },
)

test('a payload that nobody could read is refused with its code, however it is given (ACQ-40)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  const file = dir.file('deep.json')
  writeFileSync(file, nestedText())
  const send = ['send', '--kind', 'agent_advisory']
  const envelope = ['envelope', 'send', '--from', 'agent.a', '--to', 'bus.ops', '--intent', 'ops.x.y']

  const outcomes = [
    await agentd(daemon.env, [...send, nestedText()]),
    await fullAgentd(daemon.env, [...send, nestedText()]),
    await agentd(daemon.env, [...send, nestedText(100)]),
    await agentd(daemon.env, [...send, '--file', file]),
    await agentd(daemon.env, [...send, '-'], nestedText()),
    await agentd(daemon.env, [...envelope, nestedText()]),
    await agentd(daemon.env, [...envelope, '-'], nestedText()),
    await agentd(daemon.env, [...envelope, '--requires', nestedText()]),
  ]

  for (const { code, stdout, stderr } of outcomes) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^agentd: field-invalid: .+ is nested more than 64 levels deep\. \[(?:body|payload)\]\n$/,
    )
  }
})

test('an envelope that nobody could read falls short, and is not sent (AEQ-24)', async () => {
  await using daemon = await startTestDaemon()
  const text = nestedText()

  const checked = await agentd(daemon.env, ['envelope', 'check', '-'], text)
  const sent = await agentd(daemon.env, ['envelope', 'send', '--raw'], text)

  expect(checked.code).toBe(1)
  expect(checked.stdout).toContain('AEE-001 The body is nested more than 64 levels deep.')
  expect(sent.code).toBe(1)
  expect(sent.stderr).toContain('envelope-malformed: Line 1: The body is nested more than 64 levels deep.')
})

test.each([
  [[]],
  [['nonsense']],
  [['advise']],
  [['advise', 'a', 'b']],
  [['advise', 'a', '--colour', 'red']],
  [['advise', 'a', '--file-ref']],
  [['send', '{}']],
  [['send', '--kind', 'agent_gossip', '{}']],
  [['send', '--kind', 'agent_advisory']],
  [['send', '--kind', 'agent_advisory', '[]']],
  [['send', '--kind', 'agent_advisory', '{}', '--timeout', '1s']],
  [['send', '--kind', 'agent_advisory', '--file', '/nowhere/at/all']],
  [['lock', 'src/a', '--ttl', '5x']],
  [['handover']],
  [['ask', 'why?', '--all', '--deadline']],
  [['tail', '--replay', 'many']],
  [['inbox']],
  [['receipts', QUERY, '--timeout', '1s']],
  [['completion', 'powershell']],
  [['status', '--socket', `/${'x'.repeat(200)}`]],
])('%j is a wrong usage: 2, a sentence, and nothing sent', async (args) => {
  await using daemon = await startTestDaemon()

  const outcome = await agentd(daemon.env, args)

  expect(outcome).toMatchObject({ code: 2, stdout: '' })
  expect(outcome.stderr).not.toBe('')
  expect(await agentd(daemon.env, ['history', '--json'])).toMatchObject({
    stdout: expect.stringMatching(/^\{"items":\[\],/),
  })
})

test('a payload that is no JSON is told with the place where it stops being JSON', async () => {
  await using daemon = await startTestDaemon()

  const { code, stderr } = await agentd(
    daemon.env,
    ['send', '--kind', 'agent_advisory', '-'],
    '{\n  "advisory_text": oops }',
  )

  expect(code).toBe(2)
  expect(stderr).toBe('agentd: The payload stops being JSON at line 2, column 20.\n')
})

test('a question and a waiting send that nobody hears end with 3', async () => {
  await using daemon = await startTestDaemon()

  const asked = await agentd(daemon.env, ['ask', 'anybody?'])
  const sent = await agentd(daemon.env, [
    'send',
    '--kind',
    'agent_advisory',
    '{"advisory_text":"t"}',
    '--wait',
    'seen',
  ])

  expect(asked).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('Nobody is listening') })
  expect(sent).toMatchObject({ code: 3, stdout: 'sent agent_advisory; nobody is listening just now\n' })
})

test('a deadline that passes ends with 4', async () => {
  await using daemon = await startTestDaemon()
  await using tail = startAgentd(daemon.env, ['tail', '--listen', '--json'])
  await untilListening(daemon.env)

  const asked = await agentd(daemon.env, ['ask', 'anybody?', '--people', '--timeout', '3s'])
  const sent = await agentd(daemon.env, [
    'send',
    '--kind',
    'agent_advisory',
    '{"advisory_text":"t"}',
    '--wait',
    'all',
    '--timeout',
    '200ms',
  ])
  tail.signal('SIGINT')

  expect(asked).toMatchObject({ code: 4, stdout: '' })
  expect(asked.stderr).toMatch(
    /The time is over and nobody has answered\. Still silent: terminal \(~alice\/terminal@/,
  )
  expect(sent).toMatchObject({ code: 4, stdout: expect.stringContaining('emitted') })
  expect(await tail.ended).toMatchObject({ code: 0 })
})

test('a daemon that is not there ends with 69, by both ways and for status without --no-start too', async () => {
  await using user = await createUser()

  const fast = await agentd(user.env, ['advise', 'hello', '--no-start'])
  const full = await fullAgentd(user.env, ['advise', 'hello', '--no-start'])
  const roster = await agentd({ ...user.env, AGENTD_NO_START: '1' }, ['roster'])
  const status = await agentd(user.env, ['status', '--json'])

  expect(fast).toEqual(full)
  expect(fast).toMatchObject({ code: 69, stdout: '', stderr: expect.stringContaining('agentd start') })
  expect(roster).toMatchObject({ code: 69, stdout: '' })
  expect(status).toMatchObject({ code: 69, stdout: '' })
  expect(JSON.parse(status.stderr)).toMatchObject({ code: 'unreachable' })
})

test('a peer that is not agentd ends with 70', async () => {
  await using user = await createUser()
  const impostor = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'))
  })
  await new Promise<void>((resolve) => impostor.listen(user.env['AGENTD_SOCKET'], resolve))

  const outcome = await agentd(user.env, ['advise', 'hello', '--no-start'])
  await new Promise((resolve) => impostor.close(resolve))

  expect(outcome).toMatchObject({ code: 70, stdout: '', stderr: expect.stringContaining('is it agentd?') })
})

test('a peer that hangs up after the frame was sent ends with 69 and says what is not known', async () => {
  await using user = await createUser()
  const impostor = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
  })
  await new Promise<void>((resolve) => impostor.listen(user.env['AGENTD_SOCKET'], resolve))

  const outcome = await agentd(user.env, ['advise', 'hello'])
  await new Promise((resolve) => impostor.close(resolve))

  expect(outcome).toMatchObject({ code: 69, stderr: expect.stringContaining('is not known') })
})

test('serve in a place that is not safe ends with 78, and so does starting it there', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('open'))
  chmodSync(dir.file('open'), 0o777)
  await using user = await createUser()

  const served = await agentd(user.env, ['serve', '--socket', dir.file('open', 'a.sock')])
  chmodSync(user.dir.file('config'), 0o700)
  mkdirSync(user.dir.file('config', 'agentd'), { mode: 0o700 })
  writeFileSync(user.dir.file('config', 'agentd', 'config.json'), '{"colour":"red"}', { mode: 0o600 })
  const started = await agentd(user.env, ['roster'])

  expect(served).toMatchObject({ code: 78, stderr: expect.stringContaining('0777') })
  expect(started).toMatchObject({ code: 78, stderr: expect.stringContaining('"colour"') })
})

test.each([
  [0o777, 'others may write'],
  [0o755, 'its mode is 0755 and must be 0700'],
])('a folder of the mode %o ends whatever would start a daemon in it with 78 (R-02)', async (mode, says) => {
  await using user = await createUser()
  const folder = user.dir.file('open')
  mkdirSync(folder)
  chmodSync(folder, mode)
  const env = { ...user.env, AGENTD_SOCKET: join(folder, 'a.sock') }

  for (const line of ['advise text', 'lock a --quiet', 'lock a -- true', 'roster', 'start']) {
    const { code, stderr } = await agentd(env, words(line))
    expect([line, code, stderr]).toEqual([line, 78, expect.stringContaining(says)])
  }
})

test('no daemon is told in one sentence, whichever command asks', async () => {
  await using user = await createUser()
  const socket = user.dir.file('agentd.sock')

  for (const line of [
    'advise text',
    'lock a --quiet',
    'lock a -- true',
    'locks',
    'status',
    'history',
    'ask who?',
  ]) {
    const { code, stderr } = await agentd({ ...user.env, AGENTD_NO_START: '1' }, words(line))
    const message = `agentd does not answer at ${socket}: there is no such socket. Start it with "agentd start".\n`
    expect([line, code, stderr]).toEqual([line, 69, message])
  }
})

test('serve ends with 0 on SIGTERM', async () => {
  await using user = await createUser()
  await using served = startAgentd(user.env, ['serve', '--principal', 'bob'])
  await served.untilSaid(/serving/)

  const status = await agentd(user.env, ['status', '--json'])
  served.signal('SIGTERM')

  expect(JSON.parse(status.stdout)).toMatchObject({ principal: '~bob', pid: served.pid })
  expect(await served.ended).toMatchObject({ code: 0, stdout: '' })
})

test('a session that has ended is refused, never taken for the principal', async () => {
  await using daemon = await startTestDaemon()

  const outcome = await agentd({ ...daemon.env, AGENTD_TOKEN: 'x'.repeat(43) }, ['advise', 'hello'])

  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('unauthenticated') })
})

test('a token that would end its header is a wrong usage', async () => {
  await using daemon = await startTestDaemon()

  const outcome = await agentd(daemon.env, ['advise', 'hello', '--token', 'a\r\nx: y'])

  expect(outcome).toMatchObject({ code: 2, stdout: '' })
})

/** Asks the roster until a stream is on it. */
async function untilListening(env: Readonly<Record<string, string>>): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const { stdout } = await agentd(env, ['roster', '--json'])
    if (stdout.includes('"subscriptions":1')) return
  }
  throw new Error('nobody came to listen')
}
