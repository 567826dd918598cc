/** The pipe over real daemons that end, are killed, stop, and come again (OP-08, OP-09). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { SESSION_VARIABLES } from '../../src/host/process/session-variables.ts'
import { RUNTIMES } from '../../src/runtimes/catalogue.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { within } from '../support/within.ts'
import { beginClaude, beginHooked } from './support/hooks.ts'
import { LEGACY, MODERN, hostOfProcess, readCalled } from './support/host.ts'
import { serverArgs } from './support/server-process.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

/** A pipe that is expected to find the daemon the test has started, and no other. */
function hostOf(daemon: TestDaemon, env: Readonly<Record<string, string>> = {}, revision: string = MODERN) {
  const variables = { ...daemon.env, AGENTD_NO_START: '1', CLAUDE_CODE_SESSION_ID: 's1', ...env }
  return hostOfProcess({ args: serverArgs(), env: variables }, { name: 'claude-code', revision })
}

describe('a daemon under a connection', () => {
  test.runIf(keepsFrames()).each([
    ['SIGTERM', MODERN],
    ['SIGKILL', MODERN],
    ['SIGTERM', LEGACY[0]],
    ['SIGKILL', LEGACY[0]],
  ] as const)(
    'that ends by %s is followed to the next one, and the host is none the wiser (%s)',
    async (signal, revision) => {
      await using dir = await createTempDir()
      const first = await startTestDaemon({ dir })
      await using host = hostOf(first, {}, revision)
      await host.open()
      await host.call('agentd_lock', { action: 'acquire', resource: 'src/a.ts' })
      await using client = await connect({ socket: first.socket })
      await client.advise('meanwhile', { scope: '~alice/cc@s1' })
      const answers = host.answers.length

      await first.stop(signal)
      await using _second = await startTestDaemon({ dir })
      const { facts } = await host.call('agentd_inbox')

      expect(facts['messages']).toMatchObject([{ text: 'meanwhile' }])
      expect(host.answers).toHaveLength(answers + 1)
      expect((await host.call('agentd_lock', { action: 'release', resource: 'src/a.ts' })).isError).toBe(
        false,
      )
      await using again = await connect({ socket: first.socket })
      expect(await again.roster()).toMatchObject([{ address: '~alice/cc@s1' }])
    },
  )

  test.runIf(keepsFrames())('remembers no name; the pipe does, and the session that goes by it', async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    await using host = hostOfProcess({
      args: serverArgs(),
      env: { ...first.env, AGENTD_NO_START: '1' },
    })
    const before = await host.call('agentd_roster', { as: 'reviewer' })

    await first.stop('SIGKILL')
    await using _second = await startTestDaemon({ dir })

    expect((await host.call('agentd_roster')).facts['you']).toBe(before.facts['you'])
  })

  test('that is killed ends a call with a sentence, and whoever called is not left waiting', async () => {
    await using dir = await createTempDir()
    const first = await startTestDaemon({ dir })
    await using client = await connect({ socket: first.socket })
    const listener = await client.session({ instrument: 'l', sessionId: 's9', mailbox: true })
    await using host = hostOf(first)
    const asked = host.post('tools/call', { name: 'agentd_ask', arguments: { text: 'there?', wait_s: 120 } })
    await listener.inbox.wait(8_000)

    await first.stop('SIGKILL')

    const { isError, facts } = readCalled(await host.answerTo(asked))
    expect(isError).toBe(true)
    expect(facts).toMatchObject({
      error: { code: 'lost', message: expect.stringContaining('may or may not have been done') },
    })
  })

  test('ends in time though calls are under way and the pipe stays', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const listener = await client.session({ instrument: 'l', sessionId: 's9', mailbox: true })
    await using host = hostOf(daemon)
    host.post('tools/call', { name: 'agentd_ask', arguments: { text: 'there?', wait_s: 120 } })
    await listener.inbox.wait(8_000)

    expect(await daemon.stop()).toEqual({ code: 0, signal: null })
    expect((await host.call('agentd_roster')).facts).toMatchObject({ error: { code: 'unreachable' } })
  })

  test('that is stopped costs a call its bound and a sentence, and goes on when it runs again', async () => {
    await using daemon = await startTestDaemon()
    await using host = hostOf(daemon)
    await host.call('agentd_roster')
    process.kill(daemon.pid, 'SIGSTOP')
    try {
      const id = host.post('tools/call', { name: 'agentd_roster', arguments: {} })
      const told = await within(
        host.answerTo(id).catch(() => host.answerTo(id)),
        'a sentence',
        16_000,
      )
      expect(readCalled(told)).toMatchObject({
        isError: true,
        facts: { error: { code: 'lost', message: expect.stringContaining('does not answer') } },
      })
    } finally {
      process.kill(daemon.pid, 'SIGCONT')
    }

    expect((await host.call('agentd_roster')).facts['you']).toBe('~alice/cc@s1')
  }, 40_000)

  test('that is stopped when a session begins leaves it its tools', async () => {
    await using daemon = await startTestDaemon()
    process.kill(daemon.pid, 'SIGSTOP')
    const host = hostOf(daemon, {}, LEGACY[0])
    try {
      expect((await host.open()).result).toMatchObject({ serverInfo: { name: 'agentd' } })
      expect((await host.request('tools/list')).result).toHaveProperty('tools')
    } finally {
      process.kill(daemon.pid, 'SIGCONT')
    }

    expect((await host.call('agentd_roster')).facts['you']).toBe('~alice/cc@s1')
    await host[Symbol.asyncDispose]()
  }, 40_000)
})

describe('one runtime session', () => {
  test.runIf(keepsFrames())(
    'is one roster line, whatever it uses: hooks, tools, a restart of the daemon, a second pipe (OP-08)',
    async () => {
      await using dir = await createTempDir()
      const first = await startTestDaemon({ dir })
      await using client = await connect({ socket: first.socket })
      await beginClaude(first.socket, 's1')
      const [hooked] = await client.roster()
      await using host = hostOf(first)
      await host.call('agentd_send', { kind: 'advise', text: 'one' })
      await using other = hostOf(first)
      await other.call('agentd_roster')

      await first.stop('SIGKILL')
      await using _second = await startTestDaemon({ dir })
      await host.call('agentd_inbox')
      await other.call('agentd_lock', { action: 'acquire', resource: 'x' })

      await using again = await connect({ socket: first.socket })
      expect((await again.roster()).map(({ address }) => address)).toEqual([hooked?.address])
    },
  )

  test('is that one, too, where its host names no session and one alone lives in its process (OP-08)', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const begin = (id: string): Promise<void> =>
      beginHooked(daemon.socket, 'opencode', { hook_event_name: 'session.created', session_id: id })
    await begin('ses_1')
    const [hooked] = await client.roster()
    const env = { ...daemon.env, AGENTD_NO_START: '1' }
    await using host = hostOfProcess({ args: serverArgs(), env }, { name: 'opencode' })

    expect((await host.call('agentd_roster')).facts['you']).toBe(hooked?.address)
    expect(await client.roster()).toHaveLength(1)

    await begin('ses_2')
    await using other = hostOfProcess({ args: serverArgs(), env }, { name: 'opencode' })
    expect((await other.call('agentd_roster')).facts).toMatchObject({ error: { field: 'as' } })
  })

  test('whose pipe is killed behind its inbox finds the messages again, as perhaps shown (OP-09)', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await beginClaude(daemon.socket, 's1')
    const { frameId } = await client.advise('read me')
    const host = hostOf(daemon)
    await host.call('agentd_inbox')
    const stateOf = async () => (await client.receipts(frameId)).receipts.map(({ state }) => state)
    expect(await stateOf()).toEqual(['handed'])

    host.signal('SIGKILL')
    await within(host.process, 'the pipe to be gone')
    await within(
      (async () => {
        while ((await stateOf())[0] === 'handed');
      })(),
      'the message to be taken back',
    )

    await using next = hostOf(daemon)
    const { facts } = await next.call('agentd_inbox')
    expect(facts['messages']).toMatchObject([{ text: 'read me', perhaps_shown: true }])
    await next.call('agentd_roster')
    expect(await stateOf()).toEqual(['seen'])
  })
})

describe('where a token is mandatory', () => {
  const config = { auth: 'session' }

  test('the pipe shows the key of the person, as other programs do (HD-23)', async () => {
    await using daemon = await startTestDaemon({ config })
    await using host = hostOf(daemon)

    expect((await host.call('agentd_roster')).facts['you']).toBe('~alice/cc@s1')
  })

  test('one that has no key is told so: the host by an error, the person on stderr', async () => {
    await using daemon = await startTestDaemon({ config })
    const host = hostOf(daemon, { AGENTD_STATE_DIR: daemon.dir.file('elsewhere') }, LEGACY[0])

    const { error } = await host.request('initialize', { protocolVersion: LEGACY[0] })
    host.hangUp()
    const { code, stderr } = await within(host.process, 'the pipe to end')

    expect(error?.message).toContain('agentd-key')
    expect(stderr).toContain('agentd-key')
    expect(code).toBe(0)
  })
})

test('a host that reads no more is the end of the pipe, without a word', async () => {
  await using daemon = await startTestDaemon()
  const env = { ...daemon.env, CLAUDE_CODE_SESSION_ID: 's1' }
  const child = spawn(process.execPath, [...serverArgs()], { env, stdio: 'pipe' })
  const stderr = child.stderr.setEncoding('utf8').toArray()
  const ended = once(child, 'close')
  child.stdout.destroy()

  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}\n')

  expect(await within(ended, 'the pipe to end')).toEqual([0, null])
  expect(await stderr).toEqual([])
})

test('the pipe loads neither the server nor what it is made with, and is small (OP-08)', async () => {
  await using daemon = await startTestDaemon()
  await using host = hostOf(daemon)
  await host.call('agentd_roster')

  const bundle = readFileSync(
    join(import.meta.dirname, '..', '..', 'dist', 'cli', 'fast', 'mcp-fast.cjs'),
    'utf8',
  )

  expect(bundle).not.toMatch(/modelcontextprotocol|ZodObject|commander/)
  expect(bundle.length).toBeLessThan(48 * 1_024)
})

test('the variables that the pipe reports are those of the runtimes', () => {
  const named = RUNTIMES.flatMap(({ sessionVariable }) =>
    sessionVariable === undefined ? [] : [sessionVariable],
  )

  expect(SESSION_VARIABLES.toSorted()).toEqual(named.toSorted())
})
