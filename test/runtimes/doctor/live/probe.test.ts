import { expect, test } from 'vitest'
import {
  connect,
  type AgentdClient,
  type AgentdSession,
  type SessionOptions,
} from '../../../../src/client/index.ts'
import type { DoctorFinding } from '../../../../src/runtimes/doctor/finding.ts'
import { probeSessions } from '../../../../src/runtimes/doctor/live/probe.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'

/** A daemon, somebody who asks, and sessions. */
async function createRoom(): Promise<AsyncDisposable & { daemon: TestDaemon; client: AgentdClient }> {
  const daemon = await startTestDaemon()
  const client = await connect({ socket: daemon.socket })
  return {
    daemon,
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      await daemon[Symbol.asyncDispose]()
    },
  }
}

function enter(
  client: AgentdClient,
  sessionId: string,
  options: Partial<SessionOptions> = {},
): Promise<AgentdSession> {
  return client.session({ instrument: 'cc', sessionId, mailbox: true, ...options })
}

/** Drains once something is there, as a hook or an MCP server does. */
async function drainBy(session: AgentdSession, via: 'hook' | 'mcp'): Promise<void> {
  await session.inbox.wait(10_000)
  await session.inbox.drain({ via })
}

function sentences(findings: readonly DoctorFinding[]): readonly string[] {
  return findings.map(({ state, sentence }) => `${state} ${sentence}`)
}

/** How long a probe is waited for that nobody reads. */
const SHORT_MS = 150

test('each session is told with the way it saw the probe, and what it declares (PD-13)', async () => {
  await using room = await createRoom()
  const { client } = room
  const hooked = await enter(client, 's1', { delivery: { busy: 'hook', idle: 'claude-inbox' } })
  const served = await enter(client, 's2', { delivery: { busy: 'mcp' } })
  const drains = Promise.all([drainBy(hooked, 'hook'), drainBy(served, 'mcp')])

  const findings = await probeSessions(client, 10_000)
  await drains

  expect(findings.map(({ state }) => state)).toEqual(['ok', 'ok'])
  expect(findings.map(({ probe }) => probe)).toEqual([
    expect.objectContaining({
      address: hooked.address,
      state: 'seen',
      via: 'hook',
      afterMs: expect.any(Number),
    }),
    expect.objectContaining({ address: served.address, state: 'seen', via: 'mcp' }),
  ])
  expect(findings[0]?.sentence).toMatch(
    /: seen after \d+ ms, by hook; it declares busy hook, idle claude-inbox\.$/,
  )
})

test('a stream is a delivery only once its reader says so', async () => {
  await using room = await createRoom()
  const { client } = room
  const attentive = await enter(client, 's1', { mailbox: false })
  const mute = await enter(client, 's2', { mailbox: false })
  const [heard, unheard] = [attentive.stream(), mute.stream()]
  await Promise.all([heard.opened, unheard.opened])
  const saw = (async () => {
    for await (const item of heard) {
      if ('eventId' in item && item.eventId !== undefined) await attentive.seen({ eventIds: [item.eventId] })
      break
    }
  })()

  const findings = await probeSessions(client, 1_000)
  await saw

  expect(findings.map(({ probe }) => [probe?.state, probe?.via])).toEqual([
    ['seen', 'stream'],
    ['emitted', undefined],
  ])
  expect(findings[1]).toMatchObject({
    state: 'warn',
    sentence: expect.stringContaining('has not said that it saw it'),
  })
})

test('queued is not delivered: it waits in the mailbox, and is not shown when it is too late', async () => {
  await using room = await createRoom()
  const { client } = room
  const idle = await enter(client, 's1')

  const findings = await probeSessions(client, SHORT_MS)

  expect(sentences(findings)).toEqual([
    `warn cc (${idle.address}): waiting in the mailbox, which nobody has read yet; it does not declare how it is reached.`,
  ])
  expect(findings[0]?.probe).toMatchObject({ state: 'queued', afterMs: undefined })
  expect((await idle.inbox.drain()).items).toEqual([])
})

test('the probe says what it is, wishes no attention, and goes to one session only', async () => {
  await using room = await createRoom()
  const { client } = room
  const [first, second] = [await enter(client, 's1'), await enter(client, 's2')]

  await probeSessions(client, SHORT_MS)

  const { items } = await client.history()
  expect(items.map(({ scope }) => scope).toSorted()).toEqual([first.address, second.address].toSorted())
  for (const { frame } of items) {
    expect(frame).toMatchObject({
      kind: 'agent_advisory',
      payload: { advisory_text: 'probe from agentd doctor' },
      provenance_method: ['probe', 'urgency.digest'],
      ttl_ms: SHORT_MS,
    })
  }
})

test('sessions that nothing can reach are not probed, and neither is the one that asks', async () => {
  await using room = await createRoom()
  const { client } = room
  await enter(client, 's1', { mailbox: false })
  const asking = await enter(client, 's2')

  const findings = await probeSessions(asking, SHORT_MS)

  expect(sentences(findings)).toEqual(['off No session is attached.'])
})

test('a session that leaves while it is asked has taken nothing', async () => {
  await using room = await createRoom()
  const { client } = room
  const leaving = await enter(client, 's1')
  const [session] = await client.roster()
  await leaving.close()
  // As the roster was a moment ago.
  const behind = new Proxy(client, {
    get: (target, name) => {
      if (name === 'roster') return () => Promise.resolve([session])
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

  const [found] = await probeSessions(behind, SHORT_MS)

  expect(found).toMatchObject({ state: 'fail', probe: { state: 'nobody' } })
})
