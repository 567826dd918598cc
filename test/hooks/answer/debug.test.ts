/**
 * `AGENTD_DEBUG` about hooks and wakes: what was said, or why nothing was; nothing of what they were told. The daemon
 * writes it, since it answers them.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createUser, startAgentd } from '../../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'
import { FIXTURES, payloadOf } from '../../runtimes/support/fixtures.ts'
import { rosterOf, runHook, say, startSession } from '../../runtimes/support/sessions.ts'
import { openDesk } from '../desk-in-process.ts'

const SECRET = 'hush-77aa'

let dir: TempDir
let daemon: TestDaemon
let env: Readonly<Record<string, string>>

beforeEach(async () => {
  dir = await createTempDir()
  daemon = await startTestDaemon({ dir, env: { AGENTD_DEBUG: dir.file('debug.log') } })
  env = daemon.env
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

test('a hook that speaks says that it spoke, and how long it took', async () => {
  await using session = startSession(env, dir.path)
  await session.hook('session-start')
  await say(daemon.socket, 'agent_advise', { text: SECRET })

  expect(await session.prompt()).toContain(SECRET)

  expect(lastHook()).toMatchObject({
    runtime: 'claude-code',
    event: 'prompt',
    ms: expect.any(Number),
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
  expect(await why('before-tool', { tool_name: 'Read', tool_input: { pattern: SECRET } })).toBe('not-shown')
  expect(await why('turn-end')).toBe('nothing-new')
  await say(daemon.socket, 'agent_advise', { text: SECRET })
  expect(await why('turn-end', { session_id: session.id })).toBe('nothing-urgent')
  await runHook(env, 'claude-code', `{"${SECRET}`)
  expect(lastHook()).toMatchObject({ silent: 'not-understood', runtime: 'claude-code' })
})

test('an error is told with its stack, costs that one answer, and the next event is dealt with', async () => {
  await using desk = await openDesk()
  await desk.event('claude-code', 'session-start', { session_id: 's1' })
  const drain = vi.spyOn(desk.broker, 'drain').mockImplementation(() => {
    throw new TypeError('a slip of the program')
  })
  await desk.say('agent_advise', { text: SECRET, recipient_scope: '~alice/cc-agent@s1' })

  expect(await desk.event('claude-code', 'prompt', { session_id: 's1' })).toBe('')

  expect(desk.lines.filter(({ what, event }) => what === 'hook' && event === 'prompt')).toMatchObject([
    { silent: 'error', error: 'TypeError', stack: expect.stringMatching(/^ {4}at /) },
  ])
  drain.mockRestore()
  expect(await desk.event('claude-code', 'after-tool', { session_id: 's1' })).toContain(SECRET)
})

test('an answer that would come too late says so, and what it would have shown goes on waiting (OP-01)', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock })
  await desk.event('claude-code', 'session-start', { session_id: 's1' })
  await desk.say('agent_advise', { text: SECRET, recipient_scope: '~alice/cc-agent@s1' })

  const late = desk.event('claude-code', 'prompt', { session_id: 's1' })
  clock.advance(300)

  expect(await late).toBe('')
  expect(desk.lines.at(-1)).toMatchObject({ event: 'prompt', silent: 'out-of-time', ms: 300 })
  expect(await desk.event('claude-code', 'after-tool', { session_id: 's1' })).toContain(SECRET)
})

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
  await within(
    (async () => {
      while ((await rosterOf(daemon.socket))[0].delivery.idle !== 'async-rewake');
    })(),
    'the waiter',
  )
  await say(daemon.socket, 'agent_query', { text: SECRET, recipient_scope: `~alice/cc-agent@${session.id}` })

  const { code, stderr } = await within(waiter.ended, 'the waiter to wake the session')

  expect([code, stderr.includes(SECRET)]).toEqual([2, true])
  expect(linesOf('wake')).toMatchObject([
    { runtime: 'claude-code', driver: 'async-rewake', tries: 1, isTaken: true },
  ])
  expect(readFileSync(dir.file('debug.log'), 'utf8')).not.toContain(SECRET)
})

test('with a minus the daemon writes to its stderr, and a hook never to its own: that is what a session is woken with', async () => {
  await daemon.stop()
  daemon = await startTestDaemon({ dir, env: { AGENTD_DEBUG: '-' } })
  await using session = startSession({ ...daemon.env, AGENTD_DEBUG: '-' }, dir.path)

  const { stderr } = await session.hook('session-start')

  expect(stderr).toBe('')
  const lines = daemon.stderr().split('\n')
  const [line = '{}'] = lines.filter((one) => one.includes('"what":"hook"'))
  expect(JSON.parse(line)).toMatchObject({ what: 'hook', event: 'session-start' })
  expect(existsSync(dir.file('-'))).toBe(false)
})

test('a hook writes no line of its own, with a daemon or without', async () => {
  await using user = await createUser()
  const debug = { AGENTD_DEBUG: user.dir.file('debug.log'), AGENTD_NO_START: '1' }

  const answer = await runHook(
    { ...user.env, ...debug },
    'claude-code',
    JSON.stringify(payloadOf('claude-code', 'prompt')),
  )

  expect(answer).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(readdirSync(user.dir.path)).not.toContain('debug.log')
})
