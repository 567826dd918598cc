import { chmodSync, existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { validFrame } from '../support/frames.ts'
import { DaemonDidNotStart, startTestDaemon } from '../support/daemon.ts'
import { openLines, openStream, post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { within } from '../support/within.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

const DONE = { code: 0, signal: null }
const HOUR_MS = 3_600_000

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s says goodbye to every reader with a delay to come back after, and leaves with 0 and without its socket (R-40, docs/http.md §6)',
  async (signal) => {
    await using daemon = await startTestDaemon()
    using one = await openStream(daemon.socket, '/v1/handles/~alice/stream')
    using two = await openStream(daemon.socket, '/v1/handles/~alice/stream?filter=kind:agent_query')

    const stopped = daemon.stop(signal)
    const byes = [await one.next(), await two.next()]
    await within(Promise.all([one.ended, two.ended]), 'both streams to end')

    for (const { event, data, id } of byes) {
      expect([event, JSON.parse(data), id]).toEqual(['agentd_bye', { reason: 'shutdown' }, undefined])
    }
    for (const stream of [one, two]) {
      expect(stream.retries).toHaveLength(2)
      expect(stream.retries[1]).toBeGreaterThanOrEqual(1_000)
      expect(stream.retries[1]).toBeLessThan(3_000)
    }
    expect(await stopped).toEqual(DONE)
    expect(existsSync(daemon.socket)).toBe(false)
  },
)

test('it leaves with 0 even while requests wait, lines are open, and one reads nothing (R-40)', async () => {
  await using daemon = await startTestDaemon()
  const { body } = await post(daemon.socket, '/v1/sessions', { instrument: 'cc', mailbox: true })
  const waiting = request(daemon.socket, '/v1/inbox/wait?timeout_ms=600000', { token: body.token })
  // Cut at the end of the daemon's patience; that is the point.
  const cut = waiting.catch(() => undefined)
  using lines = openLines(daemon.socket)
  lines.send({ frame: validFrame() })
  await lines.answered(1)
  using stopped = await openStream(daemon.socket, '/v1/handles/~alice/stream')
  stopped.connection.socket.pause()

  expect(await daemon.stop()).toEqual(DONE)
  await cut
})

test.runIf(keepsFrames())(
  'a line sent while it leaves is refused as closing or not answered, never taken for nobody (R-40, docs/http.md §3)',
  async () => {
    await using dir = await createTempDir()
    await using daemon = await startTestDaemon({ dir })
    using stream = await openStream(daemon.socket, '/v1/handles/~alice/stream')
    using lines = openLines(daemon.socket)
    const [early, late] = [validFrame(), validFrame()]
    lines.send({ frame: early })
    await lines.answered(1)

    const stopped = daemon.stop()
    await stream.next('agentd_bye')
    lines.send({ frame: late })
    lines.end()
    await within(lines.ended, 'the answers to end')

    expect(await stopped).toEqual(DONE)
    expect(lines.answers.slice(1).filter(({ code }) => code !== 'closing')).toEqual([])
    await using next = await startTestDaemon({ dir })
    expect((await request(next.socket, `/v1/frames/${early.frame_id}`)).status).toBe(200)
    expect((await request(next.socket, `/v1/frames/${late.frame_id}`)).status).toBe(404)
  },
)

test('a second daemon at the same place is refused with 78, and the first goes on (R-04)', async () => {
  await using first = await startTestDaemon()
  using stream = await openStream(first.socket, '/v1/handles/~alice/stream')

  const second = startTestDaemon({ dir: first.dir })

  await expect(second).rejects.toBeInstanceOf(DaemonDidNotStart)
  await expect(second).rejects.toMatchObject({ exit: { code: 78, signal: null } })
  await expect(second).rejects.toThrow(/agentd: .*already.*\.\n$/)
  const { body } = await post(first.socket, '/v1/frames', { frame: validFrame() })
  expect(await stream.frames(1)).toMatchObject([{ frame_id: body.frame_id }])
})

test('the socket a killed daemon left behind is replaced by the next one (R-06)', async () => {
  await using dir = await createTempDir()
  await using first = await startTestDaemon({ dir })
  const { body: before } = await request(first.socket, '/v1/health')
  await first.stop('SIGKILL')
  const stale = lstatSync(first.socket).ino

  await using second = await startTestDaemon({ dir })
  const { body: after } = await request(second.socket, '/v1/health')

  expect(after.pid).toBe(second.pid)
  expect(after.instance_id).not.toBe(before.instance_id)
  expect(lstatSync(second.socket).ino).not.toBe(stale)
})

function mode(path: string): number {
  return lstatSync(path).mode & 0o777
}

test("the socket, its directory and what lies beside it are the user's alone (R-01)", async () => {
  await using daemon = await startTestDaemon()

  expect(mode(daemon.dir.path)).toBe(0o700)
  expect(lstatSync(daemon.socket).isSocket()).toBe(true)
  for (const name of readdirSync(daemon.dir.path).filter((one) => one.startsWith('agentd.sock'))) {
    // Without SQLite the lock is a folder.
    const wanted = lstatSync(daemon.dir.file(name)).isDirectory() ? 0o700 : 0o600
    expect([name, mode(daemon.dir.file(name))]).toEqual([name, wanted])
  }
})

test.runIf(keepsFrames())(
  'with the ring on disk a reader resumes across a restart without a gap, and nothing is twice (R-15, R-18)',
  async () => {
    await using dir = await createTempDir()
    await using first = await startTestDaemon({ dir })
    using before = await openStream(first.socket, '/v1/handles/~alice/stream')
    const one = validFrame()
    await post(first.socket, '/v1/frames', { frame: one })
    const { id } = await before.next('agent_frame')
    const missed = [validFrame(), validFrame()]
    before.connection.socket.destroy()
    for (const frame of missed) await post(first.socket, '/v1/frames', { frame })
    await first.stop()

    await using second = await startTestDaemon({ dir })
    const again = await post(second.socket, '/v1/frames', { frame: missed[1] })
    using after = await openStream(second.socket, '/v1/handles/~alice/stream', {
      headers: { 'last-event-id': id ?? '' },
    })
    const { body } = await post(second.socket, '/v1/frames', { frame: validFrame() })

    const frames = await after.frames(3)
    expect(after.events.map(({ event }) => event)).toEqual(['agent_frame', 'agent_frame', 'agent_frame'])
    expect(frames.map((frame) => frame['frame_id'])).toEqual([
      ...missed.map(({ frame_id }) => frame_id),
      body.frame_id,
    ])
    expect(again.body).toMatchObject({ duplicate: true })
  },
)

test.runIf(keepsFrames())(
  'a session and what waits for it outlive a restart (R-18, docs/http.md §7)',
  async () => {
    await using dir = await createTempDir()
    await using first = await startTestDaemon({ dir })
    const { body: session } = await post(first.socket, '/v1/sessions', {
      instrument: 'cc',
      session_id: 's1',
      mailbox: true,
    })
    const frame = validFrame()
    await post(first.socket, '/v1/frames', { frame })
    await first.stop()

    await using second = await startTestDaemon({ dir })
    const self = await request(second.socket, '/v1/sessions/self', { token: session.token })
    const drained = await post(second.socket, '/v1/inbox/drain', {}, session.token)
    const receipts = await request(second.socket, `/v1/frames/${frame.frame_id}`)

    expect(self).toMatchObject({ status: 200, body: { address: '~alice/cc@s1', mailbox: { unread: 1 } } })
    expect(drained.body.items).toMatchObject([{ frame }])
    expect(receipts.body.receipts).toMatchObject([{ address: '~alice/cc@s1', state: 'seen', via: 'inbox' }])
  },
)

test('without the ring a restart is another epoch, and a reader is told so before any frame (R-16, ACQ-21)', async () => {
  await using dir = await createTempDir()
  const config = { ring: { enabled: false } }
  await using first = await startTestDaemon({ dir, config })
  const { body: sent } = await post(first.socket, '/v1/frames', { frame: validFrame() })
  await first.stop()
  await using second = await startTestDaemon({ dir, config })
  const { body: early } = await post(second.socket, '/v1/frames', { frame: validFrame() })

  using stream = await openStream(second.socket, `/v1/handles/~alice/stream?after=${sent.event_id}`)
  const gap = await stream.next()
  const { body } = await post(second.socket, '/v1/frames', { frame: validFrame() })

  expect(sent.ack).toBe('memory')
  expect(gap.event).toBe('agentd_gap')
  expect(JSON.parse(gap.data)).toEqual({
    reason: 'epoch',
    requested: sent.event_id,
    oldest: early.event_id,
    missed: null,
  })
  expect(await stream.frames(1)).toMatchObject([{ frame_id: body.frame_id }])
})

test('the conformance profile takes any time and any rate, and checks everything else (docs/http.md §1)', async () => {
  const limits = { submissions_per_second: 1, submission_burst: 1 }
  await using daemon = await startTestDaemon({ profile: 'conformance', config: { limits } })
  const send = (createdAt: string): ReturnType<typeof post> =>
    post(daemon.socket, '/v1/frames', { frame: validFrame(undefined, { created_at: createdAt }) })

  for (const createdAt of ['1985-04-12T23:20:50.52Z', '2099-12-31T23:59:60Z', '1990-12-31t15:59:60-08:00']) {
    expect((await send(createdAt)).status).toBe(200)
  }
  expect(await send('1985-04-12T23:20:50')).toMatchObject({ status: 400, body: { field: 'created_at' } })
})

test('without the profile the same limits hold (docs/http.md §1, AC-017, AC-179)', async () => {
  const limits = { submissions_per_second: 1, submission_burst: 1 }
  await using daemon = await startTestDaemon({ config: { limits } })
  const old = validFrame(undefined, { created_at: new Date(Date.now() - 48 * HOUR_MS).toISOString() })

  const refused = await post(daemon.socket, '/v1/frames', { frame: old })
  const answers = [
    await post(daemon.socket, '/v1/frames', { frame: validFrame() }),
    await post(daemon.socket, '/v1/frames', { frame: validFrame() }),
  ]

  expect(refused).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'created_at' } })
  expect(answers.map(({ status }) => status)).toEqual([200, 429])
})

test.each([
  ['a key nobody knows', { limit: 5 }, /"limit"/],
  ['a value out of range', { limits: { fan_out: 0 } }, /"limits\.fan_out"/],
  ['no JSON', '{"auth":', /no JSON/],
  ['a profile that is none', { profile: 'fast' }, /"profile"/],
])(
  'a configuration with %s stops the start with 78 and names it (docs/http.md §1)',
  async (_says, config, message) => {
    const start = startTestDaemon({ config })

    await expect(start).rejects.toMatchObject({ exit: { code: 78 } })
    await expect(start).rejects.toThrow(message)
  },
)

test('a configuration that others may write stops the start with 78 (R-02)', async () => {
  await using dir = await createTempDir()
  const path = dir.file('open.json')
  writeFileSync(path, '{}', { mode: 0o666 })
  chmodSync(path, 0o666)

  const start = startTestDaemon({ env: { AGENTD_CONFIG: path } })

  await expect(start).rejects.toMatchObject({ exit: { code: 78 } })
  await expect(start).rejects.toThrow(/others may write it/)
})

test('a socket path longer than 103 bytes is refused with the limit (R-03, docs/http.md §1)', async () => {
  await using dir = await createTempDir()
  const socket = dir.file('x'.repeat(104 - dir.path.length))

  const start = startTestDaemon({ env: { AGENTD_SOCKET: socket } })

  await expect(start).rejects.toMatchObject({ exit: { code: 78 } })
  await expect(start).rejects.toThrow(/103/)
})
