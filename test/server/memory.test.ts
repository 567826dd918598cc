/**
 * One budget for what waits in memory, and one request in work for each connection.
 *
 * @see R-28, R-50, R-52; HD-09, HD-11
 */
import { expect, test, vi } from 'vitest'
import { LookBack } from '../../src/broker/ring/look-back.ts'
import { MAX_WAITING_REQUESTS } from '../../src/server/request-queue.ts'
import { validFrame } from '../support/frames.ts'
import { connectRaw, openLines, post, request } from '../support/http.ts'
import { startInProcess, type InProcess } from './in-process.ts'

const KIB = 1024

function head(line: string, ...headers: string[]): string {
  return `${[line, 'host: a', ...headers].join('\r\n')}\r\n\r\n`
}

const HEALTH = head('GET /v1/health HTTP/1.1')

/** A request that says it has a body of so many octets, and sends less. */
function unfinished(path: string, octets: number, sent: number): string {
  return `${head(`POST ${path} HTTP/1.1`, 'content-type: application/json', `content-length: ${octets}`)}${'x'.repeat(sent)}`
}

/** Opens a connection, writes, and lets the daemon read it. */
async function send(daemon: InProcess, text: string) {
  const raw = await connectRaw(daemon.socket)
  raw.write(text)
  for (let turns = 0; turns < 5; turns += 1) await daemon.advance(0)
  return raw
}

/** So many frames of two thousand octets each. */
async function fill({ socket }: InProcess, frames: number): Promise<void> {
  using lines = openLines(socket)
  for (let i = 0; i < frames; i += 1)
    lines.send({
      frame: validFrame('agent_broadcast', {
        payload: { broadcast_text: 'x'.repeat(1_900), event_class: 'other' },
      }),
    })
  await lines.answered(frames)
  lines.end()
  await lines.ended
}

async function waiting({ socket }: InProcess) {
  return (await request(socket, '/v1/health')).body.memory
}

test('unfinished bodies of all connections have one bound, and the newcomer is told when to come again (HD-09)', async () => {
  await using daemon = await startInProcess({ memory: { waitingBytes: 256 * KIB } })
  const raws = []
  for (let i = 0; i < 3; i += 1) raws.push(await send(daemon, unfinished('/v1/frames', 65_000, 60_000)))
  const before = await waiting(daemon)

  using late = await send(daemon, unfinished('/v1/frames', 65_000, 60_000))
  using last = await send(daemon, unfinished('/v1/frames', 65_000, 60_000))
  await last.until(/HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"code":"busy"/)
  for (const raw of [...raws, late]) raw[Symbol.dispose]()
  for (let turns = 0; turns < 5; turns += 1) await daemon.advance(0)

  expect(before.max_waiting_bytes).toBe(256 * KIB)
  expect(before.waiting_bytes).toBeGreaterThanOrEqual(3 * 60_000)
  expect((await post(daemon.socket, '/v1/frames', { frame: validFrame() })).status).toBe(200)
})

test('large bodies leave a quarter to the small: a frame goes through beside them (HD-09)', async () => {
  await using daemon = await startInProcess({ memory: { waitingBytes: 1024 * KIB } })
  using _first = await send(daemon, unfinished('/v1/envelopes', 700_000, 600_000))
  using second = await send(daemon, unfinished('/v1/envelopes', 700_000, 600_000))

  await second.until(/HTTP\/1\.1 503 [\s\S]*"code":"busy"/)

  expect((await post(daemon.socket, '/v1/frames', { frame: validFrame() })).status).toBe(200)
})

test('lines that are not finished are in the budget (HD-09)', async () => {
  await using daemon = await startInProcess({ memory: { waitingBytes: 90 * KIB } })
  const lines = head(
    'POST /v1/frames HTTP/1.1',
    'content-type: application/x-ndjson',
    'content-length: 60000',
  )
  using _first = await send(daemon, `${lines}${'x'.repeat(50_000)}`)
  using second = await send(daemon, `${lines}${'x'.repeat(50_000)}`)

  await second.until(/"code":"busy"/)

  expect((await waiting(daemon)).waiting_bytes).toBeLessThanOrEqual(90 * KIB)
})

test('answers that nobody takes are in the budget, and what is looked up beyond it is refused (HD-09)', async () => {
  await using daemon = await startInProcess({ memory: { waitingBytes: 2048 * KIB } })
  const { broker, socket } = daemon
  await fill(daemon, 300)
  expect(broker.ring.count).toBe(300)
  const raws = []
  for (let i = 0; i < 8; i += 1) {
    const raw = await connectRaw(socket)
    raw.socket.pause()
    raw.write(head('GET /v1/frames?limit=300 HTTP/1.1'))
    raws.push(raw)
    for (let turns = 0; turns < 10; turns += 1) await daemon.advance(0)
  }

  expect((await waiting(daemon)).waiting_bytes).toBeLessThanOrEqual(2048 * KIB)
  expect(await request(socket, '/v1/frames?limit=300')).toMatchObject({ status: 503, body: { code: 'busy' } })
  for (const raw of raws) raw[Symbol.dispose]()
})

test('a request is not begun with before the one in front of it is answered (HD-09)', async () => {
  await using daemon = await startInProcess()
  const session = daemon.broker.sessions.open(
    { instrument: 'cc-opus-4-6', session_id: 's1', mailbox: true },
    undefined,
    undefined,
  )
  const body = JSON.stringify({ frame: validFrame() })
  const authorization = `authorization: Bearer ${session.token}`
  using raw = await send(
    daemon,
    head('GET /v1/inbox/wait?timeout_ms=1000 HTTP/1.1', authorization) +
      head('POST /v1/frames HTTP/1.1', 'content-type: application/json', `content-length: ${body.length}`) +
      body,
  )
  const before = daemon.broker.ring.count

  await daemon.advance(1_000)
  await raw.until(/"unread":0[\s\S]*"frame_id"/)

  expect([before, daemon.broker.ring.count]).toEqual([0, 1])
})

test('of what is pipelined so much waits, the next is told, and nothing behind it is done (HD-09)', async () => {
  await using daemon = await startInProcess()
  using raw = await send(daemon, HEALTH.repeat(MAX_WAITING_REQUESTS + 50))

  await raw.closed

  const statuses = [...raw.text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
  expect(statuses).toHaveLength(MAX_WAITING_REQUESTS + 2)
  expect(new Set(statuses.slice(0, -1))).toEqual(new Set(['200']))
  expect(statuses.at(-1)).toBe('503')
  expect((await waiting(daemon)).waiting_bytes).toBe(0)
})

test('nothing behind an answer that closes the connection is done (HD-09, HD-22)', async () => {
  await using daemon = await startInProcess()
  const body = JSON.stringify({ frame: validFrame() })
  using raw = await send(
    daemon,
    head('GET /v1/health HTTP/1.1', 'host: b') +
      head('POST /v1/frames HTTP/1.1', 'content-type: application/json', `content-length: ${body.length}`) +
      body,
  )

  await raw.closed

  expect(raw.text().match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(daemon.broker.ring.count).toBe(0)
})

test('a look back ends when its client has gone (HD-11)', async () => {
  await using daemon = await startInProcess({ limits: { submissionBurst: 10_000 } })
  await fill(daemon, 1_000)
  const looks = vi.spyOn(LookBack.prototype, 'before')
  using raw = await connectRaw(daemon.socket)
  raw.write(head('GET /v1/frames?limit=1000 HTTP/1.1'))
  while (looks.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))

  raw[Symbol.dispose]()
  for (let turns = 0; turns < 10; turns += 1) await daemon.advance(0)
  const after = looks.mock.calls.length
  for (let turns = 0; turns < 10; turns += 1) await daemon.advance(0)

  expect(after).toBeLessThan(1_000 / 64)
  expect(looks.mock.calls.length).toBe(after)
})
