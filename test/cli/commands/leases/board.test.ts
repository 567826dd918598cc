/** `agentd board`, against a daemon that serves. */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { createCheckout } from '../../../runtimes/support/sessions.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { validFrame } from '../../../support/frames.ts'
import { post } from '../../../support/http.ts'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, startOnTerminal } from '../../support.ts'
import { widthOf } from '../../../../src/core/display/width.ts'

test('nothing that is announced is said in words', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['advise', 'about no file'])

  expect(await agentd(daemon.env, ['board'])).toMatchObject({
    code: 0,
    stdout: 'nothing is announced just now\n',
    stderr: '',
  })
  expect(await agentd(daemon.env, ['board', '--json'])).toMatchObject({
    stdout: '{"handle":"~alice","entries":[],"left_out":0}\n',
  })
})

test('files and leases stand by repository and worktree, the newest first (OP-06)', async () => {
  await using daemon = await startTestDaemon()
  await using checkout = await createCheckout()
  const { main, other, stranger } = checkout
  await using client = await connect({ socket: daemon.socket })
  const [one, two] = await Promise.all([
    client.session({ instrument: 'cc', title: 'api', worktree: main, repository: join(main, '.git') }),
    client.session({ instrument: 'codex', title: 'web', sessionId: 's2' }),
  ])
  const at = async (agoMs: number, token: string, payload: object): Promise<void> => {
    const created_at = new Date(Date.now() - agoMs).toISOString()
    const drafted_with = token === one.token ? '~cc' : '~codex'
    const said = { advisory_text: 'moving the session code', ...payload }
    const frame = validFrame('agent_advisory', { created_at, drafted_with, payload: said })
    expect(await post(daemon.socket, '/v1/frames', { frame }, token)).toMatchObject({ status: 200 })
  }
  await at(600_000, one.token, { file_refs: ['src/old.ts'], worktree: main, branch: 'main' })
  await at(300_000, two.token, { file_refs: [join(other, 'src/new.ts')] })
  await at(120_000, two.token, { file_refs: ['src/web.ts'], worktree: stranger })
  await one.lock('src/auth.ts', { ttlMs: 1_800_000, intent: 'one at a time' })
  await client.advise('by hand', { fileRefs: ['notes.md'] })

  const { stdout } = await agentd(daemon.env, ['board'])

  const [api, fix, web] = [main, other, stranger].map((path) => realpathSync(path))
  // On a machine that is busy it is a moment ago.
  expect(
    stdout
      .trimEnd()
      .replaceAll(/^\d+s ?(?= {2})/gm, 'now')
      .split('\n'),
  ).toEqual([
    'AGO  LEFT  WHO     WHAT',
    'It was not said where',
    'now  59m   ~alice  notes.md "by hand"',
    `${api}, on "main"`,
    'now  29m   api     src/auth.ts (lease) "one at a time"',
    '10m  49m   api     src/old.ts "moving the session code"',
    `${fix}, of api`,
    '5m   54m   web     src/new.ts "moving the session code"',
    web,
    '2m   57m   web     src/web.ts "moving the session code"',
  ])
})

test('--json has each announcement with its place and its times', async () => {
  await using daemon = await startTestDaemon()
  await using checkout = await createCheckout()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', title: 'Fixes', sessionId: 's1' })
  const { frameId } = await session.advise('editing ./src/auth.ts', {
    fileRefs: ['./src/auth.ts'],
    worktree: checkout.other,
    branch: 'fix',
  })
  const { leaseId } = await session.lock('deploy', { ttlMs: 60_000 })

  const { stdout } = await agentd(daemon.env, ['board', '--json'])

  const { entries } = JSON.parse(stdout)
  expect(entries).toMatchObject([
    { kind: 'lease', resource: 'deploy', lease_id: leaseId, repository: null, worktree: null, about: null },
    {
      kind: 'file',
      resource: './src/auth.ts',
      path: 'src/auth.ts',
      repository: realpathSync(join(checkout.main, '.git')),
      worktree: realpathSync(checkout.other),
      branch: 'fix',
      name: 'fixes',
      from: session.address,
      has_left: false,
      about: 'editing ./src/auth.ts',
      lease_id: null,
      frame_id: frameId,
    },
  ])
  expect(Date.parse(entries[0].until) - Date.parse(entries[0].since)).toBe(60_000)
})

test('what a session announced that has left is left out and counted, and shown with --all (OP-27)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1' })
  await session.advise('editing a.ts', { fileRefs: ['a.ts'] })
  await session.lock('b.ts')
  await client.endSession(session.address)

  const usual = await agentd(daemon.env, ['board'])
  const all = await agentd(daemon.env, ['board', '--all'])
  const counted = await agentd(daemon.env, ['board', '--json'])

  expect(usual).toMatchObject({
    stdout: 'nothing is announced just now\n',
    stderr: '2 announcements of sessions that have left: --all\n',
  })
  expect(all.stdout).toMatch(
    /\n.+ {2}~alice\/cc@s1 {2}b\.ts \(lease\) \(has left\)\n.+ {2}a\.ts \(has left\)\n$/,
  )
  expect(JSON.parse(counted.stdout)).toMatchObject({ entries: [], left_out: 2 })
})

test('a lease is gone that its holder has given back, and not one that somebody else has', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1' })
  const [mine, kept] = [await session.lock('given-back'), await session.lock('kept')]
  await mine.release()
  await client.unlock(kept.leaseId)

  const { stdout } = await agentd(daemon.env, ['board'])

  expect(stdout).toContain('  kept (lease)\n')
  expect(stdout).not.toContain('given-back')
})

test.runIf(hasProgram('script'))(
  'the board is a table of at most 80 columns, with every file in it',
  async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const session = await client.session({ instrument: 'cc-opus-4-6', sessionId: 'x'.repeat(36) })
    const folder = '/srv/a-rather-long-name/'.repeat(5)
    const file = `${'packages/components/'.repeat(4)}confirm-dialog.tsx`
    await session.advise(`text ${'and more of it '.repeat(20)}`, {
      fileRefs: [file, '日本語.md'],
      worktree: folder,
    })

    await using running = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, ['board'])
    const { stdout } = await running.ended

    const lines = stdout.trimEnd().split('\r\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(80)
    expect(stdout).toContain('components/confirm-dialog.tsx')
    expect(stdout).toContain('日本語.md "text')
  },
)
