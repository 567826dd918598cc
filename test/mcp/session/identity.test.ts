/** Which session speaks: from what the host says, from what a hook has left, or asked for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../../../src/client/connect.ts'
import { mcpHosts } from '../../../src/runtimes/mcp-hosts.ts'
import type { HookedSession } from '../../../src/mcp/session/session-pool.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { claudeHost, connectHost, type Surroundings } from '../support/connection.ts'
import { LEGACY, MODERN, type Host } from '../support/host.ts'
import { knowsProcesses } from '../../support/without-koffi.ts'

/** For what registers nothing; whoever looks at a roster has a daemon of its own. */
let shared: TestDaemon
beforeAll(async () => {
  shared = await startTestDaemon()
})
afterAll(() => shared[Symbol.asyncDispose]())

async function addressOf(host: Host, args: object = {}, meta: Record<string, unknown> = {}): Promise<string> {
  const { facts } = await host.call('agentd_roster', args, meta)
  return z.string().parse(facts['you'] ?? JSON.stringify(facts))
}

describe('a host that says which session is calling', () => {
  test.each([MODERN, ...LEGACY])('Claude Code does so in the environment (%s)', async (revision) => {
    await using daemon = await startTestDaemon()
    await using host = claudeHost(daemon.socket, '18721cb1-4e76-4b68-a5aa-649fcce2522b', revision)
    await host.open()

    expect(await addressOf(host)).toBe('~alice/cc@18721cb1-4e76-4b68-a5aa-649fcce2522b')
  })

  test.each([MODERN, '2025-06-18'])('Codex does so with every call (%s)', async (revision) => {
    await using daemon = await startTestDaemon()
    await using host = connectHost(daemon.socket, {}, { name: 'codex-mcp-client', revision })
    await host.open()
    const meta = { threadId: 't-1', sessionId: 's-1', callId: 'c-1' }

    expect(await addressOf(host, {}, meta)).toBe('~alice/codex@t-1')
    expect(await addressOf(host, {}, { threadId: 't-2' })).toBe('~alice/codex@t-2')
    expect(await addressOf(host, {}, { sessionId: 's-3' })).toBe('~alice/codex@s-3')
    expect(await addressOf(host, {}, meta)).toBe('~alice/codex@t-1')
  })

  test('Gemini does so in the environment', async () => {
    await using daemon = await startTestDaemon()
    const hosts = mcpHosts({ GEMINI_SESSION_ID: 'g-1' })
    await using gemini = connectHost(daemon.socket, { hosts }, { name: 'gemini-cli-mcp-client' })
    await gemini.open()

    expect(await addressOf(gemini)).toBe('~alice/gemini@g-1')
  })

  test('the session says what it is: tool, mailbox, place', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await using host = claudeHost(daemon.socket, 's1')
    await host.call('agentd_roster')

    expect(await client.roster()).toMatchObject([
      { address: '~alice/cc@s1', tool: 'cc', cwd: '/home/alice/api', mailbox: { unread: 0 } },
    ])
  })

  test('a variable of another host that was merely inherited does not count', async () => {
    await using daemon = await startTestDaemon()
    const hosts = mcpHosts({ CLAUDE_CODE_SESSION_ID: 's1' })
    await using gemini = connectHost(daemon.socket, { hosts }, { name: 'gemini-cli-mcp-client' })
    await gemini.open()

    const { isError, facts } = await gemini.call('agentd_roster')

    expect(isError).toBe(true)
    expect(facts).toMatchObject({ error: { code: 'field-missing', field: 'as' } })
  })

  test.each([['../../etc'], [''], ['x'.repeat(129)], [7], [null], [{ a: 1 }]])(
    'an id that is none does not count: %j',
    async (threadId) => {
      await using host = connectHost(shared.socket, {}, { name: 'codex-mcp-client' })

      const { facts } = await host.call('agentd_roster', {}, { threadId })

      expect(facts).toMatchObject({ error: { code: 'field-missing', field: 'as' } })
    },
  )
})

describe('a host that does not', () => {
  test.each(['agentd_send', 'agentd_inbox', 'agentd_ask', 'agentd_roster', 'agentd_lock'])(
    'has its model asked for a name by %s',
    async (name) => {
      await using client = await connect({ socket: shared.socket })
      await using host = connectHost(shared.socket)

      const { isError, facts } = await host.call(name, {})

      expect(isError).toBe(true)
      expect(facts).toMatchObject({ error: { code: 'field-missing', field: 'as' } })
      expect(String(Reflect.get(Object(facts['error']), 'message'))).toContain('"as"')
      expect(await client.roster()).toEqual([])
    },
  )

  test('is asked once: the name is remembered, a second one makes a second session', async () => {
    await using daemon = await startTestDaemon()
    await using host = connectHost(daemon.socket, {}, { name: 'cursor-vscode' })
    const first = await addressOf(host, { as: 'reviewer' })

    expect(first).toMatch(/^~alice\/reviewer@/)
    expect(await addressOf(host)).toBe(first)
    expect(await addressOf(host, { as: 'writer' })).toMatch(/^~alice\/writer@/)
    expect(await addressOf(host, { as: 'reviewer' })).toBe(first)
  })

  test.each([
    ['cursor-vscode', 'cursor'],
    ['Visual Studio Code', 'vscode'],
    ['github-copilot-developer', 'copilot'],
    ['opencode', 'opencode'],
    ['something else', 'other'],
  ])('is of the tool class its client says: %s', async (name, tool) => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    await using host = connectHost(daemon.socket, {}, { name })
    await host.call('agentd_roster', { as: 'one' })

    expect(await client.roster()).toMatchObject([{ instrument: 'one', tool }])
  })

  test.each(['Reviewer', 'a b', '', '-x', '~org', 'x'.repeat(33), '../..'])(
    'is told what a name is when it gives %j',
    async (name) => {
      await using host = connectHost(shared.socket)

      const { facts } = await host.call('agentd_roster', { as: name })

      expect(facts).toMatchObject({ error: { code: 'field-invalid', field: 'as' } })
    },
  )

  test('two connections of one name are two sessions', async () => {
    await using daemon = await startTestDaemon()
    await using a = connectHost(daemon.socket)
    await using b = connectHost(daemon.socket)

    expect(await addressOf(a, { as: 'twin' })).not.toBe(await addressOf(b, { as: 'twin' }))
  })
})

describe('a session that a hook has registered', () => {
  test('is spoken for, not registered a second time, and not ended', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const hooked = await client.session({ instrument: 'cc-opus', sessionId: 's1', tool: 'cc', mailbox: true })
    const { surroundings } = hooks(['claude-code:s1', hooked.token])
    const host = connectHost(daemon.socket, surroundings, { name: 'claude-code' })

    expect(await addressOf(host)).toBe(hooked.address)
    expect(await client.roster()).toHaveLength(1)
    await host[Symbol.asyncDispose]()

    expect(await client.roster()).toMatchObject([{ address: hooked.address }])
  })

  test.runIf(knowsProcesses())(
    'is followed to its successor after /clear, under the id the server was started with',
    async () => {
      await using daemon = await startTestDaemon()
      await using client = await connect({ socket: daemon.socket })
      const before = await client.session({ instrument: 'cc', sessionId: 's1', tool: 'cc', mailbox: true })
      const { tokens, surroundings } = hooks(['claude-code:s1', before.token])
      await using host = connectHost(daemon.socket, surroundings, { name: 'claude-code' })
      expect(await addressOf(host)).toBe(before.address)

      const successor = { instrument: 'cc', sessionId: 's2', tool: 'cc', mailbox: true, successorOf: 'cc@s1' }
      const after = await client.session(successor)
      await before.close()
      tokens.set('claude-code:s1', after.token)

      expect(await addressOf(host)).toBe(after.address)
    },
  )

  test('that has ended, with a token that nobody knows any more, gives way to one of our own', async () => {
    await using daemon = await startTestDaemon()
    const { surroundings } = hooks(['claude-code:s1', 'no-such-token'])
    await using host = connectHost(daemon.socket, surroundings, { name: 'claude-code' })

    expect(await addressOf(host)).toBe('~alice/cc@s1')
  })

  test('of a Codex thread is found under its session id too', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const hooked = await client.session({
      instrument: 'codex',
      sessionId: 'c9',
      tool: 'codex',
      mailbox: true,
    })
    const { surroundings } = hooks(['codex:c9', hooked.token])
    await using host = connectHost(daemon.socket, surroundings, { name: 'codex-mcp-client' })

    expect(await addressOf(host, {}, { threadId: 't1', sessionId: 'c9' })).toBe(hooked.address)
  })

  test('without a mailbox still speaks; its inbox is refused by name', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const hooked = await client.session({ instrument: 'cc', sessionId: 's1', tool: 'cc' })
    const { surroundings } = hooks(['claude-code:s1', hooked.token])
    await using host = connectHost(daemon.socket, surroundings, { name: 'claude-code' })

    expect(await host.call('agentd_send', { kind: 'advise', text: 'x' })).toMatchObject({ isError: false })
    expect((await host.call('agentd_inbox')).facts).toMatchObject({ error: { code: 'not-found' }, unread: 0 })
  })
})

test('an address whose holder lives is left to it: the server goes by another session id', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await client.session({ instrument: 'cc', sessionId: 's1', tool: 'cc', pid: process.pid })
  await using host = claudeHost(daemon.socket, 's1')

  const address = await addressOf(host)

  expect(address).toMatch(/^~alice\/cc@/)
  expect(address).not.toBe('~alice/cc@s1')
})

test('a connection ends what it has registered when its input ends', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const host = claudeHost(daemon.socket, 's1')
  await host.call('agentd_roster')
  expect(await client.roster()).toHaveLength(1)

  await host[Symbol.asyncDispose]()

  expect(await client.roster()).toEqual([])
})

/** What hooks have left, as they would change it. */
function hooks(...left: readonly [session: string, token: string][]): {
  readonly tokens: Map<string, string>
  readonly surroundings: Surroundings
} {
  const tokens = new Map(left)
  const findHooked = (runtime: string, id: string): HookedSession | undefined => {
    const token = tokens.get(`${runtime}:${id}`)
    return token === undefined ? undefined : { token, leaseKeys: [] }
  }
  return { tokens, surroundings: { findHooked, hosts: mcpHosts({ CLAUDE_CODE_SESSION_ID: 's1' }) } }
}

describe('a host that says nothing, with hooks (OP-08)', () => {
  const name = { name: 'opencode' }

  test('speaks as the one session that they have registered for its process, whatever the model calls itself', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const hooked = await client.session({
      instrument: 'opencode',
      sessionId: 'o1',
      tool: 'opencode',
      mailbox: true,
    })
    const findHooked = (_: string, id: string): HookedSession | undefined =>
      id === 'o1' ? { token: hooked.token, leaseKeys: [] } : undefined
    await using host = connectHost(daemon.socket, { findHooked, hookedHere: () => ['o1'] }, name)
    await host.open()

    expect(await addressOf(host, { as: 'somebody' })).toBe(hooked.address)
    expect(await addressOf(host)).toBe(hooked.address)
    expect(await client.roster()).toHaveLength(1)
  })

  test.each([
    ['several', ['o1', 'o2']],
    ['none', []],
    ['one that is no id', ['o 1']],
  ])('with %s of them it is asked for a name, and keeps it when hooks come later', async (_, ids) => {
    const here: string[] = [...ids]
    await using host = connectHost(shared.socket, { hookedHere: () => here }, name)
    await host.open()

    const nameless = await host.call('agentd_roster')
    const named = await addressOf(host, { as: 'worker' })
    here.splice(0, here.length, 'o9')

    expect(nameless).toMatchObject({
      isError: true,
      facts: { error: { code: 'field-missing', field: 'as' } },
    })
    expect(await addressOf(host)).toBe(named)
  })
})
