/** Whose word holds an edit back, for how long, and whose lease is whose (HD-08; memo §4.4). */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADVISORY_DENIES_MS } from '../../../src/protocol/board/holding.ts'
import { validFrame } from '../../support/frames.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { post, request } from '../../support/http.ts'
import {
  contextOf,
  createCheckout,
  say,
  startPeer,
  startSession,
  tokenOf,
  type Answered,
  type Checkout,
} from '../../runtimes/support/sessions.ts'

let checkout: Checkout
let daemon: TestDaemon

beforeAll(async () => {
  checkout = await createCheckout()
  daemon = await startTestDaemon({ config: { hooks: { conflict: 'deny' } } })
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

type Peer = Awaited<ReturnType<typeof startPeer>>

function startNear(): Promise<Peer> {
  return startPeer(daemon.socket, { worktree: checkout.main, repository: join(checkout.main, '.git') })
}

/** A peer says that it edits a file, as it would have said so long ago. */
async function announce({ token }: Peer, path: string, agoMs: number): Promise<void> {
  const frame = validFrame('agent_advisory', {
    drafted_with: '~codex',
    created_at: new Date(Date.now() - agoMs).toISOString(),
    payload: { advisory_text: `editing ${path}`, file_refs: [path], worktree: checkout.main },
  })
  expect(await post(daemon.socket, '/v1/frames', { frame }, token)).toMatchObject({ status: 200 })
}

function isDenied({ json }: Answered): boolean {
  return json?.hookSpecificOutput?.permissionDecision === 'deny'
}

describe('an announcement alone', () => {
  test('holds back for some minutes, and is shown after them (HD-08)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const peer = await startNear()
    await announce(peer, 'src/fresh.ts', ADVISORY_DENIES_MS - 60_000)
    await announce(peer, 'src/old.ts', ADVISORY_DENIES_MS + 1_000)

    const fresh = await session.editing('src/fresh.ts')
    const old = await session.editing('src/old.ts')

    expect(isDenied(fresh)).toBe(true)
    expect(isDenied(old)).toBe(false)
    expect(contextOf(old)).toContain('announced work on src/old.ts in this worktree')
  })

  test('holds nobody back for the longer because it is dated ahead (HD-08)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await announce(await startNear(), 'src/ahead.ts', -4 * 60_000)

    const reason = (await session.editing('src/ahead.ts')).json.hookSpecificOutput.permissionDecisionReason

    expect(reason).toMatch(/this ends in (?:10|9)m,/)
  })
})

describe('a session that has gone', () => {
  test('holds nobody back, by an announcement or by a lease (HD-08)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    const peer = await startNear()
    await announce(peer, 'src/gone.ts', 0)
    await say(daemon.socket, 'agent_lock_acquire', { resource: 'src/leased.ts' }, peer.token)
    const before = [await session.editing('src/gone.ts'), await session.editing('src/leased.ts')]
    await request(daemon.socket, '/v1/sessions/self', { method: 'DELETE', token: peer.token })

    const after = [await session.editing('src/gone.ts'), await session.editing('src/leased.ts')]

    expect(before.map(isDenied)).toEqual([true, true])
    expect(after.map(isDenied)).toEqual([false, false])
    expect(contextOf(after[0]!)).toContain('announced work on src/gone.ts')
  })

  test('holds back still where another one carries it on (HD-08)', async () => {
    await using session = startSession(daemon.env, checkout.main)
    await session.hook('session-start')
    await session.edited('src/mine.ts')
    await session.hook('session-end', { reason: 'clear' })
    await using heir = startSession(daemon.env, checkout.main, { pid: session.pid })
    await heir.hook('session-start', { source: 'clear' })
    await using other = startSession(daemon.env, checkout.main)
    await other.hook('session-start')

    expect(isDenied(await other.editing('src/mine.ts'))).toBe(true)
  })
})

test('a lease that somebody asks for by the id of mine is not mine (HD-08)', async () => {
  const resource = 'src/claimed.ts'
  await using session = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  const peer = await startNear()
  const lease_id = '8f4e1c9a-0000-4000-8000-00000000000a'
  const wish = { kind: 'agent_lock_request', payload: { resource: 'mine', lease_id, ttl_ms: 60_000 } }
  await say(daemon.socket, 'agent_send', wish, await tokenOf(daemon.socket, session.id))
  await session.editing('src/other.ts')
  await say(daemon.socket, 'agent_send', { ...wish, payload: { ...wish.payload, resource } }, peer.token)

  expect(isDenied(await session.editing(resource))).toBe(true)
})
