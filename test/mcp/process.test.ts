/** The server as a process, in the surroundings that runtimes give it. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../../src/client/connect.ts'
import { createUser } from '../cli/support.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { within } from '../support/within.ts'
import { beginClaude } from './support/hooks.ts'
import { LEGACY, MODERN, hostOfProcess } from './support/host.ts'
import { serverArgs } from './support/server-process.ts'

/** A server is to end within two seconds of its input; the rest is for a machine that is busy with other tests. */
const PROMPTLY_MS = 4_000

test.each([MODERN, ...LEGACY])(
  'serves Claude Code, and writes nothing but JSON-RPC (%s)',
  async (revision) => {
    await using daemon = await startTestDaemon()
    const env = { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' }
    const host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code', revision })
    await host.open()

    const { facts } = await host.call('agentd_roster')
    host.hangUp()
    const end = await within(host.process, 'the server to end', PROMPTLY_MS)

    expect(facts['you']).toBe('~alice/cc@s1')
    expect(end).toEqual({ code: 0, signal: null, stderr: '' })
    for (const line of host.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  },
)

test.each(['SIGTERM', 'SIGINT'] as const)('ends what it registered and leaves on %s', async (signal) => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const env = { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' }
  const host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code' })
  await host.call('agentd_roster')
  expect(await client.roster()).toHaveLength(1)

  host.signal(signal)
  const { code } = await within(host.process, `the server to end after ${signal}`, PROMPTLY_MS)

  expect(code).toBe(0)
  expect(await client.roster()).toEqual([])
})

test('finds the daemon with no variables but HOME and PATH, as Codex starts it', async () => {
  await using daemon = await startTestDaemon()
  const { PATH = '', HOME = '' } = daemon.env
  // The place of last resort may be the very person's who runs this test, so one is named.
  mkdirSync(join(HOME, '.config', 'agentd'), { recursive: true, mode: 0o700 })
  const config = JSON.stringify({ socket: daemon.socket })
  writeFileSync(join(HOME, '.config', 'agentd', 'config.json'), config, { mode: 0o600 })
  await using host = hostOfProcess({ args: serverArgs(), env: { PATH, HOME } }, { name: 'codex-mcp-client' })
  await host.open()

  const { facts } = await host.call('agentd_roster', {}, { threadId: 't1' })

  expect(facts['you']).toBe('~alice/codex@t1')
})

test('attaches to the session that hooks have registered', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await beginClaude(daemon.socket, 's1')
  const [hooked] = await client.roster()
  const env = { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' }
  await using host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code' })

  expect((await host.call('agentd_roster')).facts['you']).toBe(hooked?.address)
  expect(await client.roster()).toHaveLength(1)
})

test('follows the session to its heir after /clear', async () => {
  await using daemon = await startTestDaemon()
  await beginClaude(daemon.socket, 's1')
  const env = { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' }
  await using host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code' })
  const before = (await host.call('agentd_roster')).facts

  await beginClaude(daemon.socket, 's2', 'clear')

  const after = (await host.call('agentd_roster')).facts
  expect(after['you']).toMatch(/@s2$/)
  expect(after['your_name']).toBe(before['your_name'])
})

test('starts the daemon when it is not running', async () => {
  await using user = await createUser()
  const env = { ...user.env, CLAUDE_CODE_SESSION_ID: 's1' }
  await using host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code' })

  expect((await host.call('agentd_roster')).facts['you']).toBe('~alice/cc@s1')
})

test('where it may not, it lists its tools and says in every result what is wrong', async () => {
  await using user = await createUser()
  const env = { ...user.env, CLAUDE_CODE_SESSION_ID: 's1', AGENTD_NO_START: '1' }
  const host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code' })
  await host.open()

  const listed = await host.request('tools/list')
  const called = await host.call('agentd_inbox')
  host.hangUp()
  const { code, stderr } = await within(host.process, 'the server to end', PROMPTLY_MS)

  expect(z.object({ tools: z.array(z.unknown()) }).parse(listed.result).tools).toHaveLength(5)
  expect(called).toMatchObject({ isError: true, facts: { error: { code: 'unreachable' } } })
  expect(code).toBe(0)
  expect(stderr).toContain('agentd mcp: ')
})

test('answers what stands on a stdin that ends at once (OP-08)', async () => {
  await using daemon = await startTestDaemon()
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'claude-code', version: '1' },
  }
  const messages = [
    { id: 0, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 1, method: 'tools/list' },
  ]
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')

  const { stdout, status } = spawnSync(process.execPath, serverArgs(), {
    env: { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' },
    input,
    encoding: 'utf8',
    timeout: 60_000,
  })

  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => z.looseObject({ id: z.number() }).parse(JSON.parse(line)))
  expect(status).toBe(0)
  expect(answers.map(({ id }) => id)).toEqual([0, 1])
})

test('ends promptly while a question still waits, and while the daemon does not answer', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const listener = await client.session({ instrument: 'l', sessionId: 's1', mailbox: true })
  const env = { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' }
  const host = hostOfProcess({ args: serverArgs(), env }, { name: 'claude-code' })
  await host.call('agentd_roster')
  host.post('tools/call', { name: 'agentd_ask', arguments: { text: 'there?', wait_s: 120 } })
  await listener.inbox.wait(8_000)
  process.kill(daemon.pid, 'SIGSTOP')

  try {
    host.hangUp()
    const { code } = await within(host.process, 'the server to end', PROMPTLY_MS)
    expect(code).toBe(0)
  } finally {
    process.kill(daemon.pid, 'SIGCONT')
  }
})
