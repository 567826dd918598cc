/**
 * `agentd hook` as a runtime runs it, against the real daemon.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quoted } from '../../../src/core/text/quoted.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request, type Reply } from '../../support/http.ts'
import { payloadOf } from '../../runtimes/support/fixtures.ts'
import {
  AGENTD,
  addressOf,
  contextOf,
  countRequests,
  createCheckout,
  framesOf,
  rosterOf,
  runHook,
  say,
  startPeer,
  startSession,
  tell,
  tokenOf,
  type Checkout,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'

let checkout: Checkout
let daemon: TestDaemon
/** Where the person has set edits to be held back. */
let strict: TestDaemon

beforeAll(async () => {
  checkout = await createCheckout()
  daemon = await startTestDaemon()
  strict = await startTestDaemon({ config: { hooks: { conflict: 'deny' } } })
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await strict[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

/** The roster's entry of one session. */
async function entryOf(id: string): Promise<Record<string, unknown> | undefined> {
  return (await rosterOf(daemon.socket)).find(({ session_id }) => session_id === id)
}

/** Sends an event as `curl` does: of many at once, a process of Node for each would have them come one after the other. */
function postEvent({ id, pid }: RuntimeSession, name: string): Promise<Reply> {
  const surroundings = Buffer.from(JSON.stringify({ env: {}, pid })).toString('base64url')
  return request(daemon.socket, '/v1/hooks/claude-code', {
    json: payloadOf('claude-code', name, { session_id: id, cwd: checkout.main }),
    headers: { 'content-type': 'application/json', 'agentd-surroundings': surroundings },
  })
}

/** Receipts of a frame, as its sender sees them. */
// oxlint-disable-next-line typescript/no-explicit-any
async function receiptsOf(frameId: string): Promise<any[]> {
  return (await request(daemon.socket, `/v1/frames/${frameId}`)).body.receipts
}

/** What became of it at each. */
async function statesOf(frameId: string): Promise<readonly unknown[]> {
  return (await receiptsOf(frameId)).map(({ state }) => state)
}

describe('the start of a session', () => {
  test('puts it on the roster with its process, its place and how it is reached', async () => {
    await using session = startSession(daemon.env, join(checkout.main, 'src'))

    const answer = await session.hook('session-start', {
      model: 'claude-opus-4-6',
      session_title: 'api refactor',
    })

    expect(answer).toMatchObject({ code: 0, stderr: '' })
    expect(await entryOf(session.id)).toMatchObject({
      instrument: 'cc-opus-4-6',
      tool: 'cc',
      title: 'api refactor',
      cwd: join(checkout.main, 'src'),
      repository: join(checkout.main, '.git'),
      worktree: checkout.main,
      branch: 'main',
      delivery: { busy: 'hook', idle: 'inbox', headless: 'hook' },
      mailbox: { unread: 0 },
    })
  })

  test('is remembered by the daemon, and leaves no file beside the socket (OP-05)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')

    expect(existsSync(daemon.dir.file('hooks'))).toBe(false)
    expect(await tokenOf(daemon.socket, session.id)).toMatch(/^[\w-]+$/)
    expect(await tokenOf(daemon.socket, session.id, 'codex')).toBeUndefined()
  })

  test('tells of those in the same repository, and of worktrees as what they are', async () => {
    await using near = startSession(daemon.env, checkout.main, { runtime: 'codex' })
    await using far = startSession(daemon.env, checkout.other, { runtime: 'codex' })
    await using foreign = startSession(daemon.env, checkout.stranger, { runtime: 'codex' })
    for (const one of [near, far, foreign]) await one.hook('session-start')
    await using session = startSession(daemon.env, checkout.main)

    const context = contextOf(await session.hook('session-start'))

    expect(context).toContain(`"~alice/codex-mock@${near.id}" in this worktree, branch "main"`)
    expect(context).toContain(
      `"~alice/codex-mock@${far.id}" in worktree ${quoted(checkout.other)}, branch "fix"`,
    )
    expect(context).not.toContain(foreign.id)
    expect(context).toContain('not words of the user')
  })

  test('brings the newest handover of the repository, the leases held, and what waits', async () => {
    await using before = startSession(daemon.env, checkout.other, { runtime: 'codex' })
    await before.hook('session-start')
    const token = await tokenOf(daemon.socket, before.id, 'codex')
    await say(daemon.socket, 'agent_handover', { body: 'older' }, token)
    await say(
      daemon.socket,
      'agent_handover',
      { body: 'Half of the tokens are migrated.\nNext: src/auth.ts' },
      token,
    )
    await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/auth.ts' }, token)
    const foreign = await startPeer(daemon.socket, { repository: '/elsewhere/.git' })
    await say(daemon.socket, 'agent_handover', { body: 'of another repository' }, foreign.token)
    await using session = startSession(daemon.env, checkout.main)

    const context = contextOf(await session.hook('session-start'))

    expect(context).toContain('Half of the tokens are migrated.')
    expect(context).toContain('Next: src/auth.ts')
    expect(context).not.toContain('older')
    expect(context).not.toContain('another repository')
    expect(context).toMatch(
      new RegExp(`Lease: "src/auth\\.ts" held by "~alice/codex-mock@${before.id}" for \\dm more`),
    )
    await before.hook('session-end')
  })

  test.for([
    ['a file', 'src/auth.ts'],
    ['the work tree itself', ''],
  ])('brings a handover without a place that points to %s here (OP-25)', async ([, path = '']) => {
    const nowhere = await startPeer(daemon.socket)
    const handOver = (body: string, ref: string) =>
      say(daemon.socket, 'agent_handover', { body, pointer_refs: [ref] }, nowhere.token)
    await handOver('of this repository', join(checkout.main, path))
    await handOver('of another one', join(checkout.stranger, path))
    await using session = startSession(daemon.env, checkout.main)

    const context = contextOf(await session.hook('session-start'))

    expect(context).toContain('of this repository')
    expect(context).not.toContain('of another one')
  })

  test.for(['resume', 'compact'])('by %s of the same id keeps the session and its token', async (source) => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const before = await entryOf(session.id)
    await tell(daemon.socket, session, 'meanwhile')

    const context = contextOf(await session.hook('session-start', { source }))

    expect(context).toContain('meanwhile')
    expect((await entryOf(session.id))?.['started_at']).toBe(before?.['started_at'])
  })

  test.for(['clear', 'fork'])('by %s under a new id passes the mailbox on', async (source) => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await tell(daemon.socket, session, `for you (${source})`)
    await session.hook('session-end', { reason: 'clear' })
    expect(await entryOf(session.id)).toBeDefined()
    await using heir = startSession(daemon.env, checkout.main, { pid: session.pid })

    const context = contextOf(await heir.hook('session-start', { source }))

    expect(context).toContain(`for you (${source})`)
    expect(await entryOf(session.id)).toBeUndefined()
    expect(await entryOf(heir.id)).toBeDefined()
  })

  test('of two threads in one server passes nothing on, since it could be of either', async () => {
    await using one = startSession(daemon.env, checkout.main, { runtime: 'codex' })
    await using two = startSession(daemon.env, checkout.main, { runtime: 'codex' })
    await using three = startSession(daemon.env, checkout.main, { runtime: 'codex' })
    for (const session of [one, two]) await session.hook('session-start')

    await three.hook('session-start', { source: 'clear' })

    for (const { id } of [one, two, three]) expect(await entryOf(id)).toBeDefined()
  })

  test('of a subagent registers nothing, and neither does anything it does', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await using child = startSession(daemon.env, checkout.main, { runtime: 'opencode' })

    for (const name of ['session-start', 'prompt', 'after-edit', 'turn-end', 'session-end']) {
      expect(await session.hook(name, { agent_id: 'a1' })).toMatchObject({ code: 0, stdout: '' })
    }
    await child.hook('session-start', { parent_id: 'ses_0' })
    for (const name of ['prompt', 'after-edit']) expect(await child.hook(name)).toMatchObject({ stdout: '' })

    expect(await entryOf(session.id)).toBeUndefined()
    expect(await entryOf(child.id)).toBeUndefined()
  })

  test('that never came is made up for by the first prompt', async () => {
    await using session = startSession(daemon.env, checkout.main)

    expect(await session.hook('prompt')).toMatchObject({ code: 0 })
    expect(await entryOf(session.id)).toMatchObject({ worktree: checkout.main })
  })

  test('that comes at the same moment as its first prompt is one session', async () => {
    const sessions = Array.from({ length: 4 }, () => startSession(daemon.env, checkout.main))
    const events = ['session-start', 'prompt'] as const

    await Promise.all(sessions.flatMap((session) => events.map((event) => postEvent(session, event))))

    const names = sessions.map(({ id }) => id)
    const present = (await rosterOf(daemon.socket)).map((entry) => String(entry['session_id']))
    const ours = present.filter((name) => names.some((id) => name.startsWith(id)))
    expect(ours.toSorted()).toEqual(names.toSorted())
    for (const session of sessions) await session[Symbol.asyncDispose]()
  })

  test('takes an id of any form', async () => {
    await using session = startSession(daemon.env, checkout.main, { id: 'a b/c é' })

    await session.hook('session-start')

    const ids = (await rosterOf(daemon.socket)).map(({ session_id }) => session_id)
    expect(ids).toContainEqual(expect.stringMatching(/^a-b-c---[0-9a-f]{8}$|^a-b-c-+[0-9a-f]{8}$/))
  })
})

describe('what waits', () => {
  test('is handed over at the next hook, once, fenced and with its sender', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const peer = await startPeer(daemon.socket)
    const scope = `~alice/cc-agent@${session.id}`
    const { body } = await say(
      daemon.socket,
      'agent_advise',
      { text: 'the schema has moved', recipient_scope: scope },
      peer.token,
    )

    const first = await session.hook('after-tool')
    const second = await session.hook('after-tool')
    await session.hook('turn-end')

    expect(contextOf(first)).toMatch(/^\[agentd [0-9a-f]{8}\] Messages from other sessions\./)
    expect(contextOf(first)).toContain(`${peer.address}, advisory: the schema has moved`)
    expect(second.stdout).toBe('')
    expect(await receiptsOf(body.frame_id)).toContainEqual(
      expect.objectContaining({ address: `~alice/cc-agent@${session.id}`, state: 'seen', via: 'hook' }),
    )
  })

  test('is handed over at a prompt, after a failed tool, and not before a tool', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await tell(daemon.socket, session, 'one')
    expect(contextOf(await session.editing('src/none.ts'))).not.toContain('one')
    expect(await session.prompt()).toContain('one')
    await tell(daemon.socket, session, 'two')
    expect(contextOf(await session.hook('tool-failed'))).toContain('two')
  })

  test('is handed over when it is written, and seen when the next event shows that the turn went on (OP-09)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await session.hook('turn-end')
    const frameId = await tell(daemon.socket, session, 'proved?')
    const waysOf = async () => (await receiptsOf(frameId)).map(({ state, via }) => [state, via])

    expect(await session.prompt()).toContain('proved?')
    expect(await waysOf()).toEqual([['handed', 'hook']])
    expect((await entryOf(session.id))?.['mailbox']).toEqual({ unread: 0 })

    await session.hook('turn-end')
    expect(await waysOf()).toEqual([['seen', 'hook']])
  })

  test('is proved by no tool of the step it was told in, and by the first of the next (OP-09, OP-20)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await session.prompt()
    const frameId = await tell(daemon.socket, session, 'within a step')

    expect(contextOf(await session.hook('after-tool'))).toContain('within a step')
    await session.hook('after-tool')
    await session.hook('after-tool', { hook_event_name: 'PostToolBatch' })
    expect(await statesOf(frameId)).toEqual(['handed'])

    await session.hook('after-tool')
    expect(await statesOf(frameId)).toEqual(['seen'])
  })

  test('is proved only by the end of the turn where the runtime tells of no steps (OP-09)', async () => {
    await using session = startSession(daemon.env, checkout.main, { runtime: 'codex' })
    await session.hook('session-start')
    await session.prompt()
    const frameId = await tell(daemon.socket, session, 'of two calls')

    expect(contextOf(await session.hook('after-tool'))).toContain('of two calls')
    await session.hook('after-tool')
    expect(await statesOf(frameId)).toEqual(['handed'])

    await session.hook('turn-end')
    expect(await statesOf(frameId)).toEqual(['seen'])
  })

  test('that came with a start is there still with the first prompt, and does not come again (OP-22)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const frameId = await tell(daemon.socket, session, 'with the start')

    expect(contextOf(await session.hook('session-start', { source: 'resume' }))).toContain('with the start')
    expect(await session.prompt()).toBe('')
    await session.hook('turn-end')

    expect(await statesOf(frameId)).toEqual(['seen'])
  })

  test.each(['prompt', 'session-start'])(
    'comes again with the next %s where the turn it was for proved nothing, and says so (OP-09, OP-20)',
    async (next) => {
      await using session = startSession(daemon.env, checkout.main)
      await session.hook('session-start')
      await session.prompt()
      await session.hook('turn-end')
      const frameId = await tell(daemon.socket, session, 'interrupted')
      expect(await session.prompt()).toContain('advisory: interrupted')

      // The person took the prompt back, or the program was killed and resumed.
      const again = await session.hook(next, next === 'session-start' ? { source: 'resume' } : {})

      expect(contextOf(again)).toContain('advisory, perhaps shown before: interrupted')
      await session.hook('turn-end')
      expect(await statesOf(frameId)).toEqual(['seen'])
    },
  )

  test('that was written to a session which ended at once waits for the one that carries it on (OP-09, OP-20)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await session.hook('turn-end')
    const frameId = await tell(daemon.socket, session, 'one turn only')
    await session.prompt()
    await session.hook('session-end', { reason: 'other' })
    expect(await statesOf(frameId)).toEqual(['queued'])

    const resumed = await session.hook('session-start', { source: 'resume' })

    expect(contextOf(resumed)).toContain('perhaps shown before: one turn only')
  })

  test('is not called seen where the answer has no reader, and comes again (OP-09)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const frameId = await tell(daemon.socket, session, 'lost?')
    const payload = payloadOf('claude-code', 'after-tool', { session_id: session.id, cwd: checkout.main })
    const child = spawn(process.execPath, [AGENTD, 'hook', 'claude-code'], {
      env: { ...daemon.env, CLAUDE_PID: String(session.pid) },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdout.destroy()
    child.stdin.end(JSON.stringify(payload))
    const code = await new Promise((resolve) => child.once('close', resolve))

    expect(code).toBe(0)
    expect(await statesOf(frameId)).toEqual(['handed'])
    expect(await session.prompt()).toContain('perhaps shown before: lost?')
  })

  test('stays within the budget, and the rest waits', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await session.prompt()
    for (let i = 0; i < 12; i += 1) {
      const text = `${i}: ${'x'.repeat(600)}`
      await tell(daemon.socket, session, text)
    }

    const turn = async (): Promise<string> => {
      const told = await session.prompt()
      await session.hook('turn-end')
      return told
    }
    const parts = [await turn(), await turn(), await turn()]

    for (const part of parts) expect(part.length).toBeLessThanOrEqual(4_000)
    expect(parts[0]).toMatch(/\d+ more are waiting/)
    const numbers = parts.flatMap((part) =>
      [...part.matchAll(/advisory: (\d+): x/g)].map(([, i]) => Number(i)),
    )
    expect(numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  test('reaches a session once, though ten of its hooks run at once', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await session.prompt()
    const text = 'only once, please'
    await tell(daemon.socket, session, text)

    const answers = await Promise.all(Array.from({ length: 10 }, () => postEvent(session, 'after-tool')))

    expect(answers.filter(({ status }) => status === 204)).toHaveLength(9)
    expect(answers.filter((answer) => answer.text.includes(text))).toHaveLength(1)
  })

  test('reaches a host once that runs the hooks of two runtimes for one event', async () => {
    await using session = startSession(daemon.env, checkout.main, { runtime: 'cursor' })
    await session.hook('session-start')
    await tell(daemon.socket, session, 'twice?')
    const payload = payloadOf('cursor', 'after-tool', { conversation_id: session.id, cwd: checkout.main })

    const [own, foreign] = await Promise.all([
      runHook(daemon.env, 'cursor', JSON.stringify(payload)),
      runHook(daemon.env, 'claude-code', JSON.stringify({ ...payload, hook_event_name: 'PostToolUse' })),
    ])

    expect([own.stdout, foreign.stdout].filter((text) => text.includes('twice?'))).toHaveLength(1)
    expect(await rosterOf(daemon.socket)).toEqual(
      expect.not.arrayContaining([
        expect.objectContaining({ instrument: 'cc-agent', session_id: session.id }),
      ]),
    )
  })

  test('a session is started once by two hooks of one start', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await using sibling = startSession(daemon.env, checkout.main, { runtime: 'codex' })
    await sibling.hook('session-start')

    const answers = [await session.hook('session-start'), await session.hook('session-start')]

    expect(answers.filter(({ stdout }) => stdout !== '')).toHaveLength(1)
  })
})

/** A command that Codex is asked to run in its shell. */
function patchInShell(file: string, call: string) {
  const command = `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${file}\n*** End Patch\nEOF`
  return { tool_name: 'Bash', tool_input: { command }, tool_use_id: call }
}

describe('an edit', () => {
  test('is announced without being asked, by its path in the worktree', async () => {
    await using session = startSession(daemon.env, join(checkout.main, 'src'))
    await session.hook('session-start')

    await session.hook('after-edit', { tool_name: 'Write', tool_input: { file_path: 'auth.ts' } })

    const [frame] = (await framesOf(daemon.socket, 'agent_advisory')).slice(-1)
    expect(frame).toMatchObject({
      payload: {
        advisory_text: 'editing src/auth.ts',
        file_refs: ['src/auth.ts'],
        worktree: checkout.main,
        branch: 'main',
      },
      drafted_with: '~cc-agent',
      provenance_method: ['hook.edit', 'urgency.digest'],
    })
  })

  test('is announced once a minute, however often the file is written', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const before = (await framesOf(daemon.socket, 'agent_advisory')).length

    await Promise.all(Array.from({ length: 5 }, () => session.edited('src/auth.ts')))
    await session.hook('after-edit', { tool_name: 'Bash', tool_input: { command: 'echo x > src/auth.ts' } })
    await session.edited('src/other.ts')

    expect((await framesOf(daemon.socket, 'agent_advisory')).length - before).toBe(2)
  })

  test("of a subagent is the session's, and hands nothing over to it", async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await tell(daemon.socket, session, 'for the session')
    const tool = { tool_name: 'Edit', tool_input: { file_path: 'src/by-subagent.ts' } }

    const answer = await session.hook('after-edit', { ...tool, agent_id: 'a1' })

    expect(answer.stdout).toBe('')
    const [frame] = (await framesOf(daemon.socket, 'agent_advisory')).slice(-1)
    expect(frame.payload.file_refs).toEqual(['src/by-subagent.ts'])
    expect(await session.prompt()).toContain('for the session')
  })

  test.for([
    ['outside of the repository', '/tmp/notes.txt'],
    ["of git's own files", '.git/config'],
    ['of a directory', 'src'],
  ] as const)("%s is nobody's business", async ([, path]) => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const before = (await framesOf(daemon.socket, 'agent_advisory')).length

    await session.edited(path)

    expect(await framesOf(daemon.socket, 'agent_advisory')).toHaveLength(before)
  })

  describe('by a patch in a shell command of Codex, behind which no event comes', () => {
    test('is announced before, and once even where one comes', async () => {
      await using session = startSession(daemon.env, checkout.main, { runtime: 'codex' })
      await session.hook('session-start')

      await session.hook('before-tool', patchInShell('src/patched.ts', 'c1'))

      expect(await announced('src/patched.ts')).toBe(1)
      await session.hook('after-tool', patchInShell('src/patched.ts', 'c1'))
      expect(await announced('src/patched.ts')).toBe(1)
      // Where set-up is of an earlier version, the event behind it is all there is.
      await session.hook('after-tool', patchInShell('src/patched-too.ts', 'c2'))
      expect(await announced('src/patched-too.ts')).toBe(1)
    })

    test('is not announced where it is held back, or in a runtime that tells of it afterwards', async () => {
      await using one = startSession(strict.env, checkout.main)
      await using two = startSession(strict.env, checkout.main, { runtime: 'codex' })
      for (const session of [one, two]) await session.hook('session-start')
      await one.edited('src/held-patch.ts')

      const { json } = await two.hook('before-tool', patchInShell('src/held-patch.ts', 'c3'))
      await one.hook('before-tool', patchInShell('src/later.ts', 'c4'))

      expect(json.hookSpecificOutput.permissionDecision).toBe('deny')
      expect(await announced('src/held-patch.ts', strict)).toBe(1)
      expect(await announced('src/later.ts', strict)).toBe(0)
    })
  })

  test('of a file that a session never touched is one line with a number, and nothing in another repository (OP-22)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await using stranger = startSession(daemon.env, checkout.stranger)
    await using sibling = startSession(daemon.env, checkout.other)
    for (const one of [session, stranger, sibling]) await one.hook('session-start')

    await session.edited('src/noise.ts')

    expect(await stranger.prompt()).toBe('')
    expect(await sibling.prompt()).toMatch(
      new RegExp(
        `^\\[agentd [0-9a-f]{8}\\] Edited in this repository, .+: ~alice/cc-agent@${session.id} 1\\.$`,
      ),
    )
  })
})

/** How often this file was announced. */
async function announced(file: string, { socket } = daemon): Promise<number> {
  const frames = await framesOf(socket, 'agent_advisory')
  return frames.filter(({ payload }) => payload.file_refs?.includes(file)).length
}

describe('before an edit', () => {
  test('a sibling in the same worktree is shown, once', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using two = startSession(daemon.env, checkout.main)
    for (const session of [one, two]) await session.hook('session-start')
    await one.edited('src/shared.ts')

    const first = contextOf(await two.editing('src/shared.ts'))
    const again = contextOf(await two.editing('src/shared.ts'))
    const own = contextOf(await one.editing('src/shared.ts'))

    expect(first).toMatch(
      new RegExp(
        `^\\[agentd [0-9a-f]{8}\\] "~alice/cc-agent@${one.id}" announced work on src/shared\\.ts in this worktree \\(branch "main"\\), `,
      ),
    )
    expect([again, own]).toEqual(['', ''])
  })

  test('a sibling in another worktree is for information', async () => {
    await using one = startSession(daemon.env, checkout.other)
    await using two = startSession(daemon.env, checkout.main)
    for (const session of [one, two]) await session.hook('session-start')
    await one.edited('src/far.ts')

    const context = contextOf(await two.editing('src/far.ts'))

    expect(context).toContain(
      `] For information: "~alice/cc-agent@${one.id}" announced work on src/far.ts in another worktree`,
    )
    expect(context).toContain(`${quoted(checkout.other)} (branch "fix")`)
  })

  test('a file of the same name in another repository is another file', async () => {
    await using one = startSession(daemon.env, checkout.stranger)
    await using two = startSession(daemon.env, checkout.main)
    for (const session of [one, two]) await session.hook('session-start')
    await one.edited('src/same-name.ts')

    expect((await two.editing('src/same-name.ts')).stdout).toBe('')
  })

  test('a lease is shown until it is released', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const peer = await startPeer(daemon.socket, {
      worktree: checkout.main,
      repository: join(checkout.main, '.git'),
    })
    const { body } = await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/locked.ts' }, peer.token)

    expect(contextOf(await session.editing('src/locked.ts'))).toContain(
      `${quoted(peer.address)} holds a lease on src/locked.ts in this worktree`,
    )
    await say(daemon.socket, 'agent_lock_release', { lease_id: body.lease_id }, peer.token)
    const { body: next } = await say(
      daemon.socket,
      'agent_lock_acquire',
      { resource: 'src/next.ts', ttl_ms: 1 },
      peer.token,
    )
    expect(next.lease_id).toBeDefined()
    await using other = startSession(daemon.env, checkout.main)
    await other.hook('session-start')
    for (const path of ['src/locked.ts', 'src/next.ts']) expect((await other.editing(path)).stdout).toBe('')
  })

  test('only its holder ends a lease or makes it longer, and ids compare without case', async () => {
    const facts = { worktree: checkout.main, repository: join(checkout.main, '.git') }
    const holder = await startPeer(daemon.socket, facts)
    const twin = await startPeer(daemon.socket, facts)
    const take = (resource: string, ttl_ms = 60_000): Promise<Reply> =>
      say(daemon.socket, 'agent_lock_acquire', { resource, ttl_ms }, holder.token)
    const { body: kept } = await take('src/kept.ts')
    const { body: given } = await take('src/given.ts')
    const { body: brief } = await take('src/brief.ts', 1)
    const id = { lease_id: given.lease_id.toUpperCase() }

    await say(daemon.socket, 'agent_lock_release', { lease_id: kept.lease_id }, twin.token)
    await say(daemon.socket, 'agent_lock_release', { lease_id: kept.lease_id })
    await say(daemon.socket, 'agent_lock_release', id, holder.token)
    const longer = { lease_id: brief.lease_id, additional_ttl_ms: 60_000 }
    await say(daemon.socket, 'agent_lease_extend', longer, twin.token)

    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const told = `${quoted(holder.address)} holds a lease on src/kept.ts`
    expect(contextOf(await session.editing('src/kept.ts'))).toContain(told)
    for (const path of ['src/given.ts', 'src/brief.ts']) {
      expect((await session.editing(path)).stdout).toBe('')
    }
  })

  test('a lease is carried on under a new session id, and ended by whoever carries it on', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await say(
      daemon.socket,
      'agent_lock_acquire',
      { resource: 'src/mine.ts' },
      await tokenOf(daemon.socket, session.id),
    )
    await session.hook('session-end', { reason: 'clear' })
    await using heir = startSession(daemon.env, checkout.main, { pid: session.pid })
    await heir.hook('session-start', { source: 'clear' })
    await heir.hook('session-end', { reason: 'prompt_input_exit' })

    await using other = startSession(daemon.env, checkout.main)
    const started = contextOf(await other.hook('session-start'))
    expect(started).not.toContain('src/mine.ts')
    expect((await other.editing('src/mine.ts')).stdout).toBe('')
  })

  test('a lease by its absolute path, and one of nobody knows where', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const peer = await startPeer(daemon.socket)
    await say(
      daemon.socket,
      'agent_lock_acquire',
      { resource: join(checkout.other, 'src/absolute.ts') },
      peer.token,
    )
    await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/somewhere.ts' })

    expect(contextOf(await session.editing('src/absolute.ts'))).toContain(
      'in another worktree of this repository',
    )
    expect(contextOf(await session.editing('src/somewhere.ts'))).toContain(
      'without saying in which repository',
    )
  })

  test('one that the runtime shows nothing before is told behind it', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using two = startSession(daemon.env, checkout.main, { runtime: 'gemini' })
    for (const session of [one, two]) await session.hook('session-start')
    await one.edited('src/late.ts')
    await tell(daemon.socket, two, 'and this')

    const before = await two.hook('before-tool', { tool_input: { file_path: 'src/late.ts' } })
    const after = await two.hook('after-edit', { tool_input: { file_path: 'src/late.ts' } })

    expect(before.stdout).toBe('')
    expect(contextOf(after)).toContain('announced work on src/late.ts in this worktree')
    expect(contextOf(after)).toContain('and this')
  })

  describe('where the person wants it held back', () => {
    test('whoever comes second is held back, and whoever was first is not', async () => {
      await using one = startSession(strict.env, checkout.main)
      await using two = startSession(strict.env, checkout.main)
      for (const session of [one, two]) await session.hook('session-start')
      await one.edited('src/held.ts')

      const held = await two.editing('src/held.ts')

      expect(held.json.hookSpecificOutput).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining(
          `"~alice/cc-agent@${one.id}" announced that it is editing src/held.ts`,
        ),
      })
      await two.edited('src/held.ts')
      expect((await one.editing('src/held.ts')).json?.hookSpecificOutput?.permissionDecision).toBeUndefined()
    })

    test('another worktree holds nobody back', async () => {
      await using one = startSession(strict.env, checkout.other)
      await using two = startSession(strict.env, checkout.main)
      for (const session of [one, two]) await session.hook('session-start')
      await one.edited('src/apart.ts')

      expect(contextOf(await two.editing('src/apart.ts'))).toContain('For information: ')
    })

    test('every runtime that can be told no is told in its own words', async () => {
      await using one = startSession(strict.env, checkout.main)
      await one.hook('session-start')
      await one.edited('src/auth.ts')
      const denials = []
      for (const runtime of ['codex', 'cursor', 'gemini', 'copilot', 'vscode'] as const) {
        await using session = startSession(strict.env, checkout.main, { runtime })
        await session.hook('session-start')
        const name = join(checkout.main, 'src/auth.ts')
        const input = {
          codex: undefined,
          cursor: { file_path: name },
          gemini: { file_path: name },
          copilot: { path: name },
          vscode: { files: [name] },
        }[runtime]
        const { json } = await session.hook('before-tool', input === undefined ? {} : { tool_input: input })
        denials.push(json?.permission ?? json?.decision ?? json?.hookSpecificOutput?.permissionDecision)
      }

      expect(denials).toEqual(['deny', 'deny', 'deny', 'deny', 'deny'])
    })
  })
})

describe('the end', () => {
  test('gives its leases back, says so, and leaves the roster', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const token = await tokenOf(daemon.socket, session.id)
    const { body } = await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/mine.ts' }, token)

    expect(await session.hook('session-end', { reason: 'prompt_input_exit' })).toMatchObject({
      code: 0,
      stdout: '',
    })

    const released = await framesOf(daemon.socket, 'agent_lock_release')
    expect(released.map(({ payload }) => payload.lease_id)).toContain(body.lease_id)
    const [broadcast] = (await framesOf(daemon.socket, 'agent_broadcast')).slice(-1)
    expect(broadcast.payload).toMatchObject({ event_class: 'released', refs: ['src/mine.ts'] })
    expect(await entryOf(session.id)).toBeUndefined()
  })

  test('of a session that held nothing is not worth a word', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const before = (await framesOf(daemon.socket, 'agent_broadcast')).length

    await session.hook('session-end')

    expect(await framesOf(daemon.socket, 'agent_broadcast')).toHaveLength(before)
    expect(await entryOf(session.id)).toBeUndefined()
  })

  test.for(['clear', 'resume'])('by %s is none', async (reason) => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')

    await session.hook('session-end', { reason })

    expect(await entryOf(session.id)).toBeDefined()
  })

  test('a compaction publishes nothing, and brings the handover again', async () => {
    await using session = startSession(daemon.env, checkout.stranger)
    await session.hook('session-start')
    const token = await tokenOf(daemon.socket, session.id)
    await say(daemon.socket, 'agent_handover', { body: 'what I was at' }, token)
    const before = (await request(daemon.socket, '/v1/frames?limit=1000')).body.items.length

    expect(await session.hook('compacting')).toMatchObject({ code: 0, stdout: '' })

    expect((await request(daemon.socket, '/v1/frames?limit=1000')).body.items).toHaveLength(before)
    expect(contextOf(await session.hook('session-start', { source: 'compact' }))).toContain('what I was at')
  })
})

const ask = (id: string, more = {}) =>
  say(daemon.socket, 'agent_query', {
    text: 'which port?',
    recipient_scope: `~alice/cc-agent@${id}`,
    ...more,
  })

describe('the end of a turn', () => {
  test('goes on for a question to this session', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await ask(session.id)

    const answer = await session.hook('turn-end')

    expect(answer.json).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'Stop',
        additionalContext: expect.stringContaining('which port?'),
      },
    })
    expect((await session.hook('turn-end')).stdout).toBe('')
  })

  test('does not go on while it goes on already', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await ask(session.id)

    expect((await session.hook('turn-end', { stop_hook_active: true })).stdout).toBe('')
    expect(await session.prompt()).toContain('which port?')
  })

  test.for([
    ['a question to everybody', 'agent_query', { text: 'anyone?', recipient_scope: '~alice/*' }],
    ['an advisory', 'agent_advise', { text: 'fyi' }],
    ['a broadcast', 'agent_broadcast', { text: 'merged' }],
  ] as const)('is not put off for %s', async ([, verb, body]) => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await say(daemon.socket, verb, body)

    expect((await session.hook('turn-end')).stdout).toBe('')
  })

  test('goes on for what its sender calls urgent', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const provenance = { method: ['direct', 'urgency.interrupt'] }
    await say(daemon.socket, 'agent_advise', {
      text: 'stop the migration',
      provenance,
      recipient_scope: `~alice/cc-agent@${session.id}`,
    })

    expect(contextOf(await session.hook('turn-end'))).toContain('stop the migration')
  })

  test('goes on three times in ten minutes, and then waits like everybody else', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const wentOn = []
    for (let i = 0; i < 4; i += 1) {
      await ask(session.id)
      wentOn.push((await session.hook('turn-end')).stdout !== '')
    }

    expect(wentOn).toEqual([true, true, true, false])
    expect(await session.prompt()).toContain('which port?')
  })

  test.for(['cursor', 'opencode'] as const)(
    'goes on in %s, whose model reads it as the user, with no word of a peer (HD-18)',
    async (runtime) => {
      await using session = startSession(daemon.env, checkout.main, { runtime })
      await session.hook('session-start')
      const { body } = await say(daemon.socket, 'agent_query', {
        text: 'which port?',
        recipient_scope: addressOf(runtime, session.id),
      })

      const told = (await session.hook('turn-end')).json?.['followup_message']

      expect(told).toMatch(
        /^\[agentd [\w-]+\] One message waits in this session's agentd inbox\. This notice is/,
      )
      expect(told).not.toMatch(/which port|query|alice/)
      expect(await statesOf(body.frame_id)).toEqual(['queued'])
      expect((await session.hook('after-tool')).stdout + (await session.prompt())).toContain('which port?')
    },
  )

  test.for([
    ['gemini', 'reason'],
    ['copilot', 'reason'],
    ['vscode', 'reason'],
    ['codex', 'reason'],
  ] as const)('goes on in %s, too', async ([runtime, member]) => {
    await using session = startSession(daemon.env, checkout.main, { runtime })
    await session.hook('session-start')
    await say(daemon.socket, 'agent_query', {
      text: 'which port?',
      recipient_scope: addressOf(runtime, session.id),
    })

    expect((await session.hook('turn-end')).json?.[member]).toContain('which port?')
  })
})

test('a runtime that reads no answer to a prompt does not lose what waits', async () => {
  for (const runtime of ['cursor', 'vscode'] as const) {
    await using session = startSession(daemon.env, checkout.main, { runtime })
    await session.hook('session-start')
    const frameId = await tell(daemon.socket, session, 'wait')

    expect((await session.hook('prompt')).stdout, runtime).toBe('')
    expect(await statesOf(frameId), runtime).toEqual(['queued'])
  }
})

test('the Copilot CLI is told with a prompt, before a tool and behind it, at the top of the answer', async () => {
  await using one = startSession(daemon.env, checkout.main)
  await using two = startSession(daemon.env, checkout.main, { runtime: 'copilot' })
  for (const session of [one, two]) await session.hook('session-start')
  await two.hook('prompt', { timestamp: 'first' })
  await one.edited('src/copilot.ts')

  await tell(daemon.socket, two, 'with the prompt')
  const prompt = await two.hook('prompt', { timestamp: 'second' })
  const before = await two.hook('before-tool', {
    tool_name: 'Edit',
    tool_input: { path: 'src/copilot.ts', old_str: 'a', new_str: 'b' },
  })
  await tell(daemon.socket, two, 'behind the tool')
  const after = await two.hook('after-tool')

  expect(prompt.json.additionalContext).toContain('with the prompt')
  expect(before.json.hookSpecificOutput.additionalContext).toContain('announced work on src/copilot.ts')
  expect(after.json.additionalContext).toContain('behind the tool')
})

test('a hook is one request, whatever there is to do about it (OP-01)', async () => {
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  await using proxy = await countRequests(daemon.socket, daemon.dir.file('counted.sock'))
  const surroundings = { AGENTD_SOCKET: proxy.path }
  const cost = async (name: string, changes = {}): Promise<number> => {
    const before = proxy.requests()
    await session.hook(name, changes, surroundings)
    return proxy.requests() - before
  }
  const write = { tool_name: 'Edit', tool_input: { file_path: 'src/counted.ts' } }
  const costs = [
    await cost('session-start', { source: 'resume' }),
    await cost('prompt'),
    await cost('before-tool', write),
    await cost('after-edit', write),
    await cost('after-tool'),
    await cost('turn-end'),
    await cost('after-tool', { hook_event_name: 'ModelDreamt' }),
    await cost('session-end'),
  ]

  expect(costs).toEqual(costs.map(() => 1))
})
