import { describe, expect, test } from 'vitest'
import {
  connect,
  type AgentdClient,
  type AgentdSession,
  type SessionOptions,
} from '../../../../src/client/index.ts'
import type { DoctorFinding } from '../../../../src/runtimes/doctor/finding.ts'
import { probeSessions } from '../../../../src/runtimes/doctor/live/probe.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { request } from '../../../support/http.ts'

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

/** As its hooks do. */
async function say(
  { daemon }: { readonly daemon: TestDaemon },
  { token }: AgentdSession,
  json: unknown,
): Promise<void> {
  const { status } = await request(daemon.socket, '/v1/sessions/self/activity', { token, json })
  expect(status).toBe(204)
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

  const findings = await probeSessions(client, { timeoutMs: 10_000 })
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

  const findings = await probeSessions(client, { timeoutMs: 1_000 })
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

  const findings = await probeSessions(client, { timeoutMs: SHORT_MS })

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

  await probeSessions(client, { timeoutMs: SHORT_MS })

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

  const findings = await probeSessions(asking, { timeoutMs: SHORT_MS })

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

  const [found] = await probeSessions(behind, { timeoutMs: SHORT_MS })

  expect(found).toMatchObject({ state: 'fail', probe: { state: 'nobody' } })
})

test('one that left before the end is told from one that takes nothing (OP-31)', async () => {
  await using room = await createRoom()
  const { client } = room
  const leaving = await enter(client, 's1', { delivery: { idle: 'claude-inbox' } })

  const probed = probeSessions(client, { timeoutMs: SHORT_MS * 10 })
  await leaving.inbox.wait(10_000)
  await leaving.close()
  const [found] = await probed

  expect(found).toMatchObject({
    state: 'warn',
    sentence: expect.stringContaining('): gone; its session ended before it'),
  })
})

describe('a probe that nobody has read says why, a sentence for each cause (OP-31)', () => {
  const WAKEABLE = { delivery: { busy: 'hook', idle: 'claude-inbox' } }
  const ASLEEP = { delivery: { busy: 'hook', idle: 'inbox' } }

  test.each([
    [
      WAKEABLE,
      { state: 'idle' },
      'it is idle, and what is not urgent wakes nobody',
      'agentd doctor --live --wake',
    ],
    [ASLEEP, { state: 'idle' }, 'it is idle, and nobody waits for it', 'give the session a prompt'],
    [WAKEABLE, { state: 'working' }, 'it is in a turn, and reads at its next tool', 'ask again'],
    [
      WAKEABLE,
      { state: 'waiting', reason: 'permission', text: 'rm -rf?' },
      'it waits for its person (permission)',
      'answer it',
    ],
  ] as const)('%j, %j: %s', async (options, activity, words, fix) => {
    await using room = await createRoom()
    const session = await enter(room.client, 's1', options)
    await say(room, session, activity)

    const [found] = await probeSessions(room.client, { timeoutMs: SHORT_MS })

    expect(found).toMatchObject({
      state: 'warn',
      sentence: expect.stringContaining(words),
      fix: expect.stringContaining(fix),
    })
    expect(found?.sentence).not.toContain('rm -rf')
  })

  test('one that was to be woken and was not has failed, and one in a turn is not woken (--wake)', async () => {
    await using room = await createRoom()
    const [idle, busy] = [await enter(room.client, 's1', WAKEABLE), await enter(room.client, 's2', WAKEABLE)]
    await say(room, idle, { state: 'idle' })
    await say(room, busy, { state: 'working' })

    const findings = await probeSessions(room.client, { timeoutMs: SHORT_MS, wakesIdle: true })
    const { items } = await room.client.history()

    expect(findings.map(({ state, sentence }) => [state, /: (not \w+)/.exec(sentence)?.[1]])).toEqual([
      ['fail', 'not woken'],
      ['warn', 'not read'],
    ])
    expect(findings[0]?.sentence).toContain('claude-inbox was to do it')
    const tags = items.map(({ scope, frame }) => [scope, Reflect.get(frame, 'provenance_method')])
    expect(Object.fromEntries(tags)).toEqual({
      [idle.address]: ['probe', 'urgency.interrupt'],
      [busy.address]: ['probe', 'urgency.digest'],
    })
  })
})
