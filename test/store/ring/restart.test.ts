/**
 * The real daemon, killed and started again in the same place: what was acknowledged is there, once, in order.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { flipBit, offsetOf } from '../../support/damage.ts'
import { validFrame } from '../../support/frames.ts'
import { connectRaw, openLines, openStream, post, request, type RawConnection } from '../../support/http.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'

function advisory(text: string) {
  return { ...validFrame('agent_advisory'), payload: { advisory_text: text } }
}

async function health(daemon: TestDaemon) {
  return (await request(daemon.socket, '/v1/health')).body
}

/** Submits, and gives the event id. */
async function publish(daemon: TestDaemon, text: string): Promise<string> {
  const { status, body } = await post(daemon.socket, '/v1/frames', { frame: advisory(text) })
  expect([status, body.ack]).toEqual([200, 'process'])
  return body.event_id
}

/** Waits until the daemon has said something on stderr. */
function saidBy(daemon: TestDaemon, event: string): Promise<Record<string, unknown>> {
  const look = (): Record<string, unknown> | undefined =>
    daemon
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line): Record<string, unknown> => JSON.parse(line))
      .findLast((line) => line['event'] === event)
  return within(
    new Promise((resolve) => {
      const poll = (): void => {
        const found = look()
        if (found === undefined) setImmediate(poll)
        else resolve(found)
      }
      poll()
    }),
    `the log line ${event}`,
  )
}

const STREAM = '/v1/handles/~alice/stream'

test('a reader that resumes after each of several kills gets everything that was acknowledged, once, in order (R-06, R-15, R-18)', async () => {
  await using dir = await createTempDir()
  const acked: string[] = []
  const got: { id: string; text: string }[] = []
  let lastId: string | undefined
  let epoch: string | undefined

  for (let life = 0; life < 4; life += 1) {
    await using daemon = await startTestDaemon({ dir })
    epoch ??= (await health(daemon)).epoch
    using lines = openLines(daemon.socket)
    for (let i = 0; i < 25; i += 1) lines.send({ frame: advisory(`${life}-${i}`) })
    // The reader comes late, with what it has, and is cut with the daemon.
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
    using stream = await openStream(daemon.socket, lastId === undefined ? `${STREAM}?replay=100` : STREAM, {
      headers,
    })
    for (const { event_id: id } of await lines.answered(25)) acked.push(id)
    const missing = acked.length - got.length
    await stream.frames(Math.floor(missing / 2))
    // More is under way when it dies; some of that is acknowledged, some is not.
    for (let i = 25; i < 60; i += 1) lines.send({ frame: advisory(`${life}-${i}`) })
    await lines.answered(30)
    await daemon.stop('SIGKILL')
    await lines.ended
    for (const { event_id: id } of lines.answers.slice(25)) acked.push(id)
    for (const { event, id, data } of stream.events) {
      if (event === 'agentd_gap') throw new Error(`a gap: ${data}`)
      got.push({ id: id ?? '', text: data })
      lastId = id
    }
  }

  await using daemon = await startTestDaemon({ dir })
  using stream = await openStream(daemon.socket, STREAM, { headers: { 'last-event-id': lastId ?? '' } })
  const { ring, epoch: now } = await health(daemon)
  const newest = Number(ring.newest_event_id.split('-')[1])
  await stream.frames(newest - got.length)
  for (const { id, data } of stream.events) got.push({ id: id ?? '', text: data })

  expect(now).toBe(epoch)
  expect(got.map(({ id }) => id)).toEqual(Array.from({ length: newest }, (_, i) => `${epoch}-${i + 1}`))
  expect(acked.filter((id) => !got.some((one) => one.id === id))).toEqual([])
  expect(new Set(got.map(({ text }) => JSON.parse(text).frame_id)).size).toBe(newest)
})

test('a submission that is repeated after a kill is answered as before, and delivered once (R-14)', async () => {
  await using dir = await createTempDir()
  await using first = await startTestDaemon({ dir })
  const frame = advisory('once')
  const { body: before } = await post(first.socket, '/v1/frames', { frame })
  await first.stop('SIGKILL')

  await using second = await startTestDaemon({ dir })
  const { body: again } = await post(second.socket, '/v1/frames', { frame })
  const other = await post(second.socket, '/v1/frames', {
    frame: { ...frame, payload: { advisory_text: 'two' } },
  })

  expect(again).toEqual({ ...before, duplicate: true })
  expect(other).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'frame_id' } })
  expect((await health(second)).ring.frames).toBe(1)
})

test('a session and its mailbox live through kills: the token goes on, and each item is handed over once', async () => {
  await using dir = await createTempDir()
  await using first = await startTestDaemon({ dir })
  const { body: session } = await post(first.socket, '/v1/sessions', {
    instrument: 'cc',
    session_id: 's1',
    mailbox: true,
  })
  await publish(first, 'one')
  await first.stop('SIGKILL')
  await using second = await startTestDaemon({ dir })
  await publish(second, 'two')
  const { body: drained } = await post(second.socket, '/v1/inbox/drain', {}, session.token)
  await second.stop('SIGKILL')

  await using third = await startTestDaemon({ dir })
  const { status, body: empty } = await post(third.socket, '/v1/inbox/drain', {}, session.token)

  expect(drained.items.map(({ frame }: { frame: { payload: object } }) => frame.payload)).toEqual([
    { advisory_text: 'one' },
    { advisory_text: 'two' },
  ])
  expect([status, empty.items, empty.gap]).toEqual([200, [], null])
})

test('receipts that were given before a kill are there after it', async () => {
  await using dir = await createTempDir()
  await using first = await startTestDaemon({ dir })
  const { body: session } = await post(first.socket, '/v1/sessions', {
    instrument: 'cc',
    session_id: 's1',
    mailbox: true,
  })
  const frame = advisory('seen')
  await post(first.socket, '/v1/frames', { frame })
  await post(first.socket, '/v1/inbox/drain', {}, session.token)
  const { body: before } = await request(first.socket, `/v1/frames/${frame.frame_id}`)
  await first.stop('SIGKILL')

  await using second = await startTestDaemon({ dir })
  const { body: after } = await request(second.socket, `/v1/frames/${frame.frame_id}`)

  expect(before.receipts).toMatchObject([{ state: 'seen', via: 'inbox' }])
  expect(after).toEqual(before)
})

test('damage under a daemon that was killed is told to who resumes, and the damaged store is kept (R-16, R-23)', async () => {
  await using dir = await createTempDir()
  await using first = await startTestDaemon({ dir })
  const lastId = await publish(first, 'before the damage')
  await first.stop()
  flipBit(dir.file('state', 'ring.db'), offsetOf(dir.file('state', 'ring.db'), 'before the damage'))

  await using second = await startTestDaemon({ dir })
  const history = await request(second.socket, '/v1/frames')
  using stream = await openStream(second.socket, STREAM, { headers: { 'last-event-id': lastId } })
  const gap = await stream.next('agentd_gap')
  const after = await publish(second, 'after')

  expect(history.body.items).toEqual([])
  expect(JSON.parse(gap.data)).toEqual({ reason: 'corrupt', requested: lastId, oldest: null, missed: null })
  expect((await stream.next('agent_frame')).id).toBe(after)
  expect(await health(second)).toMatchObject({
    status: 'degraded',
    details: [expect.stringContaining('set aside')],
  })
  expect(readdirSync(dir.file('state')).some((name) => name.startsWith('ring.corrupt-'))).toBe(true)
})

test('a second daemon of the same person at another socket keeps frames in memory, and says so (R-26)', async () => {
  await using dir = await createTempDir()
  await using other = await createTempDir()
  await using first = await startTestDaemon({ dir })

  await using second = await startTestDaemon({ dir: other, env: { AGENTD_STATE_DIR: dir.file('state') } })

  expect(await health(first)).toMatchObject({ status: 'healthy', ring: { enabled: true, ack: 'process' } })
  expect(await health(second)).toMatchObject({
    status: 'degraded',
    ring: { enabled: false, ack: 'memory', sqlite_version: null },
    details: [expect.stringMatching(/in memory only: .*ring\.db is in use/)],
  })
  const { body } = await post(second.socket, '/v1/frames', { frame: advisory('kept in memory') })
  expect(body.ack).toBe('memory')
})

test.each(['000', '022'])(
  'every file of the state is 0600 and its directory 0700 under umask %s (R-01)',
  async (umask) => {
    await using dir = await createTempDir()
    const before = process.umask(Number.parseInt(umask, 8))
    let daemon: TestDaemon
    try {
      daemon = await startTestDaemon({ dir })
    } finally {
      process.umask(before)
    }
    await publish(daemon, 'something to write')

    const modes = readdirSync(dir.file('state')).map((name) => [
      name,
      lstatSync(dir.file('state', name)).mode & 0o777,
    ])

    const names = ['agentd.json', 'person.key', 'ring.db', 'ring.db-wal', 'ring.mark']
    expect(Object.fromEntries(modes)).toEqual(Object.fromEntries(names.map((name) => [name, 0o600])))
    expect(lstatSync(dir.file('state')).mode & 0o777).toBe(0o700)
    expect(lstatSync(daemon.socket).mode & 0o777).toBe(0o600)
    await daemon[Symbol.asyncDispose]()
  },
)

test('the principal forgets frames by id, sender, kind and time; a session may not (AC-192)', async () => {
  await using daemon = await startTestDaemon()
  const { body: session } = await post(daemon.socket, '/v1/sessions', { instrument: 'cc', session_id: 's1' })
  const frames = [advisory('a'), advisory('b'), { ...validFrame('agent_broadcast') }]
  for (const frame of frames) await post(daemon.socket, '/v1/frames', { frame })
  const forget = async (query: string, token?: string) =>
    request(daemon.socket, `/v1/frames?${query}`, { method: 'DELETE', ...(token !== undefined && { token }) })
  const left = async () => (await request(daemon.socket, '/v1/frames')).body.items.length

  expect(await forget('')).toMatchObject({ status: 400, body: { field: 'frame_id' } })
  expect(await forget('sendr=~alice')).toMatchObject({ status: 400, body: { field: 'sendr' } })
  expect(await forget('sender=~alice', session.token)).toMatchObject({
    status: 403,
    body: { code: 'scope-unauthorised' },
  })
  expect(await left()).toBe(3)
  expect(await forget(`frame_id=${randomUUID()}`)).toMatchObject({ status: 200, body: { forgotten: 0 } })
  expect(await forget('before=2020-01-01T00:00:00Z&sender=~alice')).toMatchObject({ body: { forgotten: 0 } })
  expect(await forget('kind=agent_broadcast')).toMatchObject({ body: { forgotten: 1 } })
  expect(await forget(`frame_id=${frames[0]?.frame_id.toUpperCase()}`)).toMatchObject({
    body: { forgotten: 1 },
  })
  expect((await request(daemon.socket, `/v1/frames/${frames[0]?.frame_id}`)).status).toBe(404)
  expect(await forget('sender=~alice')).toMatchObject({ body: { forgotten: 1 } })
  expect(await left()).toBe(0)
  expect(await health(daemon)).toMatchObject({ ring: { frames: 0, bytes: 0, oldest_event_id: null } })
})

test('SIGHUP applies what may change, names what may not, and a bad file changes nothing', async () => {
  await using dir = await createTempDir()
  await using daemon = await startTestDaemon({
    dir,
    config: { limits: { submission_burst: 3, submissions_per_second: 1 } },
  })
  const configPath = dir.file('config', 'agentd.json')
  const reload = async (config: unknown, event: string) => {
    writeFileSync(configPath, JSON.stringify(config))
    process.kill(daemon.pid, 'SIGHUP')
    return saidBy(daemon, event)
  }
  const burst = async (count: number) => {
    using lines = openLines(daemon.socket)
    for (let i = 0; i < count; i += 1) lines.send({ frame: advisory(`${i}`) })
    return (await lines.answered(count)).filter(({ code }) => code === 'rate-limited').length
  }
  expect(await burst(10)).toBeGreaterThan(0)

  const refused = await reload({ limits: { submission_burst: 'many' } }, 'reload-refused')
  const stillLimited = await burst(10)
  const reloaded = await reload(
    {
      ack: 'disk',
      ring: { max_frames: 10 },
      limits: { submission_burst: 1_000, submissions_per_second: 100_000 },
    },
    'reloaded',
  )

  expect(refused['why']).toContain('limits.submission_burst')
  expect(stillLimited).toBeGreaterThan(0)
  expect(reloaded['need_restart']).toBe('ack')
  // A bucket that was empty fills at the new rate, and the ring has the new bound.
  await within(
    (async () => {
      while ((await health(daemon)).ring.newest_event_id.split('-')[1] < 60) await burst(20)
    })(),
    'sixty frames to be accepted',
  )
  const { ring, status } = await health(daemon)
  expect([ring.ack, status]).toEqual(['process', 'healthy'])
  expect(ring.frames).toBeLessThanOrEqual(20)
})

test('health says whether peers are checked, and this machine can', async () => {
  await using daemon = await startTestDaemon()

  expect(['checked', 'unavailable']).toContain((await health(daemon)).peer_credentials)
  expect((await health(daemon)).ring).toMatchObject({
    synchronous: 'normal',
    sqlite_version: expect.any(String),
  })
})

test('with few descriptors those who come too late are told so, and those who were there stay (R-30)', async () => {
  await using dir = await createTempDir()
  const { daemon, exited } = await startLimited(dir, 200)
  const socket = dir.file('agentd.sock')
  const connections: RawConnection[] = []
  using stream = await openStream(socket, STREAM)
  try {
    for (let i = 0; i < 240; i += 1) connections.push(await connectPatiently(socket))
    await within(
      Promise.all(connections.slice(-40).map(({ closed }) => closed)),
      'the last connections to be turned away',
    )

    const told = connections.filter((one) => one.isClosed)
    for (const one of told)
      expect(one.text()).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"code":"busy"/)
    expect(connections.length - told.length).toBeGreaterThanOrEqual(32)
  } finally {
    for (const one of connections) one[Symbol.dispose]()
  }
  const frame = advisory('still there')
  const { status } = await within(untilAnswered(socket, frame), 'a connection after the crowd has gone')
  expect(status).toBe(200)
  expect(JSON.parse((await stream.next('agent_frame')).data).frame_id).toBe(frame.frame_id)
  daemon.kill('SIGTERM')
  await within(exited, 'the end')
})

/** A full backlog answers EAGAIN at once: busy, not absent. */
async function connectPatiently(socket: string): Promise<RawConnection> {
  for (;;) {
    const connection = await connectRaw(socket).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
      throw error
    })
    if (connection !== undefined) return connection
  }
}

/** Connections that have gone are noticed a moment later; until then newcomers are turned away. */
async function untilAnswered(socket: string, frame: object) {
  for (;;) {
    const reply = await post(socket, '/v1/frames', { frame }).catch(() => undefined)
    if (reply !== undefined && reply.status !== 503) return reply
  }
}

/** A daemon under `ulimit -n`. */
async function startLimited(dir: TempDir, descriptors: number) {
  const entry = new URL('../../../dist/daemon/main.js', import.meta.url).pathname
  const daemon: ChildProcess = spawn(
    'bash',
    ['-c', `ulimit -n ${descriptors} && exec "$0" "$1"`, process.execPath, entry],
    {
      cwd: dir.path,
      env: {
        PATH: process.env['PATH'],
        HOME: dir.path,
        AGENTD_SOCKET: dir.file('agentd.sock'),
        AGENTD_STATE_DIR: dir.file('state'),
        AGENTD_PRINCIPAL: '~alice',
        AGENTD_READY_FD: '3',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  const exited = once(daemon, 'exit')
  await within(once(daemon.stdio[3] ?? daemon, 'data'), 'the daemon to be ready')
  expect(readFileSync(`/proc/${daemon.pid}/limits`, 'utf8')).toMatch(
    new RegExp(`open files\\s+${descriptors} `),
  )
  return { daemon, exited }
}
