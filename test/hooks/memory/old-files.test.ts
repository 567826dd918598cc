/**
 * The files of earlier versions: read once, believed where nobody else could write them, and removed (OP-05).
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { readOldFiles, removeOldFiles } from '../../../src/hooks/memory/old-files.ts'
import { MAX_STATES } from '../../../src/hooks/memory/hook-memory.ts'
import { startTestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'
import { rosterOf, say, startPeer, startSession } from '../../runtimes/support/sessions.ts'
import { listenAt } from '../wake/inbox-socket.ts'
import { keepsFrames } from '../../support/without-sqlite.ts'

const UID = process.getuid?.() ?? 0

/** What such a file was called. */
function nameOf(runtime: string, sessionId: string): string {
  const digest = createHash('sha256').update(`${runtime}:${sessionId}`).digest('hex').slice(0, 32)
  return `${runtime}-${digest}.json`
}

/** Leaves a file as an earlier version did. @returns its path */
function leave(dir: TempDir, sessionId: string, members: object): string {
  mkdirSync(dir.file('hooks'), { recursive: true, mode: 0o700 })
  const path = dir.file('hooks', nameOf('claude-code', sessionId))
  const state = { runtime: 'claude-code', sessionId, atMs: Date.now(), isBusy: false, ...members }
  writeFileSync(path, JSON.stringify(state), { mode: 0o600 })
  return path
}

test('all of them are read, within a bound, and removed with their locks, claims and drafts', async () => {
  await using dir = await createTempDir()
  const socket = dir.file('agentd.sock')
  for (let i = 0; i <= MAX_STATES; i += 1) leave(dir, `s${i}`, {})
  for (const end of ['lock', 'deliver', '123.tmp']) writeFileSync(`${leave(dir, 's0', {})}.${end}`, '')

  expect(readOldFiles(socket, UID)).toHaveLength(MAX_STATES)
  removeOldFiles(socket)
  expect(existsSync(dir.file('hooks'))).toBe(false)
  expect(readOldFiles(socket, UID)).toEqual([])
  removeOldFiles(socket)
})

test('a file that others could read or write is not believed; what a link leads to is left as it is', async () => {
  await using dir = await createTempDir()
  const socket = dir.file('agentd.sock')
  for (const [id, mode] of [
    ['s1', 0o622],
    ['s2', 0o644],
  ] as const)
    chmodSync(leave(dir, id, {}), mode)
  writeFileSync(dir.file('victim'), '{"runtime":"codex","sessionId":"s1"}', { mode: 0o644 })
  symlinkSync(dir.file('victim'), dir.file('hooks', nameOf('codex', 's1')))

  expect(readOldFiles(socket, UID)).toEqual([])
  removeOldFiles(socket)
  expect(readFileSync(dir.file('victim'), 'utf8')).toContain('codex')
  expect(existsSync(dir.file('hooks'))).toBe(false)
})

test('whatever else is in the folder is not ours, and stays', async () => {
  await using dir = await createTempDir()
  leave(dir, 's1', {})
  for (const name of ['notes.txt', 'codex-short.json', 'UPPER-0123456789abcdef0123456789abcdef.json'])
    writeFileSync(dir.file('hooks', name), '')

  removeOldFiles(dir.file('agentd.sock'))

  expect(readdirSync(dir.file('hooks')).toSorted()).toEqual([
    'UPPER-0123456789abcdef0123456789abcdef.json',
    'codex-short.json',
    'notes.txt',
  ])
})

test.runIf(keepsFrames())(
  'a session in progress keeps its identity and its mail over the update, and its files go (OP-05)',
  async () => {
    const first = await startTestDaemon()
    await using dir = first.dir
    await using session = startSession(first.env, dir.path)
    const { address, token } = await startPeer(first.socket, {
      instrument: 'cc',
      tool: 'cc',
      session_id: session.id,
    })
    await say(first.socket, 'agent_advise', { text: 'before the update', recipient_scope: address })
    await first.stop()
    leave(dir, session.id, {
      address,
      token,
      registration: { instrument: 'cc', tool: 'cc', session_id: session.id, mailbox: true },
      waiter: { pid: 7, kind: 'rewake' },
    })
    await using second = await startTestDaemon({ dir })

    expect(await session.prompt()).toContain('before the update')

    const { body } = await request(second.socket, `/v1/hooks/claude-code?session=${session.id}`)
    expect(body.session).toEqual({ address, token })
    expect((await rosterOf(second.socket)).map((one) => one.address)).toEqual([address])
    expect(existsSync(dir.file('hooks'))).toBe(false)
    await second.stop('SIGKILL')
    await using third = await startTestDaemon({ dir })
    expect((await request(third.socket, `/v1/hooks/claude-code?session=${session.id}`)).body.session).toEqual(
      {
        address,
        token,
      },
    )
  },
)

test.runIf(keepsFrames())(
  'an idle session is woken after the update, before any hook has come by (OP-26)',
  async () => {
    const first = await startTestDaemon()
    await using dir = first.dir
    await using inbox = await listenAt(dir.file('inbox.sock'))
    const { address, token } = await startPeer(first.socket, {
      instrument: 'cc',
      tool: 'cc',
      session_id: 's1',
      delivery: { busy: 'hook', idle: 'inbox', headless: 'hook' },
    })
    await first.stop()
    const registration = { instrument: 'cc', tool: 'cc', session_id: 's1', mailbox: true }
    leave(dir, 's1', { address, token, registration, doors: { claudeSocket: inbox.path, claudeToken: 't' } })
    await using second = await startTestDaemon({ dir })
    await within(
      (async () => {
        while ((await rosterOf(second.socket))[0].delivery.idle !== 'claude-inbox');
      })(),
      'the way on the roster',
    )
    await say(second.socket, 'agent_query', { text: 'which port?', recipient_scope: address })

    await inbox.changes.until(() => inbox.lines[1], 'the wake')

    expect(inbox.lines[0]).toContain('"t"')
  },
)
