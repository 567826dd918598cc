/** `agentd lock`, `locks`, `unlock` and `extend`, against a daemon that serves. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { widthOf } from '../../../../src/core/display/width.ts'
import { createCheckout } from '../../../runtimes/support/sessions.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { hasProgram } from '../../../support/needs.ts'
import { agentd, startAgentd, startOnTerminal } from '../../support.ts'

const HOUR_MS = 3_600_000

/** A lease by the command, as a script takes it. */
async function lockQuietly({ env }: TestDaemon, resource: string): Promise<string> {
  return (await agentd(env, ['lock', resource, '--quiet'])).stdout.trim()
}

test('lock says who announced the same already, since when and for how long, and is refused nothing (AC-034)', async () => {
  await using daemon = await startTestDaemon()
  await using checkout = await createCheckout()
  const { main, other, stranger } = checkout
  await using client = await connect({ socket: daemon.socket })
  const repository = join(main, '.git')
  const [here, beside, far] = await Promise.all([
    client.session({ instrument: 'cc', title: 'api', worktree: main, repository }),
    client.session({ instrument: 'codex', title: 'fix', sessionId: 's2', worktree: other, repository }),
    client.session({ instrument: 'gemini', title: 'web', sessionId: 's3', worktree: stranger }),
  ])
  await here.lock('src/auth.ts', { ttlMs: HOUR_MS, intent: 'moving it' })
  await beside.advise('looking at it', { fileRefs: ['src/auth.ts'] })
  await far.lock('src/auth.ts', { ttlMs: HOUR_MS })

  const { code, stdout, stderr } = await agentd(daemon.env, ['lock', join(main, 'src/auth.ts')])

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [sent, lease, ...others] = stdout.trimEnd().split('\n')
  expect(sent).toBe('sent agent_lock_request; nobody is listening just now')
  expect(lease).toMatch(/^lease [\da-f-]{36}$/)
  expect(others.map((line) => line.replaceAll(/\b\d+s ago/g, 'just now'))).toEqual([
    expect.stringMatching(/^also announced by api just now, (?:59m|1h) left, "moving it"$/),
    expect.stringMatching(
      /^an edit of it was announced by fix just now, (?:59m|1h) left, in the worktree "\S+api-fix", "looking at it"$/,
    ),
  ])
})

test('for programs the same stands in one object, and with --quiet there is the lease alone', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', title: 'api' })
  const held = await session.lock('deploy', { ttlMs: HOUR_MS })

  const object = await agentd(daemon.env, ['lock', 'deploy', '--json'])
  const quiet = await agentd(daemon.env, ['lock', 'deploy', '--quiet'])

  expect(JSON.parse(object.stdout)).toMatchObject({
    frame: { kind: 'agent_lock_request', payload: { resource: 'deploy' } },
    held_by: [
      {
        kind: 'lease',
        lease_id: held.leaseId,
        from: session.address,
        name: 'api',
        where: 'unknown',
        is_own: false,
      },
    ],
  })
  expect(quiet.stdout).toMatch(/^[\da-f-]{36}\n$/)
})

test('what oneself announced before is said to be, and who has left is not told of', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const gone = await client.session({ instrument: 'cc' })
  await gone.lock('deploy', { ttlMs: HOUR_MS })
  await gone.close()
  await lockQuietly(daemon, 'deploy')

  const { stdout } = await agentd(daemon.env, ['lock', './deploy'])

  const [, , ...others] = stdout.trimEnd().split('\n')
  expect(others).toEqual([expect.stringMatching(/^also announced by you .*, 4m left$/)])
})

test('of many who announced the same so many are told, and how many more there are', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  for (let n = 0; n < 10; n += 1) await client.lock('deploy', { ttlMs: HOUR_MS })

  const { stdout } = await agentd(daemon.env, ['lock', 'deploy'])

  const [, , ...others] = stdout.trimEnd().split('\n')
  expect(others).toHaveLength(9)
  expect(others.at(-1)).toBe('and 2 more: agentd board')
})

test('locks lists who holds what, the one that ends first in front', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', title: 'api' })
  expect((await agentd(daemon.env, ['locks'])).stdout).toBe('no lease is announced just now\n')
  const theirs = await session.lock('src/auth.ts', { ttlMs: HOUR_MS, intent: 'moving it' })
  const own = await lockQuietly(daemon, 'deploy')

  const { stdout } = await agentd(daemon.env, ['locks'])
  const object = await agentd(daemon.env, ['locks', '--json'])

  expect(stdout.split('\n').map((line) => line.replace(/^(?:59m|1h ) /, '59m ').trimEnd())).toEqual([
    'LEFT  HOLDER        RESOURCE     LEASE     INTENT',
    `4m    ~alice (you)  deploy       ${own.slice(0, 8)}`,
    `59m   api           src/auth.ts  ${theirs.leaseId.slice(0, 8)}  "moving it"`,
    '',
  ])
  expect(JSON.parse(object.stdout)).toMatchObject({
    locks: [
      { lease_id: own, resource: 'deploy', holder: '~alice', node: null, intent: null, is_own: true },
      { lease_id: theirs.leaseId, holder: session.address, name: 'api', intent: 'moving it', is_own: false },
    ],
    left_out: 0,
  })
})

test('leases of sessions that have left are counted, and listed where they are asked for', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const gone = await client.session({ instrument: 'cc' })
  await gone.lock('deploy', { ttlMs: HOUR_MS })
  await gone.close()

  const some = await agentd(daemon.env, ['locks'])
  const all = await agentd(daemon.env, ['locks', '--all'])

  expect(some.stdout).toBe('no lease is announced just now\n')
  expect(some.stderr).toBe('1 lease of sessions that have left: --all\n')
  expect(all.stdout).toContain('(has left)')
})

test.runIf(hasProgram('script'))('on a terminal a line of locks is no wider than that', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const resource = `src/${'very-'.repeat(12)}long/name.ts`
  await client.lock(resource, { ttlMs: HOUR_MS, intent: 'words '.repeat(40) })

  await using shown = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, ['locks'])

  const { stdout } = await shown.ended
  expect(stdout).toContain('name.ts')
  const lines = stdout.split('\r\n')
  expect(lines.map(widthOf).filter((columns) => columns > 80)).toEqual([])
})

test('unlock and extend take what a lease is on, its id or a beginning of that', async () => {
  await using daemon = await startTestDaemon()
  const [first, second, third] = [
    await lockQuietly(daemon, 'src/a.ts'),
    await lockQuietly(daemon, 'src/b.ts'),
    await lockQuietly(daemon, 'src/c.ts'),
  ]

  const extended = await agentd(daemon.env, ['extend', './src/a.ts', '--by', '10m'])
  const byName = await agentd(daemon.env, ['unlock', 'src/a.ts'])
  const byBeginning = await agentd(daemon.env, ['unlock', second.slice(0, 8)])
  const byId = await agentd(daemon.env, ['unlock', third, '--json'])

  expect(extended.stdout.split('\n')[1]).toMatch(
    new RegExp(`^extended src/a.ts \\(lease ${first}\\): 14m \\d+s left$`),
  )
  expect(byName.stdout.split('\n')[1]).toBe(`released src/a.ts (lease ${first})`)
  expect(byBeginning.stdout.split('\n')[1]).toBe(`released src/b.ts (lease ${second})`)
  expect(JSON.parse(byId.stdout)).toMatchObject({
    lease_id: third,
    resource: 'src/c.ts',
    frame: { kind: 'agent_lock_release', payload: { lease_id: third, resource: 'src/c.ts' } },
  })
  expect((await agentd(daemon.env, ['locks'])).stdout).toBe('no lease is announced just now\n')
})

test('an extension says when it is all that a lease may live (HD-08)', async () => {
  await using daemon = await startTestDaemon()
  await agentd(daemon.env, ['lock', 'deploy', '--ttl', '1h', '--quiet'])
  for (let n = 0; n < 2; n += 1) await agentd(daemon.env, ['extend', 'deploy', '--by', '1h', '--quiet'])

  const within = await agentd(daemon.env, ['extend', 'deploy', '--by', '59m'])
  const beyond = await agentd(daemon.env, ['extend', 'deploy', '--by', '1h'])

  expect(within.stdout).not.toContain('the most')
  expect(beyond.stdout).toMatch(/left, the most there is; then lock it anew\n$/)
})

test('what may be several leases, or is none of one’s own, is refused with what there is', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc', title: 'api' })
  await session.lock('deploy', { ttlMs: HOUR_MS })
  const twice = [await lockQuietly(daemon, 'src/a.ts'), await lockQuietly(daemon, 'src/a.ts')]

  const several = await agentd(daemon.env, ['unlock', 'src/a.ts'])
  const theirs = await agentd(daemon.env, ['unlock', 'deploy'])
  const none = await agentd(daemon.env, ['unlock', 'src/z.ts'])

  expect(several.code).toBe(2)
  expect(several.stderr).toMatch(/^agentd: You hold 2 of those; name one by its id: /)
  for (const lease of twice) expect(several.stderr).toContain(lease)
  expect(theirs).toMatchObject({
    code: 2,
    stderr:
      'agentd: You hold no lease on "deploy" that lives; api does. "agentd locks" lists those that do.\n',
  })
  expect(none).toMatchObject({
    code: 2,
    stderr: 'agentd: You hold no lease on "src/z.ts" that lives. "agentd locks" lists those that do.\n',
  })
})

test('a whole id is released whether or not such a lease is known (AC-037)', async () => {
  await using daemon = await startTestDaemon()
  const id = '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a'

  for (const words of [
    ['unlock', id],
    ['unlock', id, '--quiet'],
    ['extend', id],
  ])
    expect(await agentd(daemon.env, words)).toMatchObject({ code: 0, stderr: '' })
})

test('what becomes of a lease is shown with what it is on by tail and history, though it says its id alone', async () => {
  await using daemon = await startTestDaemon()
  const lease = await lockQuietly(daemon, 'src/a.ts')
  await using tail = startAgentd(daemon.env, ['tail', '--filter', 'kind:lock_release'])
  await using client = await connect({ socket: daemon.socket })
  // Its watch is there when a frame passes.
  const tell = async (): Promise<string> => {
    await client.verb('agent_lock_release', { lease_id: lease })
    return tail.stdout()
  }
  await expect.poll(tell, { timeout: 20_000, interval: 100 }).toContain(`src/a.ts [lease ${lease}]`)
  await client.verb('agent_lease_extend', { lease_id: lease, additional_ttl_ms: 60_000 })

  const { stdout } = await agentd(daemon.env, ['history', '--kind', 'agent_lease_extend'])

  expect(stdout).toContain(`src/a.ts by 60s [lease ${lease}]`)
})

test('a mailbox shows what a lease was on, too', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const lease = await lockQuietly(daemon, 'src/a.ts')
  const session = await client.session({ instrument: 'cc', mailbox: true })
  await client.verb('agent_lock_release', { lease_id: lease })

  const { stdout } = await agentd({ ...daemon.env, AGENTD_TOKEN: session.token }, ['inbox'])

  expect(stdout).toContain(`src/a.ts [lease ${lease}]`)
})
