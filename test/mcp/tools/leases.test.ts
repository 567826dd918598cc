/** Who is here and who holds what. Advisory: nothing here withholds anything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../../../src/client/connect.ts'
import { mcpHosts } from '../../../src/runtimes/mcp-hosts.ts'
import { MAX_ROSTER_ROWS } from '../../../src/mcp/session/bounds.ts'
import type { HookedSession } from '../../../src/mcp/session/session-pool.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { post } from '../../support/http.ts'
import { connectHost } from '../support/connection.ts'
import type { Called, Host } from '../support/host.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const Lease = z.looseObject({
  resource: z.string(),
  holder: z.string(),
  lease_id: z.string(),
  expires_in_s: z.int(),
  intent: z.string().optional(),
})
const Roster = z.looseObject({
  you: z.string(),
  sessions: z.array(z.looseObject({ address: z.string() })),
  leases: z.array(Lease),
})
const Locked = z.looseObject({ lease_id: z.string(), held_by: z.array(Lease) })

function readDone({ isError, facts }: Called): Readonly<Record<string, unknown>> {
  if (isError) throw new Error(JSON.stringify(facts))
  return facts
}

/** A host whose session has this name. */
async function join(name: string, socket = daemon.socket): Promise<Host> {
  const host = connectHost(socket)
  await host.open()
  await host.call('agentd_roster', { as: name })
  return host
}

async function readRoster(host: Host): Promise<z.infer<typeof Roster>> {
  return Roster.parse(readDone(await host.call('agentd_roster')))
}

async function acquire(host: Host, resource: string, args: object = {}): Promise<z.infer<typeof Locked>> {
  return Locked.parse(readDone(await host.call('agentd_lock', { action: 'acquire', resource, ...args })))
}

test('the second to take a lease is told of the first, and gets it all the same', async () => {
  await using a = await join('lea-a')
  await using b = await join('lea-b')
  const resource = 'src/both.ts'

  const first = await acquire(a, resource, { intent: 'move the session code', seconds: 60 })
  const second = await acquire(b, resource)

  const { you } = await readRoster(a)
  expect(first.held_by).toEqual([])
  expect(second.held_by).toMatchObject([
    { resource, holder: you, lease_id: first.lease_id, intent: 'move the session code' },
  ])
  expect(second.held_by[0]?.expires_in_s).toBeLessThanOrEqual(60)
  expect((await readRoster(b)).leases.filter((lease) => lease.resource === resource)).toHaveLength(2)
})

test('of two that ask at the same moment, at least one sees the other', async () => {
  await using a = await join('race-a')
  await using b = await join('race-b')

  const [one, two] = await Promise.all([acquire(a, 'race'), acquire(b, 'race')])

  expect(one.held_by.length + two.held_by.length).toBeGreaterThan(0)
})

test('a lease that was released is gone, by its id and by its resource', async () => {
  await using a = await join('rel-a')
  await using b = await join('rel-b')
  const { lease_id: id } = await acquire(a, 'released/1')
  await acquire(a, 'released/2')

  readDone(await a.call('agentd_lock', { action: 'release', lease_id: id.toUpperCase() }))
  readDone(await a.call('agentd_lock', { action: 'release', resource: 'released/2' }))

  expect((await acquire(b, 'released/1')).held_by).toEqual([])
  expect((await acquire(b, 'released/2')).held_by).toEqual([])
  const again = await a.call('agentd_lock', { action: 'release', lease_id: id })
  expect(again).toMatchObject({ isError: true, facts: { error: { code: 'not-found', field: 'lease_id' } } })
})

test('an extension adds to what is left', async () => {
  await using a = await join('ext-a')
  await acquire(a, 'extended', { seconds: 100 })

  readDone(await a.call('agentd_lock', { action: 'extend', resource: 'extended', seconds: 1_000 }))

  const lease = (await readRoster(a)).leases.find(({ resource }) => resource === 'extended')
  expect(lease?.expires_in_s).toBeGreaterThan(1_000)
  expect(lease?.expires_in_s).toBeLessThanOrEqual(1_100)
})

test("nobody can end another's lease", async () => {
  await using a = await join('own-a')
  await using b = await join('own-b')
  await using client = await connect({ socket: daemon.socket })
  const { lease_id: id } = await acquire(a, 'owned')

  const tried = await b.call('agentd_lock', { action: 'release', lease_id: id })
  await client.unlock(id)

  expect(tried).toMatchObject({ isError: true, facts: { error: { code: 'not-found' } } })
  expect((await readRoster(b)).leases).toContainEqual(expect.objectContaining({ lease_id: id }))
})

test('a lease goes with the session that took it', async () => {
  const a = await join('gone-a')
  await using b = await join('gone-b')
  await acquire(a, 'left behind')
  expect((await readRoster(b)).leases).toContainEqual(expect.objectContaining({ resource: 'left behind' }))

  await a[Symbol.asyncDispose]()

  expect((await readRoster(b)).leases).not.toContainEqual(
    expect.objectContaining({ resource: 'left behind' }),
  )
})

test('of two sessions that share an instrument, the one that took a lease holds it, and no other ends it', async () => {
  await using a = await join('twin')
  await using b = await join('twin')
  await using c = await join('third')
  const { lease_id: id } = await acquire(a, 'shared')
  const { you } = await readRoster(a)

  const tried = await b.call('agentd_lock', { action: 'release', lease_id: id })

  expect(tried).toMatchObject({ isError: true, facts: { error: { code: 'not-found' } } })
  expect((await acquire(c, 'shared')).held_by).toMatchObject([{ holder: you, lease_id: id }])
})

test('a lease is released by the session that carries on its holder, and by no other of its instrument', async () => {
  await using alone = await startTestDaemon()
  await using client = await connect({ socket: alone.socket })
  const facts = { instrument: 'cc', tool: 'cc' }
  const before = await client.session({ ...facts, sessionId: 's1' })
  const heir = await client.session({ ...facts, sessionId: 's2' })
  const twin = await client.session({ ...facts, sessionId: 's3' })
  const [mine, other] = [await before.lock('mine'), await before.lock('other')]
  const carriesOn = (address: string, predecessor: string): boolean =>
    address === heir.address && predecessor === before.address
  await using host = connectHost(alone.socket, { carriesOn }, { name: 'cursor' })

  await heir.unlock(mine.leaseId)
  await twin.unlock(other.leaseId)

  await host.call('agentd_roster', { as: 'looker' })
  expect((await readRoster(host)).leases.map(({ resource }) => resource)).toEqual(['other'])
})

test('a lease that a shell took is shown as its own', async () => {
  await using client = await connect({ socket: daemon.socket })
  await using a = await join('sh-a')
  await client.lock('by hand')

  expect((await acquire(a, 'by hand')).held_by).toMatchObject([{ holder: '~alice' }])
})

test('the roster tells how each session can be reached before anything is sent to it', async () => {
  await using alone = await startTestDaemon()
  await using client = await connect({ socket: alone.socket })
  await client.session({ instrument: 'deaf', sessionId: 's1', tool: 'script' })
  const listener = await client.session({ instrument: 'live', sessionId: 's1', tool: 'cc', branch: 'main' })
  const stream = listener.stream()
  await stream.opened
  await client.session({ instrument: 'turns', sessionId: 's1', tool: 'codex', mailbox: true, title: 'api' })
  await client.advise('something', { scope: '~alice/turns@s1' })
  await using host = await join('looker', alone.socket)

  const { sessions, you } = await readRoster(host)

  expect(sessions.map(({ address }) => address)).not.toContain(you)
  expect(sessions).toContainEqual(expect.objectContaining({ address: '~alice/deaf@s1', reach: 'none' }))
  expect(sessions).toContainEqual(
    expect.objectContaining({ address: '~alice/live@s1', reach: 'stream', branch: 'main' }),
  )
  expect(sessions).toContainEqual(
    expect.objectContaining({ address: '~alice/turns@s1', reach: 'inbox', unread: 1, title: 'api' }),
  )
})

test("a lease that hooks know of is the session's own, whoever took it", async () => {
  await using alone = await startTestDaemon()
  await using client = await connect({ socket: alone.socket })
  const facts = { instrument: 'cc', tool: 'cc', mailbox: true, draftedWith: '~claude-opus' }
  const hooked = await client.session({ ...facts, sessionId: 's1' })
  const twin = await client.session({ ...facts, sessionId: 's2' })
  const own = await hooked.lock('src/a.ts')
  await twin.lock('src/a.ts')
  const findHooked = (): HookedSession => ({
    token: hooked.token,
    leaseKeys: [`${own.leaseId} ${hooked.address}`],
  })
  const hosts = mcpHosts({ CLAUDE_CODE_SESSION_ID: 's1' })
  await using claude = connectHost(alone.socket, { findHooked, hosts }, { name: 'claude-code' })

  const { leases } = await readRoster(claude)
  const released = await claude.call('agentd_lock', { action: 'release', resource: 'src/a.ts' })

  expect(leases.map(({ holder }) => holder)).toEqual([hooked.address, twin.address])
  expect(released.facts).toMatchObject({ lease_id: own.leaseId })
  expect((await readRoster(claude)).leases).toHaveLength(1)
})

test('of more sessions than are shown the number is told (HD-06)', async () => {
  await using alone = await startTestDaemon()
  for (let i = 0; i < MAX_ROSTER_ROWS + 3; i += 1) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await post(alone.socket, '/v1/sessions', { instrument: 'cc', session_id: `s${i}` })
  }
  await using host = await join('looker', alone.socket)

  const roster = await readRoster(host)

  expect(roster.sessions).toHaveLength(MAX_ROSTER_ROWS)
  expect(roster['more_sessions']).toBe(3)
})

test('a lease that somebody asks for by the id of mine is not mine (HD-08)', async () => {
  await using alone = await startTestDaemon()
  await using client = await connect({ socket: alone.socket })
  await using host = await join('holder', alone.socket)
  const { lease_id } = await acquire(host, 'src/mine.ts')
  const twin = await client.session({ instrument: 'twin', sessionId: 's1' })
  const payload = { resource: 'src/theirs.ts', lease_id, ttl_ms: 60_000 }
  await twin.verb('agent_send', { kind: 'agent_lock_request', payload })

  const { leases } = await readRoster(host)
  const released = await host.call('agentd_lock', { action: 'release', resource: 'src/theirs.ts' })

  expect(leases.find(({ resource }) => resource === 'src/theirs.ts')?.holder).toBe(twin.address)
  expect(released).toMatchObject({ isError: true, facts: { error: { code: 'not-found' } } })
})

test('a session is shown with the drivers it declares', async () => {
  await using alone = await startTestDaemon()
  const delivery = { busy: 'hook', idle: 'claude-inbox', headless: 'hook' }
  await post(alone.socket, '/v1/sessions', { instrument: 'cc', session_id: 's1', mailbox: true, delivery })
  await using host = await join('looker', alone.socket)

  expect((await readRoster(host)).sessions).toMatchObject([
    { address: '~alice/cc@s1', reach: 'inbox', delivery },
  ])
})
