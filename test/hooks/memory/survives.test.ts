/**
 * A daemon that is killed in the middle of things, and another one in its place: each session goes on as what it was
 * (OP-03).
 */
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import {
  contextOf,
  createCheckout,
  rosterOf,
  startSession,
  tell,
  tokenOf,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'
import { keepsFrames } from '../../support/without-sqlite.ts'

/** Address → name and start of everybody on the roster. */
async function namesOn(socket: string): Promise<unknown> {
  const sessions = await rosterOf(socket)
  return Object.fromEntries(
    sessions.map(({ address, name, started_at: startedAt }) => [address, [name, startedAt]]),
  )
}

/** A daemon, and two sessions of one checkout that outlive it. Use it with `await using`. */
interface Scene extends AsyncDisposable {
  readonly first: TestDaemon
  /** Works on the file. */
  readonly own: RuntimeSession
  readonly sibling: RuntimeSession
  readonly file: string
}

async function startScene(): Promise<Scene> {
  const checkout = await createCheckout()
  const first = await startTestDaemon()
  const own = startSession(first.env, checkout.main)
  const sibling = startSession(first.env, checkout.main)
  await own.hook('session-start')
  await sibling.hook('session-start')
  return {
    first,
    own,
    sibling,
    file: `${checkout.main}/src/auth.ts`,
    async [Symbol.asyncDispose]() {
      for (const one of [sibling, own, first.dir, checkout]) await one[Symbol.asyncDispose]()
    },
  }
}

test.runIf(keepsFrames())(
  'with the ring on a session keeps name, token, mail, edits and what it was shown over kill -9 (OP-03)',
  async () => {
    await using scene = await startScene()
    const { first, own, sibling, file } = scene
    await own.prompt()
    await own.edited(file)
    expect(contextOf(await sibling.editing(file))).toContain('src/auth.ts')
    const before = await namesOn(first.socket)
    const token = await tokenOf(first.socket, own.id)
    await tell(first.socket, own, 'across the kill')
    await first.stop('SIGKILL')
    await using second = await startTestDaemon({ dir: first.dir })

    expect(await tokenOf(second.socket, own.id)).toBe(token)
    expect(contextOf(await own.hook('after-tool'))).toContain('across the kill')
    // Its own announcement is its own still.
    expect(contextOf(await own.editing(file))).toBe('')
    const after = await namesOn(second.socket)
    expect(after).toEqual(before)
  },
)

test.runIf(keepsFrames())(
  'orderly ended, a daemon has written down what was said a moment ago: nothing is shown twice (OP-03)',
  async () => {
    await using scene = await startScene()
    const { first, own, sibling, file } = scene
    await own.edited(file)
    const shown = contextOf(await sibling.editing(file))
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    await using second = await startTestDaemon({ dir: first.dir })

    expect(shown).toContain('announced work on src/auth.ts')
    expect(contextOf(await sibling.editing(file))).toBe('')
    expect(second.stderr()).not.toContain('note-lost')
  },
)

test('without a ring it is registered by its next event, whatever that is (OP-03)', async () => {
  const config = { ring: { enabled: false } }
  const first = await startTestDaemon({ config })
  await using dir = first.dir
  await using session = startSession(first.env, dir.path)
  await session.hook('session-start')
  await first.stop('SIGKILL')
  for (const name of ['after-tool', 'prompt', 'turn-end']) {
    await using next = await startTestDaemon({ config, dir })
    await session.hook(name)
    expect((await rosterOf(next.socket)).map(({ session_id }) => session_id)).toEqual([session.id])
    expect((await request(next.socket, '/v1/hooks/claude-code')).body.sessions).toBe(1)
    await next.stop('SIGKILL')
  }
})
