/** Who else is at a file: told before, told once, and asked about once where the person wants that (OP-21, OP-22). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import {
  contextOf,
  createCheckout,
  framesOf,
  say,
  startSession,
  type Answered,
  type Checkout,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'

let checkout: Checkout
let daemon: TestDaemon
/** Where the person wants to be asked once. */
let asking: TestDaemon

beforeAll(async () => {
  checkout = await createCheckout()
  daemon = await startTestDaemon()
  asking = await startTestDaemon({ config: { hooks: { conflict: 'ask-once' } } })
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await asking[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

async function begin(...sessions: readonly RuntimeSession[]): Promise<void> {
  for (const session of sessions) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await session.hook('session-start')
  }
}

/** A file is read, as Claude Code asks before it. */
function reading(session: RuntimeSession, path: string): Promise<Answered> {
  return session.hook('before-tool', { tool_name: 'Read', tool_input: { file_path: path } })
}

function denialOf({ json }: Answered): string | undefined {
  const { permissionDecision, permissionDecisionReason } = json?.hookSpecificOutput ?? {}
  return permissionDecision === 'deny' ? permissionDecisionReason : undefined
}

/** What became of the first notice of an edit. */
async function stateOfNotice(file: string, { id }: RuntimeSession): Promise<string | undefined> {
  const frames = await framesOf(daemon.socket, 'agent_advisory')
  const frame = frames.find(({ payload }) => payload.file_refs?.includes(file))
  const { body } = await request(daemon.socket, `/v1/frames/${frame.frame_id}`)
  const found = body.receipts.find(({ address }: { address: string }) => address.endsWith(`@${id}`))
  return found?.state
}

describe('where the person wants to be asked once', () => {
  test('the first try is denied with the reason, and its repetition passes and is told of (OP-21)', async () => {
    await using one = startSession(asking.env, checkout.main)
    await using two = startSession(asking.env, checkout.main)
    await begin(one, two)
    await one.edited('src/asked.ts')

    const first = await two.editing('src/asked.ts')
    const again = await two.editing('src/asked.ts')
    const third = await two.editing('src/asked.ts')

    expect(denialOf(first)).toContain(`"~alice/cc-agent@${one.id}" announced that it is editing src/asked.ts`)
    expect(denialOf(first)).toContain('the same call again is let through')
    expect([again, third].map(denialOf)).toEqual([undefined, undefined])
    expect(contextOf(again)).toContain(`"~alice/cc-agent@${one.id}" announced work on src/asked.ts`)
    expect(third.stdout).toBe('')
  })

  test('each file is asked about by itself, and each session by itself (OP-21)', async () => {
    await using one = startSession(asking.env, checkout.main)
    await using two = startSession(asking.env, checkout.main)
    await using three = startSession(asking.env, checkout.main)
    await begin(one, two, three)
    for (const path of ['src/a.ts', 'src/b.ts']) await one.edited(path)

    const denials = [
      await two.editing('src/a.ts'),
      await two.editing('src/b.ts'),
      await three.editing('src/a.ts'),
      await two.editing('src/a.ts'),
    ].map((answer) => denialOf(answer) !== undefined)

    expect(denials).toEqual([true, true, true, false])
  })

  test('neither another worktree nor whoever was first is asked about, and nobody who reads (OP-21)', async () => {
    await using one = startSession(asking.env, checkout.main)
    await using two = startSession(asking.env, checkout.main)
    await using far = startSession(asking.env, checkout.other)
    await begin(one, two, far)
    await one.edited('src/first.ts')

    const read = await reading(two, 'src/first.ts')
    const elsewhere = await far.editing('src/first.ts')
    await two.edited('src/first.ts')

    expect([read, elsewhere, await one.editing('src/first.ts')].map(denialOf)).toEqual(
      Array(3).fill(undefined),
    )
    expect(contextOf(elsewhere)).toContain('For information: ')
  })

  test('a denied try announces nothing (OP-21)', async () => {
    await using one = startSession(asking.env, checkout.main)
    await using two = startSession(asking.env, checkout.main, { runtime: 'codex' })
    await begin(one, two)
    await one.edited('src/patch.ts')
    const command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/patch.ts\n*** End Patch\nEOF"
    const announcements = async (): Promise<number> => {
      const frames = await framesOf(asking.socket, 'agent_advisory')
      return frames.filter(({ payload }) => payload.file_refs?.includes('src/patch.ts')).length
    }
    const patch = (call: string): Promise<Answered> =>
      two.hook('before-tool', { tool_name: 'Bash', tool_input: { command }, tool_use_id: call })

    const first = await patch('c1')
    const denied = await announcements()
    const again = await patch('c2')

    expect([first, again].map((answer) => denialOf(answer) !== undefined)).toEqual([true, false])
    expect([denied, await announcements()]).toEqual([1, 2])
  })
})

describe('what a conflict line has told', () => {
  test('comes with the read of the file, and not again with its edit (OP-21)', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using two = startSession(daemon.env, checkout.main)
    await begin(one, two)
    await one.edited('src/read.ts')

    const read = contextOf(await reading(two, 'src/read.ts'))

    expect(read).toContain(`"~alice/cc-agent@${one.id}" announced work on src/read.ts in this worktree`)
    expect((await two.editing('src/read.ts')).stdout).toBe('')
  })

  test('comes behind the read in a runtime that shows nothing before it (OP-21)', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using two = startSession(daemon.env, checkout.main, { runtime: 'gemini' })
    await begin(one, two)
    await one.edited('src/behind.ts')

    const tool = { tool_name: 'read_file', tool_input: { absolute_path: `${checkout.main}/src/behind.ts` } }
    const read = contextOf(await two.hook('after-tool', tool))

    expect(read).toContain('announced work on src/behind.ts in this worktree')
  })

  test('is handed with it: the notice itself does not come at the next prompt (OP-22)', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using two = startSession(daemon.env, checkout.main)
    await begin(one, two)
    await one.edited('src/once.ts')

    await two.editing('src/once.ts')
    const handed = await stateOfNotice('src/once.ts', two)
    await two.edited('src/once.ts')
    // The model is told with the result of the edit.
    const edited = await stateOfNotice('src/once.ts', two)
    await two.hook('turn-end')

    expect([handed, edited, await stateOfNotice('src/once.ts', two)]).toEqual(['handed', 'handed', 'seen'])
    expect(await two.prompt()).toBe('')
  })
})

describe('edits that others announce', () => {
  test('of files a session has neither read nor written are one line with their numbers (OP-22)', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using two = startSession(daemon.env, checkout.other)
    await using session = startSession(daemon.env, checkout.main)
    await begin(one, two, session)
    for (const path of ['src/1.ts', 'src/2.ts', 'src/3.ts']) await one.edited(path)
    await two.edited('src/4.ts')

    const told = await session.prompt()
    const left = await stateOfNotice('src/4.ts', session)
    await session.hook('turn-end')

    expect(told.split('\n')).toHaveLength(1)
    expect(told).toMatch(
      /^\[agentd [0-9a-f]{8}\] Edited in this repository, none of them files this session has/,
    )
    expect(told).toContain(`: ~alice/cc-agent@${one.id} 3, ~alice/cc-agent@${two.id} 1.`)
    expect(told).not.toContain('src/')
    expect(left).toBe('dropped')
    expect(await session.prompt()).toBe('')
  })

  test('of a file it has read, or written, are told as they are (OP-22)', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using session = startSession(daemon.env, checkout.main)
    await begin(one, session)
    await reading(session, 'src/was-read.ts')
    await session.edited('src/was-written.ts')
    for (const path of ['src/was-read.ts', 'src/was-written.ts', 'src/untouched.ts']) await one.edited(path)

    const told = await session.prompt()

    expect(told).toContain('editing src/was-read.ts')
    expect(told).toContain('editing src/was-written.ts')
    expect(told).toContain(`: ~alice/cc-agent@${one.id} 1.`)
    expect(told).not.toContain('untouched')
  })

  test('wait for a quiet moment, and what somebody wrote does not (OP-22)', async () => {
    await using one = startSession(daemon.env, checkout.main)
    await using session = startSession(daemon.env, checkout.main)
    await begin(one, session)
    await session.prompt()
    await session.edited('src/busy.ts')
    await one.edited('src/busy.ts')
    const scope = { recipient_scope: `~alice/cc-agent@${session.id}`, file_refs: ['src/busy.ts'] }
    await say(daemon.socket, 'agent_advise', { text: 'I am at busy.ts by hand', ...scope })

    const during = contextOf(await session.hook('after-tool'))
    await session.hook('turn-end')

    expect(during).toContain('I am at busy.ts by hand')
    expect(during).not.toContain('editing src/busy.ts')
    expect(await session.prompt()).toContain('editing src/busy.ts')
  })
})
