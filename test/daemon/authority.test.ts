/**
 * Handles and charters of a daemon that runs: FED-40, FED-56, ACQ-11; AC-120…AC-128 over the socket.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createKey } from '../../src/aee/keys/new-key.ts'
import { readKey, type Key } from '../../src/aee/keys/key.ts'
import { formatDocument } from '../../src/authority/document.ts'
import { Handles, formatHandles } from '../../src/authority/handles.ts'
import { authorityFolder } from '../../src/host/authority/authority-files.ts'
import { signedCharter, type CharterWish } from '../authority/documents.ts'
import { DaemonDidNotStart, startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'
import { openStream, post, request } from '../support/http.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

const MEMBERS = [
  { handle: '~alice', roles: ['owner'] },
  { handle: '~alice-work', roles: ['dev'] },
]

/** The folders of a user who goes by `~alice-work` too and holds the key of `~acme`. */
function settle(dir: TempDir): Key {
  const { kid, text } = createKey({ alg: 'ed25519', entities: ['~acme'], nowMs: Date.now() })
  for (const name of ['state', 'state/keys', 'state/authority'])
    mkdirSync(dir.file(name), { mode: 0o700, recursive: true })
  writeFileSync(dir.file('state', 'keys', `${kid}.json`), text, { mode: 0o600 })
  declare(dir, '~alice-work')
  return readKey(text)
}

function declare(dir: TempDir, ...handles: readonly string[]): void {
  const declared = handles.map((handle) => ({ handle, tier: 'sovereign' as const }))
  const text = formatHandles(new Handles('~alice', declared))
  authorityFolder(dir.file('state')).put({ name: 'handles.json', text }, process.getuid?.() ?? -1)
}

/** Puts a charter there as somebody would who copies a file. */
function put(dir: TempDir, key: Key, wish: CharterWish, change = (text: string): string => text): void {
  const text = change(formatDocument(signedCharter(key, { members: MEMBERS, ...wish })))
  authorityFolder(dir.file('state')).put({ name: 'charter.acme.json', text }, process.getuid?.() ?? -1)
}

async function open(daemon: TestDaemon, handle: string, id: string): Promise<string> {
  const body = { instrument: 'cc', session_id: id, tool: 'cc', handle, mailbox: true }
  const { status, body: session } = await post(daemon.socket, '/v1/sessions', body)
  expect(status).toBe(201)
  return session.token
}

/** Sends to an organisation as a session of a handle. */
function send(daemon: TestDaemon, token: string, handle: string, scope = 'org:~acme/members/*') {
  const frame = validFrame('agent_advisory', {
    sender_handle: handle,
    acted_by: handle,
    drafted_with: '~cc',
    recipient_handle: scope.startsWith('org:') ? '~acme' : handle,
  })
  return post(daemon.socket, '/v1/frames', { recipient_scope: scope, frame }, token)
}

async function drained(daemon: TestDaemon, token: string): Promise<number> {
  return (await post(daemon.socket, '/v1/inbox/drain', {}, token)).body.items.length
}

async function faults(daemon: TestDaemon): Promise<string> {
  return (await request(daemon.socket, '/v1/health')).body.details.join('\n')
}

describe('an organisation', () => {
  test('is known as soon as its charter is there, and reaches members of other handles (FED-56, AC-120)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]

    const before = await send(daemon, alice, '~alice')
    put(dir, key, {})
    const after = await send(daemon, alice, '~alice')

    expect(before.body).toMatchObject({ code: 'scope-unimplemented', field: 'recipient_scope' })
    expect(after.body).toMatchObject({ recipient_count: 0, queued_count: 1, org: { members: 2, reached: 1 } })
    expect(await drained(daemon, work)).toBe(1)
    expect(await drained(daemon, alice)).toBe(0)
  })

  test.each([
    [
      'changed after it was signed',
      {},
      (text: string) => text.replace('"dev"', '"ops"'),
      /not what ~acme has signed/,
    ],
    ['of a lower epoch', { epoch: 1 }, undefined, /epoch 1, and epoch 2 was accepted before/],
    ['that is over', { epoch: 3, notAfter: '2020-01-01T00:00:00Z' }, undefined, /in force until 2020/],
    ['that is no document', { epoch: 3 }, () => '{', /no charter/],
  ])(
    'keeps its charter when there is one %s, also after a restart, and says why (FED-40)',
    async (_, wish, change, why) => {
      await using dir = await createTempDir()
      const key = settle(dir)
      put(dir, key, { epoch: 2 })
      for (const isFirst of [true, false]) {
        await using daemon = await startTestDaemon({ dir })
        if (isFirst) put(dir, key, wish, change)
        expect(await faults(daemon)).toMatch(why)
        const token = await open(daemon, '~alice-work', `s-${isFirst}`)
        const reply = await send(daemon, token, '~alice-work', 'org:~acme/members/dev/*')
        expect(reply.body).toMatchObject({ org: { members: 1 } })
        await daemon.stop()
      }
    },
  )

  test('cuts off a member who is taken out: stream, replay and mailbox (FED-56)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    put(dir, key, {})
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]
    await send(daemon, alice, '~alice')

    put(dir, key, { epoch: 2, members: [{ handle: '~alice', roles: [] }] })
    await send(daemon, alice, '~alice')
    const refused = await send(daemon, work, '~alice-work')
    await send(daemon, work, '~alice-work', '~alice-work/*')

    expect(refused.body).toMatchObject({
      code: 'scope-unauthorised',
      message: '~alice-work is no member of ~acme.',
    })
    using stream = await openStream(daemon.socket, '/v1/handles/~alice-work/stream?replay=10', {
      token: work,
    })
    const [first] = await stream.frames(1)
    expect(first?.['recipient_handle']).toBe('~alice-work')
    expect(await drained(daemon, work)).toBe(0)
  })

  test('stops with its key: who is revoked signs for nobody (FED-40)', async () => {
    await using dir = await createTempDir()
    const key = settle(dir)
    put(dir, key, {})
    await using daemon = await startTestDaemon({ dir })
    const alice = await open(daemon, '~alice', 'home')
    expect((await send(daemon, alice, '~alice')).status).toBe(200)

    rmSync(dir.file('state', 'keys', `${key.kid}.json`))

    expect((await send(daemon, alice, '~alice')).body.code).toBe('scope-unimplemented')
    expect(await faults(daemon)).toContain('is trusted here to sign for ~acme')
  })
})

describe('a further handle', () => {
  test('has sessions of its own, which scopes of the other never reach (memo §1, ACQ-41)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [alice, work] = [await open(daemon, '~alice', 'home'), await open(daemon, '~alice-work', 'work')]

    const across = await send(daemon, alice, '~alice', '~alice/*')
    const named = await post(
      daemon.socket,
      '/v1/verbs/agent_advise',
      { text: 'to the other', recipient_scope: '~alice-work/*' },
      alice,
    )

    expect(across.status).toBe(200)
    expect(await drained(daemon, work)).toBe(0)
    expect(named.body).toMatchObject({ code: 'scope-unauthorised' })
    for (const [handle, name] of [
      ['~alice', 'home'],
      ['~alice-work', 'work'],
    ]) {
      const { body } = await request(daemon.socket, `/v1/handles/${handle}/roster`)
      expect(body.sessions.map(({ session_id: id }: { session_id: string }) => id)).toEqual([name])
    }
    const foreign = await request(daemon.socket, '/v1/handles/~alice-work/roster', { token: alice })
    expect(foreign.body.code).toBe('scope-unauthorised')
  })

  test('is spoken for without a session by naming it, and nobody else is (ACQ-13)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const work = await open(daemon, '~alice-work', 'work')
    const advise = (as: string) =>
      request(daemon.socket, '/v1/verbs/agent_advise', {
        json: { text: 'hello' },
        headers: { 'agentd-as': as },
      })

    const sent = await advise('~alice-work')

    expect(sent.body.frame).toMatchObject({ sender_handle: '~alice-work', acted_by: '~alice-work' })
    expect(await drained(daemon, work)).toBe(1)
    expect((await advise('~mallory')).body).toMatchObject({
      code: 'sender-identity-mismatch',
      field: 'agentd-as',
    })
  })

  test('is no session’s to take up, nor an instrument’s name for one (FED-44, ACQ-11)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const alice = await open(daemon, '~alice', 'home')
    const body = { instrument: 'cc', session_id: 'other' }

    const taken = await post(daemon.socket, '/v1/sessions', { ...body, handle: '~alice-work' }, alice)
    const drafted = await post(daemon.socket, '/v1/sessions', { ...body, drafted_with: '~alice-work' })

    expect(taken.body).toMatchObject({ code: 'sender-identity-mismatch', field: 'handle' })
    expect(drafted.body).toMatchObject({ code: 'sender-identity-mismatch', field: 'drafted_with' })
  })

  test('that is declared no more ends its sessions, also those of a daemon before (memo §1)', async () => {
    await using dir = await createTempDir()
    settle(dir)
    await using daemon = await startTestDaemon({ dir })
    const [early, late] = [await open(daemon, '~alice-work', 'early'), await open(daemon, '~alice', 'late')]

    declare(dir)
    await request(daemon.socket, '/v1/health')
    expect((await request(daemon.socket, '/v1/sessions/self', { token: early })).status).toBe(401)
    expect((await request(daemon.socket, '/v1/sessions/self', { token: late })).status).toBe(200)
  })
})

test('handles that cannot be read, or that others could write, end the start with the reason (R-02)', async () => {
  await using dir = await createTempDir()
  settle(dir)
  const file = dir.file('state', 'authority', 'handles.json')
  const text = readFileSync(file, 'utf8')

  writeFileSync(file, '{')
  await expect(startTestDaemon({ dir })).rejects.toThrow(DaemonDidNotStart)
  await expect(startTestDaemon({ dir })).rejects.toThrow(/The declared handles are refused/)
  writeFileSync(file, text)
  chmodSync(file, 0o644)
  await expect(startTestDaemon({ dir })).rejects.toThrow(/must be 0600/)
})
