import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { connectWith } from '../../src/client/client.ts'
import { connect } from '../../src/client/connect.ts'
import { UsageError } from '../../src/core/errors.ts'
import { FakeDaemon, HEALTH } from '../support/fake-daemon.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { ManualClock } from './manual-clock.ts'
import { meet, register, TOKEN } from './peers.ts'
import { runsOnLinux } from '../support/needs.ts'

const RANDOM = () => 0.5

describe('connecting', () => {
  test('a client speaks for the principal the daemon names', async () => {
    await using peers = await meet()

    expect(peers.client.principal).toBe('~alice')
    expect(peers.client.handle).toBe('~alice')
    expect(peers.client.socketPath).toBe(peers.daemon.socketPath)
  })

  test('no socket fails at once and says how to start the daemon', async () => {
    await using dir = await createTempDir()
    const socket = dir.file('none.sock')

    const connecting = connectWith({ clock: new ManualClock(), random: RANDOM }, { socket })

    await expect(connecting).rejects.toMatchObject({ name: 'AgentdUnreachable', socketPath: socket })
    await expect(connecting).rejects.toThrow('agentd start')
    await expect(connecting).rejects.toHaveProperty('cause.cause.code', 'ENOENT')
  })

  test('a socket nobody listens on is tried five times more, with doubling waits (ECONNREFUSED)', async () => {
    await using dir = await createTempDir()
    const socket = dir.file('stale.sock')
    await leaveStaleSocket(socket)
    const clock = new ManualClock()
    const connecting = connectWith({ clock, random: RANDOM }, { socket })
    connecting.catch(() => {})
    const waits: number[] = []
    for (let attempt = 0; attempt < 5; attempt += 1) {
      waits.push(await clock.timer((delayMs) => delayMs !== 30_000))
      clock.advance(waits.at(-1) ?? 0)
    }

    await expect(connecting).rejects.toHaveProperty('cause.cause.code', 'ECONNREFUSED')
    expect(waits).toEqual([10, 20, 40, 80, 160])
    expect(clock.pendingTimers).toBe(0)
  })

  test.runIf(runsOnLinux('what a full backlog answers'))(
    'a full backlog is waited for: on a Unix socket it answers EAGAIN at once (R-29)',
    async () => {
      await using dir = await createTempDir()
      const socket = dir.file('busy.sock')
      await using busy = await startBusyDaemon(socket)
      const clock = new ManualClock()
      const connecting = connectWith({ clock, random: RANDOM }, { socket })
      const waits: number[] = []
      for (let attempt = 0; attempt < 7; attempt += 1) {
        waits.push(await clock.timer((delayMs) => delayMs !== 30_000))
        if (attempt === 6) await busy.wake()
        clock.advance(waits.at(-1) ?? 0)
      }

      await using client = await connecting
      expect(client.principal).toBe('~alice')
      expect(waits).toEqual([10, 20, 40, 80, 160, 320, 500])
    },
  )

  test('a connection that is closed without a word is tried again: the descriptor limit does that', async () => {
    await using daemon = await FakeDaemon.start()
    daemon.answersHealth = false
    const connecting = connectWith(
      { clock: new ManualClock(), random: () => 0 },
      { socket: daemon.socketPath },
    )
    ;(await daemon.next('GET /v1/health')).cut()
    daemon.answersHealth = true

    await using client = await connecting
    expect(client.principal).toBe('~alice')
  })

  test('a daemon that never answers is given up after its time', async () => {
    await using daemon = await FakeDaemon.start()
    daemon.answersHealth = false
    const clock = new ManualClock()
    const connecting = connectWith({ clock, random: RANDOM }, { socket: daemon.socketPath })
    connecting.catch(() => {})
    await daemon.next('GET /v1/health')
    clock.advance(30_000)

    await expect(connecting).rejects.toMatchObject({ name: 'AgentdUnreachable' })
    await daemon.quiet()
  })

  test('an abort ends connecting with its reason', async () => {
    await using daemon = await FakeDaemon.start()
    daemon.answersHealth = false
    const controller = new AbortController()
    const connecting = connect({ socket: daemon.socketPath, signal: controller.signal })
    connecting.catch(() => {})
    await daemon.next('GET /v1/health')
    const reason = new Error('changed my mind')
    controller.abort(reason)

    await expect(connecting).rejects.toBe(reason)
    await daemon.quiet()
  })

  test('something else behind the socket is not taken for agentd', async () => {
    await using daemon = await FakeDaemon.start()
    daemon.health = { principal: 7 }

    await expect(connect({ socket: daemon.socketPath })).rejects.toMatchObject({
      name: 'AgentdUnknownAnswer',
    })
  })

  test('a path that is too long is refused with the limit (R-03)', async () => {
    const connecting = connect({ socket: `/${'x'.repeat(103)}` })

    await expect(connecting).rejects.toThrow(UsageError)
    // As programs that were written before it had a name of its own look for it.
    await expect(connecting).rejects.toThrow(UsageError)
  })
})

describe('errors', () => {
  test('a refusal becomes the error the daemon threw (AC-159)', async () => {
    await using peers = await meet()
    const calling = peers.client.roster('~bob')
    const arrival = await peers.daemon.next('GET /v1/handles/~bob/roster')
    arrival.answer(
      429,
      { code: 'rate-limited', message: 'Slow down.', retry_after_ms: 1_500 },
      { 'retry-after': '2' },
    )

    await expect(calling).rejects.toMatchObject({
      name: 'AgentdError',
      code: 'rate-limited',
      message: 'Slow down.',
      retryAfterMs: 1_500,
    })
  })

  test('a newer daemon\u2019s code is told apart from the closed set, with its text', async () => {
    await using peers = await meet()
    const calling = peers.client.roster()
    const arrival = await peers.daemon.next()
    arrival.answer(418, { code: 'teapot', field: 'spout', message: 'Short and stout.' })

    await expect(calling).rejects.toMatchObject({
      name: 'AgentdUnknownAnswer',
      status: 418,
      code: 'teapot',
      field: 'spout',
      message: 'Short and stout.',
    })
  })

  test.each(['<html>', '', '{"code":1}', '[]'])('an error body %j is no error of agentd', async (body) => {
    await using peers = await meet()
    const calling = peers.client.roster()
    ;(await peers.daemon.next()).answer(500, body)

    await expect(calling).rejects.toMatchObject({ name: 'AgentdUnknownAnswer', status: 500, code: undefined })
  })

  test('an answer that breaks off is not repeated when it could do something twice', async () => {
    await using peers = await meet()
    const calling = peers.client.verb('agent_advise', { text: 'once' })
    calling.catch(() => {})
    ;(await peers.daemon.next('POST /v1/verbs/agent_advise')).cut()

    await expect(calling).rejects.toMatchObject({ name: 'AgentdUnreachable' })
    expect(peers.daemon.untaken).toBe(0)
  })
})

describe('sessions', () => {
  test('a session is registered with what it says about itself', async () => {
    await using peers = await meet()
    const pending = peers.client.session({
      instrument: 'cc-opus',
      mailbox: true,
      successorOf: 'cc-opus@s0',
      pid: 7,
    })
    const arrival = await peers.daemon.next('POST /v1/sessions')
    const body = await arrival.json()
    arrival.answer(409, { code: 'session-exists', message: 'Held.' })

    expect(body).toEqual({
      instrument: 'cc-opus',
      drafted_with: '~cc-opus',
      mailbox: true,
      successor_of: 'cc-opus@s0',
      pid: 7,
    })
    await expect(pending).rejects.toMatchObject({ code: 'session-exists' })
  })

  test('another process goes on with the token alone', async () => {
    await using peers = await meet()
    const pending = peers.client.attach(TOKEN)
    const arrival = await peers.daemon.next('GET /v1/sessions/self')
    arrival.answer(200, SELF)

    const session = await pending
    expect(arrival.header('authorization')).toBe(`Bearer ${TOKEN}`)
    expect(session.facts).toEqual({
      address: '~alice/cc-opus@s1',
      handle: '~alice',
      instrument: 'cc-opus',
      sessionId: 's1',
      tool: 'cc',
      draftedWith: '~cc-other',
      expiresAt: 'later',
    })
  })

  test('closing a session ends it at the daemon; that it is gone already is no error', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const closing = session.close()
    const arrival = await peers.daemon.next('DELETE /v1/sessions/self')
    arrival.answer(401, { code: 'unauthenticated', message: 'Gone.' })

    await closing
    expect(arrival.header('authorization')).toBe(`Bearer ${TOKEN}`)
  })

  test('closing the client leaves its sessions at the daemon', async () => {
    await using peers = await meet()
    const session = await register(peers)
    await peers.client.close()

    await peers.daemon.quiet()
    expect(peers.daemon.untaken).toBe(0)
    await expect(session.advise('late')).rejects.toMatchObject({ code: 'closing' })
  })
})

const SELF = {
  address: '~alice/cc-opus@s1',
  instrument: 'cc-opus',
  session_id: 's1',
  tool: 'cc',
  title: null,
  cwd: null,
  repository: null,
  worktree: null,
  branch: null,
  started_at: 'then',
  last_seen_at: 'now',
  subscriptions: 0,
  mailbox: null,
  handle: '~alice',
  drafted_with: '~cc-other',
  expires_at: 'later',
}

/** What a daemon leaves that was killed: a socket file that refuses. */
async function leaveStaleSocket(path: string): Promise<void> {
  const program = `require('node:net').createServer().listen(${JSON.stringify(`${path}.x`)}, () => console.log('up'))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await rename(`${path}.x`, path)
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

interface BusyDaemon extends AsyncDisposable {
  /** Lets it run again; resolves when its backlog has room. */
  wake(): Promise<void>
}

/** A daemon that stands still with a full backlog. */
async function startBusyDaemon(path: string): Promise<BusyDaemon> {
  const program = `
    const server = require('node:http').createServer((_, response) => response.end(${JSON.stringify(JSON.stringify(HEALTH))}))
    server.listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => console.log('up'))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  const callers: Socket[] = []
  let isFull = false
  while (!isFull) {
    const caller = createConnection(path)
    callers.push(caller)
    isFull = await Promise.race([
      once(caller, 'connect').then(() => false),
      once(caller, 'error').then(() => true),
    ]).catch(() => true)
  }
  const gone = once(child, 'exit')
  return {
    async wake() {
      child.kill('SIGCONT')
      const [first] = callers
      first?.write('GET / HTTP/1.1\r\nhost: agentd\r\n\r\n')
      if (first !== undefined) await once(first, 'data')
    },
    async [Symbol.asyncDispose]() {
      for (const caller of callers) caller.destroy()
      child.kill('SIGKILL')
      await gone
    },
  }
}
