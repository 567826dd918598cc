/**
 * What a session does, as its hooks tell it to the real daemon (W-4, SEAT-10, docs/runtimes.md §10 rule 11).
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import {
  contextOf,
  createCheckout,
  rosterOf,
  say,
  startSession,
  tell,
  type Checkout,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'

let checkout: Checkout
let daemon: TestDaemon

beforeAll(async () => {
  checkout = await createCheckout()
  daemon = await startTestDaemon()
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

// Entries have every shape there is, and a wrong guess is a failing test.
// oxlint-disable-next-line typescript/no-explicit-any
async function activityOf({ id }: RuntimeSession): Promise<any> {
  return (await rosterOf(daemon.socket)).find(({ session_id }) => session_id === id)?.activity
}

const SILENT = { code: 0, stdout: '', stderr: '' }
const ASKED = { state: 'waiting', reason: 'permission', text: 'Claude needs your permission' }

test('a turn of Claude Code: it works, asks, works on, and rests (SEAT-10)', async () => {
  await using session = startSession(daemon.env, checkout.main)
  const seen: unknown[] = []
  const look = async (): Promise<void> => void seen.push(await activityOf(session))

  await session.hook('session-start')
  await look()
  await session.hook('prompt')
  await look()
  expect(await session.hook('notice')).toMatchObject(SILENT)
  await look()
  await session.hook('after-tool')
  await look()
  await session.hook('turn-end')
  await look()

  const since = expect.any(String)
  expect(seen).toEqual([
    null,
    { state: 'working', reason: null, text: null, since },
    { ...ASKED, since },
    { state: 'working', reason: null, text: null, since },
    { state: 'idle', reason: null, text: null, since },
  ])
})

test('two permissions in one turn are two waits, whatever ids the turn has', async () => {
  await using session = startSession(daemon.env, checkout.main)
  const turn = { prompt_id: 'one-turn' }
  await session.hook('prompt', turn)

  await session.hook('notice', turn)
  await session.hook('after-tool', turn)
  await session.hook('notice', { ...turn, message: 'Claude needs your permission to use WebFetch' })

  expect(await activityOf(session)).toMatchObject({ text: 'Claude needs your permission to use WebFetch' })
})

test('a session at its own prompt is in its turn, and one whose turn failed is not', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('prompt')
  await session.hook('notice')
  await session.hook('notice', {
    hook_event_name: 'StopFailure',
    error: 'rate_limit',
    last_assistant_message: 'API Error: Rate limit reached',
  })
  const failed = await activityOf(session)
  await session.hook('notice', {
    notification_type: 'idle_prompt',
    message: 'Claude is waiting for your input',
  })

  expect(failed).toMatchObject({ state: 'waiting', reason: 'limit', text: 'API Error: Rate limit reached' })
  expect(await activityOf(session)).toEqual(failed)
})

test('a question is told before anybody can answer it, and is over when the tool has run', async () => {
  await using session = startSession(daemon.env, checkout.main)
  const asking = {
    tool_name: 'AskUserQuestion',
    tool_input: { questions: [{ question: 'Which database?' }] },
  }
  await session.hook('prompt')

  expect(await session.hook('before-tool', asking)).toMatchObject(SILENT)
  await session.hook('notice')
  const during = await activityOf(session)
  await session.hook('after-tool', asking)

  expect(during).toMatchObject({ state: 'waiting', reason: 'question', text: 'Which database?' })
  expect(await activityOf(session)).toMatchObject({ state: 'working' })
})

test('a turn that agentd lets go on is no end of one', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('prompt')
  const question = { text: 'Are you there?', recipient_scope: `~alice/cc-agent@${session.id}` }
  await say(daemon.socket, 'agent_query', question)

  const answer = await session.hook('turn-end')
  const goingOn = await activityOf(session)
  await session.hook('turn-end', { stop_hook_active: true })

  expect(answer.json).toMatchObject({ hookSpecificOutput: { hookEventName: 'Stop' } })
  expect(goingOn).toMatchObject({ state: 'working' })
  expect(await activityOf(session)).toMatchObject({ state: 'idle' })
})

test('what a subagent does is not said of its session', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('prompt')
  await session.hook('turn-end')

  for (const name of ['after-tool', 'after-edit', 'notice']) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await session.hook(name, { agent_id: 'a1' })
  }

  expect(await activityOf(session)).toMatchObject({ state: 'idle' })
})

test('the same is said once: what a session does is so since it was first said', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  const since = async (name: string, changes = {}): Promise<string> => {
    await session.hook(name, changes)
    return (await activityOf(session)).since
  }
  const works = await since('prompt')
  const stillWorks = await since('after-tool')
  const asks = await since('notice')
  const stillAsks = await since('notice')
  const foreign = await since('notice', { notification_type: 'agent_completed' })

  expect(stillWorks).toBe(works)
  expect([stillAsks, foreign]).toEqual([asks, asks])
  expect(asks > works).toBe(true)
})

test('what waits comes with the hook that says what the session does', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  await session.hook('prompt')
  await session.hook('notice')
  await tell(daemon.socket, session, 'while you waited')

  const answer = await session.hook('after-tool')

  expect(contextOf(answer)).toContain('while you waited')
  expect(await activityOf(session)).toMatchObject({ state: 'working' })
})

test('a session that begins anew rests, where its last turn never ended', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  await session.hook('prompt')

  await session.hook('session-start', { source: 'resume' })

  expect(await activityOf(session)).toMatchObject({ state: 'idle' })
})

test('whoever carries a session on under another id waits for nothing the former one asked', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  await session.hook('prompt')
  await session.hook('notice')
  await session.hook('session-end', { reason: 'clear' })
  await using heir = startSession(daemon.env, checkout.main, { pid: session.pid })

  await heir.hook('session-start', { source: 'clear' })
  const begun = await activityOf(heir)
  await heir.hook('prompt')

  expect(begun).toMatchObject({ state: 'idle' })
  expect(await activityOf(heir)).toMatchObject({ state: 'working' })
})

test('a daemon that has forgotten the session is told again with the next event', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  await session.hook('prompt')
  const [entry] = (await rosterOf(daemon.socket)).filter(({ session_id }) => session_id === session.id)
  await request(daemon.socket, `/v1/sessions/${encodeURIComponent(entry.address)}`, { method: 'DELETE' })

  await session.hook('after-tool')

  expect(await activityOf(session)).toMatchObject({ state: 'working' })
})

test.for([
  ['gemini', {}, 'Tool Shell requires execution'],
  ['opencode', {}, 'bash npm test'],
  ['copilot', { notification_type: 'permission_prompt', message: 'Permission needed' }, 'Permission needed'],
] as const)('%s waits for a permission, and works on behind the tool', async ([runtime, changes, text]) => {
  await using session = startSession(daemon.env, checkout.main, { runtime })
  await session.hook('session-start')
  await session.hook('prompt')

  await session.hook('notice', changes)
  const asked = await activityOf(session)
  await session.hook('after-tool')

  expect(asked).toMatchObject({ state: 'waiting', reason: 'permission', text })
  expect(await activityOf(session)).toMatchObject({ state: 'working' })
})

test('an edit that is announced beforehand says nothing of what the session does', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('prompt')
  await session.hook('notice')

  await session.editing(join(checkout.main, 'src', 'auth.ts'))

  expect(await activityOf(session)).toMatchObject(ASKED)
})
