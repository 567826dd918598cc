/**
 * Waking an idle session: by Claude Code's own waiter, and by ours in each runtime's way (PD-02).
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HookStore } from '../../../src/runtimes/memory/hook-store.ts'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { deliver } from '../../../src/runtimes/wake/deliver.ts'
import { RHYTHM, type Rhythm } from '../../../src/runtimes/wake/watch.ts'
import { AGENTD, startAgentd, type Running } from '../../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { Changes, within } from '../../support/within.ts'
import { payloadOf } from '../../runtimes/support/fixtures.ts'
import {
  contextOf,
  rosterOf,
  say,
  startPeer,
  startSession,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon[Symbol.asyncDispose]())

/** As fast as it goes: tests do not wait for people. */
const FAST: Rhythm = {
  ...RHYTHM,
  roundMs: 200,
  lookMs: 10,
  leastMs: 10,
  mostMs: 20,
  registrationMs: 2_000,
  seenMs: 200,
  queueSeenMs: 200,
}

function ask(session: RuntimeSession, tool = 'cc', text = 'which port?') {
  return say(daemon.socket, 'agent_query', { text, recipient_scope: `~alice/${tool}@${session.id}` })
}

/** What one session's hooks remember. */
// oxlint-disable-next-line typescript/no-explicit-any
function stateOf(id: string): any {
  const folder = daemon.dir.file('hooks')
  const states = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')))
  return states.find(({ sessionId }) => sessionId === id)
}

/** Claude Code's own waiter, as it starts it. */
function startWaiter(
  session: RuntimeSession,
  name = 'session-start',
  env: Record<string, string> = {},
): Running {
  const waiter = startAgentd({ ...daemon.env, CLAUDE_PID: String(session.pid), ...env }, [
    'hook',
    'claude-code',
    '--wait',
  ])
  waiter.type(
    JSON.stringify(payloadOf('claude-code', name, { session_id: session.id, cwd: daemon.dir.path })),
  )
  waiter.endInput()
  return waiter
}

/** Waits until the roster says so. */
async function untilIdleDriver(session: RuntimeSession, driver: string): Promise<void> {
  await within(
    (async () => {
      for (;;) {
        const roster = await rosterOf(daemon.socket)
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
    // The prompt of the turn that the wake began is not the person's: it proves that the wake was heard (OP-09).
    expect(await session.prompt()).not.toContain('which port?')
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
    await ask(session, 'cc', 'and now?')

    const { code, stderr } = await within(waiter.ended, 'the wake')

    expect(code).toBe(2)
    for (const text of ['fyi', 'anyone?', 'an answer', 'and now?']) expect(stderr).toContain(text)
    expect(stateOf(session.id).wakes).toHaveLength(1)
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
    await end(session)
    // A process that is killed says nothing; whatever comes then ends the long poll.
    await ask(session)

    expect(await within(waiter.ended, 'the end of the waiter')).toMatchObject({ code: 0, stderr: '' })
  })

  test('ends quietly with the daemon', async () => {
    await using own = await startTestDaemon()
    await using session = startSession(own.env, own.dir.path)
    await session.hook('session-start')
    await using waiter = startAgentd({ ...own.env, CLAUDE_PID: String(session.pid) }, [
      'hook',
      'claude-code',
      '--wait',
    ])
    waiter.type(
      JSON.stringify(payloadOf('claude-code', 'session-start', { session_id: session.id, cwd: '/' })),
    )
    waiter.endInput()
    await within(
      (async () => {
        while ((await rosterOf(own.socket))[0]?.delivery?.idle !== 'async-rewake');
      })(),
      'the waiter',
    )
    await own.stop()

    expect(await within(waiter.ended, 'the end of the waiter')).toMatchObject({ code: 0, stderr: '' })
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
    expect(stateOf(session.id).waiter).toBeUndefined()
    // Of the time when somebody sat there.
    remember('claude-code', session.id, { waiter: { pid: 2 ** 30, kind: 'rewake' } })
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock') }
    await session.hook('session-start', { source: 'resume' }, { ...headless, ...channel })
    const roster = await rosterOf(daemon.socket)
    expect(roster.find(({ session_id }) => session_id === session.id).delivery.idle).toBe('claude-inbox')
    await within(
      (async () => {
        while (stateOf(session.id).waiter.kind !== 'detached') await new Promise((r) => setImmediate(r))
      })(),
      'a waiter of ours',
    )
    await session.hook('session-end')
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
    await ask(session, 'cc', 'and then?')
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
  test('is left to the waiter after /clear, and not shown where it would be seen and sleep', async () => {
    await using dir = await createTempDir()
    await using inbox = await listenAt(dir.file('inbox.sock'))
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock') }
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    await using heir = await clearedFrom(session)
    await ask(session)

    const start = await heir.hook('session-start', { source: 'clear' }, channel)

    expect(contextOf(start)).not.toContain('which port?')
    await inbox.changes.until(() => inbox.notices[0], 'the wake')
    expect(await heir.prompt()).toContain('which port?')
    await heir.hook('session-end')
  }, 60_000)

  const HEADLESS = { CLAUDE_CODE_SESSION_ATTENDED: '0' }
  test.for([
    ['with nobody at the keyboard, where a turn begins at once', 'resume', HEADLESS, () => undefined],
    [
      'in the middle of a turn, which goes on behind a compaction',
      'compact',
      {},
      (session: RuntimeSession) => session.prompt(),
    ],
    [
      'when the session was woken often enough',
      'resume',
      {},
      ({ id }: RuntimeSession) =>
        remember('claude-code', id, { wakes: Array.from({ length: 60 }, () => Date.now()) }),
    ],
  ] as const)('is shown %s', async ([, source, env, prepare]) => {
    await using dir = await createTempDir()
    const channel = { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock'), ...env }
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    // Somebody waits already, so that the hook starts no process of its own.
    remember('claude-code', session.id, { waiter: { pid: process.pid, kind: 'detached' } })
    await prepare(session)
    await ask(session)

    const start = await session.hook('session-start', { source }, channel)

    expect(contextOf(start)).toContain('which port?')
    await session.hook('session-end')
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
    await heir.hook('session-end')
  })
})

test("the waiter of a cleared session does not keep its successor's out while it ends", async () => {
  await using session = startSession(daemon.env, daemon.dir.path)
  await session.hook('session-start')
  remember('claude-code', session.id, { waiter: { pid: process.pid, kind: 'rewake' } })
  await using heir = await clearedFrom(session)
  await heir.hook('session-start', { source: 'clear' })
  await using waiter = startWaiter(heir)
  await untilIdleDriver(heir, 'async-rewake')
  await ask(heir)

  expect(await within(waiter.ended, 'the wake')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('which port?'),
  })
})

/** Waits for a session, as fast as it goes, until the session is over. */
function waitAt(runtime: string, session: RuntimeSession, rhythm = FAST): Promise<void> {
  const environment = { ...readEnvironment(), env: { ...daemon.env } }
  const programs = { self: AGENTD, daemon: '' }
  return deliver(
    { environment, socketPath: daemon.socket, programs },
    HookStore.fileName(runtime, session.id),
    rhythm,
  )
}

/** Puts a wake channel, or the waiter's name, into what is remembered of a session. */
function remember(runtime: string, id: string, members: object): void {
  const path = daemon.dir.file('hooks', HookStore.fileName(runtime, id))
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...members }), {
    mode: 0o600,
  })
}

/** The runtime's end of its inbox socket: what it is told. */
async function listenAt(path: string) {
  const notices: string[] = []
  const changes = new Changes()
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text: string) => {
      notices.push(text)
      changes.tell()
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return { notices, changes, [Symbol.asyncDispose]: async () => void server.close() }
}

describe("Claude Code's inbox socket", () => {
  test('gets the token and a notice that is not the message, and the prompt hook does the rest', async () => {
    await using dir = await createTempDir()
    const lines: string[] = []
    const changes = new Changes()
    const server = createServer((socket) => {
      socket.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.split('\n').filter((line) => line !== ''))
        changes.tell()
      })
    })
    await new Promise<void>((resolve) => server.listen(dir.file('inbox.sock'), resolve))
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    remember('claude-code', session.id, {
      doors: { claudeSocket: dir.file('inbox.sock'), claudeToken: 'secret-token' },
    })
    const waiting = waitAt('claude-code', session)
    await ask(session, 'cc', 'the words of a peer')

    await changes.until(() => (lines.length >= 2 ? true : undefined), 'the notice')
    expect(await session.prompt()).toContain('the words of a peer')

    const [auth, notice] = lines.map((line) => JSON.parse(line))
    expect(auth).toEqual({ type: 'auth', token: 'secret-token' })
    expect(notice).toMatchObject({ type: 'user', message: { role: 'user' } })
    expect(notice.message.content).toMatch(
      /^\[agentd [\w-]+\] One message waits in this session's agentd inbox\. .*not by the user/,
    )
    // Not even its name (HD-18).
    expect(notice.message.content).not.toMatch(/the words of a peer|query|alice/)
    expect(notice.message.content).not.toContain('secret-token')
    await session.hook('session-end')
    await ask(session)
    await within(waiting, 'the end of the waiter')
    // Seen in time: nobody tried twice.
    expect(lines.filter((line) => line.includes('"user"'))).toHaveLength(1)
    server.close()
  })

  test('is woken once more when nobody looks, and is then left alone', async () => {
    await using dir = await createTempDir()
    await using inbox = await listenAt(dir.file('inbox.sock'))
    const { notices, changes } = inbox
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    remember('claude-code', session.id, { doors: { claudeSocket: dir.file('inbox.sock') } })
    const waiting = waitAt('claude-code', session)
    await ask(session, 'cc', 'unheard')
    await changes.until(() => (notices.length === 2 ? true : undefined), 'the second try')
    await ask(session, 'cc', 'another')
    await changes.until(() => (notices.length === 4 ? true : undefined), 'two tries for the other')

    expect(notices[1]).toContain(', again]')
    expect(new Set(notices).size).toBe(4)
    expect(stateOf(session.id).wakes).toHaveLength(2)
    expect(await session.prompt()).toContain('unheard')
    await session.hook('session-end')
    await within(waiting, 'the end of the waiter')
  })

  test.for([
    ['is woken once more when the daemon has forgotten the session, which is not to be heard', false, 2],
    ['is not woken again when the session has registered anew and nothing waits for it', true, 1],
  ] as const)('%s', async ([, isHeard, tries]) => {
    await using dir = await createTempDir()
    await using inbox = await listenAt(dir.file('inbox.sock'))
    const { notices, changes } = inbox
    await using session = startSession(daemon.env, daemon.dir.path)
    await session.hook('session-start')
    remember('claude-code', session.id, { doors: { claudeSocket: dir.file('inbox.sock') } })
    const { token } = stateOf(session.id)
    let forgotten: Promise<unknown> | undefined
    const forget = async (): Promise<void> => {
      await request(daemon.socket, '/v1/sessions/self', { method: 'DELETE', token })
      if (isHeard) await session.prompt()
    }
    // Between the first try and the first look.
    const pause = async (ms: number): Promise<void> => {
      if (notices.length > 0) await (forgotten ??= forget())
      await FAST.pause(ms)
    }
    const waiting = waitAt('claude-code', session, { ...FAST, pause })
    await ask(session)
    await changes.until(() => (notices.length === tries ? true : undefined), 'the tries')
    if (isHeard) {
      await within(
        (async () => {
          while (stateOf(session.id).token === token) await new Promise((resolve) => setImmediate(resolve))
        })(),
        'a new token',
      )
      await session.hook('session-end')
    }
    await within(waiting, 'the end of the waiter')

    expect(notices).toHaveLength(tries)
  })

  test('is learnt from the surroundings of a hook, kept from others, and starts a waiter of its own', async () => {
    await using dir = await createTempDir()
    const changes = new Changes()
    const heard: string[] = []
    const server = createServer((socket) => {
      socket.setEncoding('utf8').on('data', (text: string) => {
        heard.push(text)
        changes.tell()
      })
    })
    await new Promise<void>((resolve) => server.listen(dir.file('inbox.sock'), resolve))
    await using session = startSession(daemon.env, daemon.dir.path)
    const channel = {
      CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock'),
      CLAUDE_CODE_MESSAGING_TOKEN: 'secret-token',
    }

    await session.hook('session-start', {}, channel)

    const roster = await rosterOf(daemon.socket)
    expect(roster.find(({ session_id }) => session_id === session.id).delivery.idle).toBe('claude-inbox')
    expect(JSON.stringify(roster)).not.toContain('secret-token')
    await ask(session)
    await changes.until(
      () => (heard.length > 0 ? true : undefined),
      'a wake by the waiter that the hook has started',
    )
    const { waiter } = stateOf(session.id)
    expect(waiter.kind).toBe('detached')
    const commandLine = readFileSync(`/proc/${waiter.pid}/cmdline`, 'utf8')
    const variables = readFileSync(`/proc/${waiter.pid}/environ`, 'utf8')
    expect(`${commandLine}${variables}`).not.toContain('secret-token')
    await session.hook('session-end')
    await within(
      (async () => {
        while (existsSync(`/proc/${waiter.pid}`)) await new Promise((resolve) => setImmediate(resolve))
      })(),
      'the end of the waiter',
      60_000,
    )
    server.close()
  }, 60_000)
})

test("Codex's queue gets the notice by the program that runs the hooks", async () => {
  await using dir = await createTempDir()
  const log = dir.file('codex.log')
  const program = dir.file('codex')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" "home=$CODEX_HOME" >> ${log}\n`)
  chmodSync(program, 0o755)
  await using session = startSession(daemon.env, daemon.dir.path, { runtime: 'codex' })
  await session.hook('session-start')
  remember('codex', session.id, { doors: { codexPath: program, codexHome: dir.path } })
  const waiting = waitAt('codex', session)
  await ask(session, 'codex')

  await within(
    (async () => {
      while (!existsSync(log)) await new Promise((resolve) => setImmediate(resolve))
    })(),
    'codex queue',
  )
  expect((await session.hook('prompt')).stdout).toContain('which port?')
  await session.hook('session-end')
  await ask(session, 'codex')
  await within(waiting, 'the end of the waiter')

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

test('Codex, which looks at its queue every ten seconds, has twice as long before it is woken again', async () => {
  await using dir = await createTempDir()
  const log = dir.file('codex.log')
  const program = dir.file('codex')
  writeFileSync(program, `#!/bin/sh\necho woken >> ${log}\n`)
  chmodSync(program, 0o755)
  await using session = startSession(daemon.env, daemon.dir.path, { runtime: 'codex' })
  await session.hook('session-start')
  remember('codex', session.id, { doors: { codexPath: program, codexHome: dir.path } })
  const tries = (): number => (existsSync(log) ? readFileSync(log, 'utf8').split('woken').length - 1 : 0)
  let waitedMs = 0
  const pause = async (ms: number): Promise<void> => {
    if (tries() === 1) waitedMs += ms
  }
  const waiting = waitAt('codex', session, { ...FAST, queueSeenMs: RHYTHM.queueSeenMs, pause })
  await ask(session, 'codex')
  await within(
    (async () => {
      while (tries() < 2) await new Promise((resolve) => setImmediate(resolve))
    })(),
    'the second try',
  )

  expect(waitedMs).toBeGreaterThanOrEqual(20_000)
  await session.hook('session-end')
  await within(waiting, 'the end of the waiter')
})

test.for([
  ['a program of another name', { codexPath: '/bin/sh' }],
  ['a relative path', { codexPath: 'codex' }],
  ['a server elsewhere', { openCodeUrl: 'http://example.org/' }],
  ['no address', { openCodeUrl: 'nonsense' }],
  ['a socket that is not there', { claudeSocket: '/nonexistent/inbox.sock' }],
] as const)('%s is not woken, and the message waits', async ([, doors]) => {
  await using session = startSession(daemon.env, daemon.dir.path, { runtime: 'codex' })
  await session.hook('session-start')
  remember('codex', session.id, { doors })
  const waiting = waitAt('codex', session)
  await ask(session, 'codex')
  await within(
    (async () => {
      while (stateOf(session.id).wakes.length === 0) await new Promise((resolve) => setImmediate(resolve))
    })(),
    'the try',
  )

  expect((await session.hook('prompt')).stdout).toContain('which port?')
  await session.hook('session-end')
  await ask(session, 'codex')
  await within(waiting, 'the end of the waiter')
})

test("OpenCode's server gets the notice, with its password", async () => {
  const arrived: { url: string | undefined; authorization: string | undefined; body: string }[] = []
  const changes = new Changes()
  const server = createHttpServer((incoming, outgoing) => {
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
  const channel = { OPENCODE_SERVER_PASSWORD: 'secret', AGENTD_TEST: '' }
  remember0('opencode', session.id)
  await session.hook('session-start', { server_url: `http://127.0.0.1:${port}/` }, channel)
  const waiting = waitAt('opencode', session)
  const id = String(
    (await rosterOf(daemon.socket)).find(({ instrument }) => instrument === 'opencode')?.session_id,
  )
  await say(daemon.socket, 'agent_query', {
    text: 'which port?',
    recipient_scope: `~alice/opencode-agent@${id}`,
  })

  await changes.until(() => arrived[0], 'the notice')

  expect(arrived[0]).toMatchObject({
    url: '/session/ses%2F1%202/prompt_async',
    authorization: `Basic ${Buffer.from('opencode:secret').toString('base64')}`,
  })
  expect(JSON.parse(arrived[0]?.body ?? '')).toEqual({
    parts: [{ type: 'text', text: expect.stringContaining('not by the user') }],
  })
  await session.hook('session-end')
  await say(daemon.socket, 'agent_query', { text: 'bye', recipient_scope: `~alice/opencode-agent@${id}` })
  await within(waiting, 'the end of the waiter')
  server.close()

  /** Somebody waits already, so that the hook starts no process of its own. */
  function remember0(runtime: string, sessionId: string): void {
    mkdirSync(daemon.dir.file('hooks'), { recursive: true, mode: 0o700 })
    const state = { runtime, sessionId, waiter: { pid: process.pid, kind: 'detached' } }
    writeFileSync(daemon.dir.file('hooks', HookStore.fileName(runtime, sessionId)), JSON.stringify(state), {
      mode: 0o600,
    })
  }
})

test('a file name that is none is not opened', async () => {
  const environment = { ...readEnvironment(), env: { ...daemon.env } }
  const programs = { self: AGENTD, daemon: '' }
  for (const name of ['', '../x.json', '/etc/passwd', 'claude-code-x.json']) {
    await deliver({ environment, socketPath: daemon.socket, programs }, name, FAST)
  }
})

test('a person who wants no waking gets none', async () => {
  const path = daemon.dir.file('quiet.json')
  writeFileSync(path, JSON.stringify({ hooks: { wake_idle: false } }), { mode: 0o600 })
  await using dir = await createTempDir()
  await using session = startSession({ ...daemon.env, AGENTD_CONFIG: path }, daemon.dir.path)

  await session.hook('session-start', {}, { CLAUDE_CODE_MESSAGING_SOCKET: dir.file('inbox.sock') })

  const roster = await rosterOf(daemon.socket)
  expect(roster.find(({ session_id }) => session_id === session.id).delivery.idle).toBe('inbox')
  expect(stateOf(session.id).waiter).toBeUndefined()
})
