/**
 * Waking an idle session: by whoever waits on its behalf, and by the daemon itself in each runtime's way (PD-02, OP-07).
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAgentd, type Running } from '../../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { Changes, within } from '../../support/within.ts'
import { payloadOf, type Payload } from '../../runtimes/support/fixtures.ts'
import {
  contextOf,
  rosterOf,
  say,
  startPeer,
  startSession,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'
import { listenAt } from './inbox-socket.ts'
import { keepsFrames } from '../../support/without-sqlite.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon[Symbol.asyncDispose]())

/** A question to one session, by the address that the roster has of it. */
async function ask(session: RuntimeSession, text = 'which port?', own = daemon) {
  const wireId = session.id.replaceAll(/[^\w.:-]/g, '-')
  const roster = await rosterOf(own.socket)
  const found = roster.find(({ session_id: id }) => id.startsWith(wireId))
  return say(own.socket, 'agent_query', { text, recipient_scope: found.address })
}

/** Claude Code's own waiter, as it starts it. */
function startWaiter(
  session: RuntimeSession,
  name = 'session-start',
  env: Record<string, string> = {},
  own = daemon,
): Running {
  const waiter = startAgentd({ ...own.env, CLAUDE_PID: String(session.pid), ...env }, [
    'hook',
    'claude-code',
    '--wait',
  ])
  waiter.type(JSON.stringify(payloadOf('claude-code', name, { session_id: session.id, cwd: own.dir.path })))
  waiter.endInput()
  return waiter
}

/** Waits until the roster says so. */
async function untilIdleDriver(session: RuntimeSession, driver: string, own = daemon): Promise<void> {
  await within(
    (async () => {
      for (;;) {
        const roster = await rosterOf(own.socket)
        if (roster.find(({ session_id }) => session_id === session.id)?.delivery?.idle === driver) return
      }
    })(),
    `${driver} on the roster`,
  )
}

describe('the waiter of Claude Code', () => {
  test('ends with 2 and the question on stderr, and the sender learns that it was seen', async () => {
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using waiter = startWaiter(session)
    await untilIdleDriver(session, 'async-rewake')
    const { body } = await ask(session)

    const ended = await within(waiter.ended, 'the wake')

    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('which port?') })
    expect(ended.stderr).toContain('not words of the user')
    const receiptsNow = async () =>
      (await request(daemon.socket, `/v1/frames/${body.frame_id}`)).body.receipts
    expect(await receiptsNow()).toContainEqual(expect.objectContaining({ state: 'handed', via: 'hook' }))
    // The prompt of the turn that the wake began brings it to the model, which has yet to be asked (OP-09, OP-20).
    const { stdout } = await session.hook('prompt', { prompt: ended.stderr })
    expect(stdout).not.toContain('which port?')
    expect(await receiptsNow()).toContainEqual(expect.objectContaining({ state: 'handed', via: 'hook' }))
    await session.hook('after-tool')
    expect(await receiptsNow()).toContainEqual(expect.objectContaining({ state: 'seen', via: 'hook' }))
  })

  test('is not woken by an answer, an advisory or a question to everybody', async () => {
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using waiter = startWaiter(session)
    await untilIdleDriver(session, 'async-rewake')
    const peer = await startPeer(daemon.socket)
    const scope = `~alice/cc-agent@${session.id}`
    await say(daemon.socket, 'agent_advise', { text: 'fyi', recipient_scope: scope })
    await say(daemon.socket, 'agent_query', { text: 'anyone?', recipient_scope: '~alice/*' })
    const response = {
      query_id: '11111111-1111-4111-8111-111111111111',
      text: 'an answer',
      recipient_scope: scope,
    }
    await say(
      daemon.socket,
      'agent_respond',
      { ...response, provenance: { method: ['urgency.interrupt'] } },
      peer.token,
    )
    // Had one of them woken it, this one would not be what it ends with first.
    await ask(session, 'and now?')

    const { code, stderr } = await within(waiter.ended, 'the wake')

    expect(code).toBe(2)
    for (const text of ['fyi', 'anyone?', 'an answer', 'and now?']) expect(stderr).toContain(text)
  })

  test.for([
    [
      'its process',
      (session: RuntimeSession): Promise<unknown> => Promise.resolve(session[Symbol.asyncDispose]()),
    ],
    ['its session', (session: RuntimeSession): Promise<unknown> => session.hook('session-end')],
  ] as const)('ends quietly with %s', async ([, end]) => {
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using waiter = startWaiter(session)
    await untilIdleDriver(session, 'async-rewake')
    const address = `~alice/cc-agent@${session.id}`
    await end(session)
    // A process that is killed says nothing; whatever comes then ends the long poll.
    await say(daemon.socket, 'agent_query', { text: 'which port?', recipient_scope: address })

    expect(await within(waiter.ended, 'the end of the waiter')).toMatchObject({ code: 0, stderr: '' })
  })

  test('ends quietly with the daemon, which ends as it should', async () => {
    await using own = await startTestDaemon()
    await using session = startSession(own.env, own.dir.path)
    await session.hook('session-start')
    await using waiter = startWaiter(session, 'session-start', {}, own)
    await untilIdleDriver(session, 'async-rewake', own)

    expect(await own.stop()).toEqual({ code: 0, signal: null })
    expect(await within(waiter.ended, 'the end of the waiter')).toMatchObject({ code: 0, stderr: '' })
  })

  test('may be whatever asks over HTTP: the answer is the text, and 204 that nothing is left to wait for', async () => {
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    const wait = () => request(daemon.socket, `/v1/hooks/claude-code/wait?session=${session.id}`)
    const first = wait()
    await untilIdleDriver(session, 'async-rewake')
    const second = await wait()
    await ask(session)

    expect(await within(first, 'the wake')).toMatchObject({
      status: 200,
      text: expect.stringContaining('which port?'),
      headers: { 'content-type': expect.stringContaining('text/plain') },
    })
    expect(second).toMatchObject({ status: 204 })
  })

  test('is one, though each turn arms another', async () => {
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using first = startWaiter(session)
    await untilIdleDriver(session, 'async-rewake')
    await using second = startWaiter(session, 'turn-end')

    expect(await within(second.ended, 'the end of the second')).toMatchObject({ code: 0, stderr: '' })
    await ask(session)
    expect((await within(first.ended, 'the wake')).code).toBe(2)
  })

  test('is none in a headless session, which would wait for it, and does not count as one', async () => {
    await using dir = await createTempDir()
    await using session = startSession(daemon.env, daemon.dir.path)
    const headless = { CLAUDE_CODE_SESSION_ATTENDED: '0' }
    await session.hook('session-start', {}, headless)
    await using waiter = startWaiter(session, 'session-start', headless)

    expect(await within(waiter.ended, 'the end of the waiter')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock') }
    await session.hook('session-start', { source: 'resume' }, { ...headless, ...channel })
    const roster = await rosterOf(daemon.socket)
    expect(roster.find(({ session_id }) => session_id === session.id).delivery.idle).toBe('claude-inbox')
  })

  test('that is killed is no way any more, and the roster says which is left', async () => {
    await using dir = await createTempDir()
    await using inbox = await listenAt(dir.file('inbox.sock'))
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start', {}, { CLAUDE_CODE_MESSAGING_SOCKET: inbox.path })
    await using waiter = startWaiter(session)
    await untilIdleDriver(session, 'async-rewake')
    waiter.signal('SIGKILL')
    await untilIdleDriver(session, 'claude-inbox')
    await ask(session)

    await inbox.changes.until(() => inbox.lines[0], 'the wake')
  })

  test('leaves it to the hooks while a turn is under way', async () => {
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using waiter = startWaiter(session)
    await untilIdleDriver(session, 'async-rewake')
    await session.prompt()
    await ask(session)

    expect((await session.hook('after-tool')).stdout).toContain('which port?')
    await session.hook('turn-end')
    await ask(session, 'and then?')
    const { code, stderr } = await within(waiter.ended, 'the wake')
    expect(code).toBe(2)
    expect(stderr).not.toContain('which port?')
  })
})

/** The session that carries another one on after `/clear`, in the same process. */
async function clearedFrom(session: RuntimeSession): Promise<RuntimeSession> {
  await session.hook('session-end', { reason: 'clear' })
  return startSession(daemon.env, daemon.dir.path, { id: `${session.id}-cleared`, pid: session.pid })
}

describe('what is urgent at the start of a session that nobody types into (PD-02)', () => {
  test('is left to the door after /clear, and not shown where it would be seen and sleep', async () => {
    await using dir = await createTempDir()
    await using inbox = await listenAt(dir.file('inbox.sock'))
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: inbox.path }
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using heir = await clearedFrom(session)
    await ask(session)

    const start = await heir.hook('session-start', { source: 'clear' }, channel)

    expect(contextOf(start)).not.toContain('which port?')
    await inbox.changes.until(() => inbox.lines[0], 'the wake')
    expect(await heir.prompt()).toContain('which port?')
  })

  const HEADLESS = { CLAUDE_CODE_SESSION_ATTENDED: '0' }
  test.for([
    ['with nobody at the keyboard, where a turn begins at once', 'resume', HEADLESS, undefined],
    ['in the middle of a turn, which goes on behind a compaction', 'compact', {}, undefined],
    ['when the session may be woken no more', 'resume', {}, { hooks: { wakes_per_10_min: 0 } }],
  ] as const)('is shown %s', async ([, source, env, config]) => {
    await using own = await startTestDaemon({ ...(config !== undefined && { config }) })
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: own.dir.file('inbox.sock'), ...env }
    await using session = startSession(own.env, own.dir.path)
    await session.hook('session-start')
    if (source === 'compact') await session.prompt()
    await ask(session, 'which port?', own)

    const start = await session.hook('session-start', { source }, channel)

    expect(contextOf(start)).toContain('which port?')
  })

  test('is shown with the rest when it may wait', async () => {
    await using dir = await createTempDir()
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock') }
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using heir = await clearedFrom(session)
    const scope = `~alice/cc-agent@${session.id}`
    await say(daemon.socket, 'agent_advise', { text: 'fyi', recipient_scope: scope })

    expect(contextOf(await heir.hook('session-start', { source: 'clear' }, channel))).toContain('fyi')
  })
})

test('whoever waits for a cleared session goes with it, and leaves the place to that of its successor', async () => {
  await using session = startSession(daemon.env, daemon.dir.path)
  await session.hook('session-start')
  await using before = startWaiter(session)
  await untilIdleDriver(session, 'async-rewake')
  await using heir = await clearedFrom(session)
  await heir.hook('session-start', { source: 'clear' })
  expect(await within(before.ended, 'the end of the first')).toMatchObject({ code: 0, stderr: '' })
  await using waiter = startWaiter(heir)
  await untilIdleDriver(heir, 'async-rewake')
  await ask(heir)

  expect(await within(waiter.ended, 'the wake')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('which port?'),
  })
})

test("Claude Code's inbox socket gets the token and a notice that is not the message; the prompt hook does the rest", async () => {
  await using dir = await createTempDir()
  await using inbox = await listenAt(dir.file('inbox.sock'))
  await using session = startSession(daemon.env, daemon.dir.path)
  const channel = {
    CLAUDE_CODE_MESSAGING_SOCKET: inbox.path,
    CLAUDE_CODE_MESSAGING_TOKEN: 'secret-token',
  }
  await session.hook('session-start', {}, channel)
  const roster = await rosterOf(daemon.socket)
  expect(roster.find(({ session_id }) => session_id === session.id).delivery.idle).toBe('claude-inbox')
  expect(JSON.stringify(roster)).not.toContain('secret-token')
  await ask(session, 'the words of a peer')

  await inbox.changes.until(() => inbox.lines[1], 'the notice')
  expect(await session.prompt()).toContain('the words of a peer')

  const [auth, notice] = inbox.lines.map((line) => JSON.parse(line))
  expect(auth).toEqual({ type: 'auth', token: 'secret-token' })
  expect(notice).toMatchObject({ type: 'user', message: { role: 'user' } })
  expect(notice.message.content).toMatch(
    /^\[agentd [\w-]+\] One message waits in this session's agentd inbox\. .*not by the user/,
  )
  // Not even its name (HD-18).
  expect(notice.message.content).not.toMatch(/the words of a peer|query|alice/)
  expect(notice.message.content).not.toContain('secret-token')
})

/** Sends what a hook of the runtime would, with surroundings that a test can make up. */
async function tell(runtime: string, name: string, changes: Payload, told: object): Promise<void> {
  const { status } = await request(daemon.socket, `/v1/hooks/${runtime}`, {
    json: payloadOf(runtime, name, changes),
    headers: { 'agentd-surroundings': Buffer.from(JSON.stringify(told)).toString('base64url') },
  })
  expect([200, 204]).toContain(status)
}

test("Codex's queue gets the notice by the program that runs the hooks", async () => {
  await using dir = await createTempDir()
  const log = dir.file('codex.log')
  const program = dir.file('codex')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" "home=$CODEX_HOME" end >> ${log}\n`)
  chmodSync(program, 0o755)
  await using session = startSession(daemon.env, daemon.dir.path, { runtime: 'codex' })
  const told = { env: { CODEX_HOME: dir.path }, pid: session.pid, program }
  await tell('codex', 'session-start', { session_id: session.id, cwd: dir.path }, told)
  await ask(session)

  await within(
    (async () => {
      while (!existsSync(log) || !readFileSync(log, 'utf8').endsWith('end\n'))
        await new Promise((resolve) => setImmediate(resolve))
    })(),
    'codex queue',
  )
  expect((await session.hook('prompt')).stdout).toContain('which port?')

  const [queue, thread, id, message, notice, resume, home] = readFileSync(log, 'utf8').split('\n')
  expect([queue, thread, id, message, resume]).toEqual([
    'queue',
    '--thread',
    session.id,
    '--message',
    '--resume',
  ])
  expect(notice).toContain('not by the user')
  expect(notice).not.toMatch(/query|alice/)
  expect(home).toBe(`home=${dir.path}`)
})

test("OpenCode's server gets the notice, with its password", async () => {
  const arrived: { url: string | undefined; authorization: string | undefined; body: string }[] = []
  const changes = new Changes()
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    incoming.on('end', () => {
      arrived.push({ url: incoming.url, authorization: incoming.headers.authorization, body })
      changes.tell()
      outgoing.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await using session = startSession(daemon.env, daemon.dir.path, { runtime: 'opencode', id: 'ses/1 2' })
  const channel = { OPENCODE_SERVER_PASSWORD: 'secret' }
  await session.hook('session-start', { server_url: `http://127.0.0.1:${port}/` }, channel)
  await ask(session)

  await changes.until(() => arrived[0], 'the notice')

  expect(arrived[0]).toMatchObject({
    url: '/session/ses%2F1%202/prompt_async',
    authorization: `Basic ${Buffer.from('opencode:secret').toString('base64')}`,
  })
  expect(JSON.parse(arrived[0]?.body ?? '')).toEqual({
    parts: [{ type: 'text', text: expect.stringContaining('not by the user') }],
  })
  await session.hook('session-end')
  server.close()
})

test('a person who wants no waking gets none', async () => {
  await using quiet = await startTestDaemon({ config: { hooks: { wake_idle: false } } })
  await using inbox = await listenAt(quiet.dir.file('inbox.sock'))
  await using session = startSession(quiet.env, quiet.dir.path)
  await session.hook('session-start', {}, { CLAUDE_CODE_MESSAGING_SOCKET: inbox.path })
  await ask(session, 'which port?', quiet)

  expect(await session.prompt()).toContain('which port?')
  const [own] = await rosterOf(quiet.socket)
  expect(own.delivery.idle).toBe('inbox')
  expect(inbox.came()).toBe(0)
})

describe.runIf(keepsFrames())('a daemon that went and came back (OP-26)', () => {
  const ATTENDED = {}
  const HEADLESS = { CLAUDE_CODE_SESSION_ATTENDED: '0' }
  test.for([
    ['stopped', 'SIGTERM', ATTENDED],
    ['stopped, with nobody at the keyboard', 'SIGTERM', HEADLESS],
    ['killed', 'SIGKILL', ATTENDED],
    ['killed, with nobody at the keyboard', 'SIGKILL', HEADLESS],
  ] as const)('%s, wakes an idle session before any hook has come by', async ([, signal, attended]) => {
    const first = await startTestDaemon()
    await using dir = first.dir
    await using inbox = await listenAt(dir.file('inbox.sock'))
    await using session = startSession(first.env, dir.path)
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: inbox.path, CLAUDE_CODE_MESSAGING_TOKEN: 'secret-token' }
    await session.hook('session-start', {}, { ...channel, ...attended })
    await first.stop(signal)
    await using second = await startTestDaemon({ dir })

    await untilIdleDriver(session, 'claude-inbox', second)
    await ask(session, 'which port?', second)

    await inbox.changes.until(() => inbox.lines[1], 'the wake')
    expect(inbox.lines[0]).toContain('secret-token')
    expect(await session.prompt()).toContain('which port?')
  })

  test('wakes for what came while it was about to go', async () => {
    const first = await startTestDaemon()
    await using dir = first.dir
    await using session = startSession(first.env, dir.path)
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock') }
    // Nobody listens at the door yet: both tries are in vain, and the message waits.
    await session.hook('session-start', {}, channel)
    await ask(session, 'which port?', first)
    await first.stop('SIGKILL')
    await using inbox = await listenAt(dir.file('inbox.sock'))
    await using second = await startTestDaemon({ dir })

    await inbox.changes.until(() => inbox.lines[0], 'the wake')
    expect(await session.prompt()).toContain('which port?')
    expect(second.stderr()).not.toContain('hooks-not-resumed')
  })

  test('never says a wake that nobody would carry out: whoever waited went with the daemon', async () => {
    const first = await startTestDaemon()
    await using dir = first.dir
    await using session = startSession(first.env, dir.path)
    await session.hook('session-start')
    await using waiter = startWaiter(session, 'session-start', {}, first)
    await untilIdleDriver(session, 'async-rewake', first)
    await first.stop('SIGKILL')
    await within(waiter.ended, 'the end of the waiter')
    await using second = await startTestDaemon({ dir })

    await untilIdleDriver(session, 'inbox', second)
    // The next turn arms another one.
    await session.prompt()
    await session.hook('turn-end')
    await using next = startWaiter(session, 'turn-end', {}, second)
    await untilIdleDriver(session, 'async-rewake', second)
    expect(next.stderr()).toBe('')
  })
})
