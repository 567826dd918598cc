/**
 * `AGENTD_DEBUG` in hooks and waiters: what they asked, and why they stayed silent; nothing of what they were told.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUser, startAgentd } from '../../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'
import { FIXTURES, payloadOf } from '../../runtimes/support/fixtures.ts'
import { runHook, say, startSession } from '../../runtimes/support/sessions.ts'

const SECRET = 'hush-77aa'

let dir: TempDir
let daemon: TestDaemon
let env: Record<string, string>

beforeEach(async () => {
  dir = await createTempDir()
  daemon = await startTestDaemon({ dir })
  env = { ...daemon.env, AGENTD_DEBUG: dir.file('debug.log') }
})

afterEach(async () => {
  await daemon[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

// A wrong guess at what is in a line is a failing test.
// oxlint-disable-next-line typescript/no-explicit-any
function linesOf(what: string): any[] {
  return readFileSync(dir.file('debug.log'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .filter((line) => line.what === what)
}

const lastHook = () => linesOf('hook').at(-1)

test('a hook that speaks says what it asked, and that it spoke', async () => {
  await using session = startSession(env, dir.path)
  await session.hook('session-start')
  await say(daemon.socket, 'agent_advise', { text: SECRET })

  expect(await session.prompt()).toContain(SECRET)

  expect(lastHook()).toMatchObject({
    runtime: 'claude-code',
    kind: 'event',
    event: 'prompt',
    ms: expect.any(Number),
    asked: expect.stringMatching(/^POST \/v1\/inbox\/drain 200, .*POST \/v1\/seen 200$/),
    said: 'context',
  })
  expect(lastHook()).not.toHaveProperty('silent')
})

test('a hook that is silent says why', async () => {
  await using session = startSession(env, dir.path)
  const why = async (name: string, changes = {}) => {
    await session.hook(name, changes)
    return lastHook().silent
  }
  await session.hook('session-start')

  expect(await why('session-start')).toBe('repeated')
  expect(await why('prompt')).toBe('nothing-new')
  expect(await why('before-tool', { tool_name: 'Read', tool_input: { pattern: SECRET } })).toBe('no-files')
  expect(await why('turn-end')).toBe('nothing-new')
  await say(daemon.socket, 'agent_advise', { text: SECRET })
  expect(await why('turn-end', { session_id: session.id })).toBe('nothing-urgent')
  await runHook(env, 'claude-code', `{"${SECRET}`)
  expect(lastHook()).toMatchObject({ silent: 'not-understood', runtime: 'claude-code' })
})

test('an error is told with its stack, and a hook that cannot reach the daemon says how', async () => {
  await using session = startSession(env, dir.path)
  await session.hook('session-start')
  await daemon.stop()

  await session.hook('prompt')
  expect(lastHook()).toMatchObject({
    silent: 'error',
    error: 'Unreached',
    how: 'absent',
    asked: 'POST /v1/inbox/drain unanswered',
    stack: expect.stringMatching(/^ {4}at .*hook-fast\.cjs/),
  })

  rmSync(dir.file('hooks'), { recursive: true })
  writeFileSync(dir.file('hooks'), '')
  await session.hook('prompt')
  expect(lastHook()).toMatchObject({ silent: 'error', stack: expect.stringMatching(/^ {4}at /) })
})

test('a hook that runs out of time says so', async () => {
  await using session = startSession(env, dir.path)
  await session.hook('session-start')
  await daemon.stop()
  await using mute = await listenAndSayNothing(daemon.socket)

  await session.hook('prompt')

  expect(mute.path).toBe(daemon.socket)
  expect(lastHook()).toMatchObject({ silent: 'out-of-time' })
})

/** A daemon that takes everything and answers nothing. */
async function listenAndSayNothing(path: string): Promise<AsyncDisposable & { path: string }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    path,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

test('of every event of every runtime the line holds no payload and no token (R-10)', async () => {
  for (const { runtime, payload } of FIXTURES) {
    const marked = markedWith(payload)
    await runHook({ ...env, CLAUDE_CODE_MESSAGING_TOKEN: SECRET }, runtime, JSON.stringify(marked))
  }

  expect(linesOf('hook').length).toBeGreaterThanOrEqual(FIXTURES.length)
  const text = readFileSync(dir.file('debug.log'), 'utf8')
  expect(text).not.toContain(SECRET)
  const tokens = readFileSync(dir.file('debug.log'), 'utf8').match(/Bearer|token/gi)
  expect(tokens).toBeNull()
})

/** Every text of a payload but the names that make it an event. */
function markedWith(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    return /event|hook|source|reason|tool_name|cwd|type/i.test(name) ? value : `${SECRET} ${value}`
  }
  if (Array.isArray(value)) return value.map((one) => markedWith(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, markedWith(member, key)]))
}

test('a wake is a line of its own, and what it wakes with stays off the lines', async () => {
  await using session = startSession(env, dir.path)
  await session.hook('session-start')
  await session.hook('turn-end')
  const payload = payloadOf('claude-code', 'session-start', { session_id: session.id, cwd: dir.path })
  await using waiter = startAgentd({ ...env, CLAUDE_PID: String(session.pid) }, [
    'hook',
    'claude-code',
    '--wait',
  ])
  waiter.type(JSON.stringify(payload))
  waiter.endInput()
  await say(daemon.socket, 'agent_query', { text: SECRET, recipient_scope: `~alice/cc-agent@${session.id}` })

  const { code, stderr } = await within(waiter.ended, 'the waiter to wake the session')

  expect([code, stderr.includes(SECRET)]).toEqual([2, true])
  expect(linesOf('wake')).toMatchObject([
    { runtime: 'claude-code', driver: 'async-rewake', tries: 1, isTaken: true },
  ])
  expect(lastHook()).toMatchObject({ kind: 'rewake', said: 'context' })
  expect(readFileSync(dir.file('debug.log'), 'utf8')).not.toContain(SECRET)
})

test('with a minus a hook writes its line to stderr, and one that wakes does not: that is what it wakes with', async () => {
  await using session = startSession({ ...daemon.env, AGENTD_DEBUG: '-' }, dir.path)

  const { stderr } = await session.hook('session-start')

  expect(JSON.parse(stderr)).toMatchObject({ what: 'hook', event: 'session-start' })
  expect(existsSync(dir.file('-'))).toBe(false)
})

test.each([
  ['a link', (path: string) => symlinkSync(dir.file('target'), path)],
  ['a folder', (path: string) => mkdirSync(path)],
  [
    'readable by others',
    (path: string) => {
      writeFileSync(path, '')
      chmodSync(path, 0o644)
    },
  ],
])('a file that is %s costs the line and nothing else (R-02)', async (_, spoil) => {
  spoil(dir.file('debug.log'))
  await using session = startSession(env, dir.path)

  const answer = await session.hook('session-start')

  expect(answer).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(dir.file('target'))).toBe(false)
})

test('without it nothing is written, and nothing is loaded for it', async () => {
  await using user = await createUser()
  const fast = readFileSync(join(import.meta.dirname, '../../../dist/cli/fast/hook-fast.cjs'), 'utf8')

  await runHook(
    { ...user.env, AGENTD_NO_START: '1' },
    'claude-code',
    JSON.stringify(payloadOf('claude-code', 'prompt')),
  )

  expect(readdirSync(user.dir.path)).not.toContain('debug.log')
  // The writer is in the part that is loaded when somebody asks.
  expect(fast).toContain('AGENTD_DEBUG')
  expect(fast).not.toContain('nobody else may read')
})
