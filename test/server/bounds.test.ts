import { expect, test } from 'vitest'
import { validFrame } from '../support/frames.ts'
import { connectRaw, openLines, openStream, post, request } from '../support/http.ts'
import { within } from '../support/within.ts'
import { startInProcess } from './in-process.ts'

const HEAD = 'POST /v1/frames HTTP/1.1\r\nhost: x\r\n'

test('a connection that never sends a whole head is cut after 5 s, not before (R-35)', async () => {
  await using server = await startInProcess()
  using silent = await connectRaw(server.socket)
  using dripping = await connectRaw(server.socket)
  dripping.write('GET /v1/hea')
  await server.advance(4_999)
  dripping.write('lth HTTP/1.1\r\nx-drip: 1\r\n')
  await server.advance(0)
  const early = silent.isClosed || dripping.isClosed

  await server.advance(1)
  await within(Promise.all([silent.closed, dripping.closed]), 'both to be cut')

  expect(early).toBe(false)
})

test('a connection that rests between requests is cut after 30 s, and each request begins the rest anew (R-35)', async () => {
  await using server = await startInProcess()
  using raw = await connectRaw(server.socket)
  for (let i = 1; i <= 3; i += 1) {
    raw.write('GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n')
    await raw.untilFound(
      () => (raw.text().split('HTTP/1.1 200').length > i ? true : undefined),
      `answer ${i}`,
    )
    await server.advance(29_999)
    expect(raw.isClosed).toBe(false)
  }

  await server.advance(1)
  await within(raw.closed, 'the resting connection to be cut')
})

test('a request that is answered late is not resting, even behind another on its connection (R-35)', async () => {
  await using server = await startInProcess()
  const { body } = await post(server.socket, '/v1/sessions', { instrument: 'cc', mailbox: true })
  using raw = await connectRaw(server.socket)
  const auth = `host: x\r\nauthorization: Bearer ${body.token}\r\n\r\n`
  raw.write(`GET /v1/health HTTP/1.1\r\n${auth}GET /v1/inbox/wait?timeout_ms=120000 HTTP/1.1\r\n${auth}`)
  await raw.until(/"status":"healthy"/)

  await server.advance(60_000)
  const isCut = raw.isClosed
  await post(server.socket, '/v1/verbs/agent_broadcast', { text: 'x' })

  expect(isCut).toBe(false)
  await raw.until(/\{"unread":1\}/)
})

test('a body that does not arrive within 10 s is refused and its connection closed (R-35)', async () => {
  await using server = await startInProcess()
  using raw = await connectRaw(server.socket)
  raw.write(`${HEAD}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"frame"`)
  await server.advance(9_999)
  raw.write(':')
  await server.advance(0)
  const early = raw.text()

  await server.advance(1)
  await raw.until(/"code":"field-invalid"/)

  expect(early).toBe('')
  expect(raw.text()).toMatch(/^HTTP\/1\.1 400 /)
  expect(raw.text()).toMatch(/connection: close/i)
})

test('a line that does not arrive within 30 s ends the lines with its error (R-35)', async () => {
  await using server = await startInProcess()
  using lines = openLines(server.socket)
  lines.send({ frame: validFrame() })
  await lines.answered(1)
  lines.write('{"frame"')
  await server.advance(29_999)
  const early = lines.answers.length

  await server.advance(1)
  const answers = await lines.answered(2)
  await lines.ended

  expect(early).toBe(1)
  expect(answers[1]).toEqual({ code: 'field-invalid', field: 'frame', message: expect.any(String), line: 2 })
})

test('a sender may rest between lines for as long as it likes (R-35)', async () => {
  await using server = await startInProcess()
  using lines = openLines(server.socket)
  lines.send({ frame: validFrame() })
  await lines.answered(1)

  await server.advance(10 * 60_000)
  lines.send({ frame: validFrame() })

  expect(await lines.answered(2)).toHaveLength(2)
})

test('a sender whose chunks always end inside a line is not slow: each line has its own 30 s (R-35)', async () => {
  await using server = await startInProcess()
  using lines = openLines(server.socket)
  let rest = ''

  for (let i = 1; i <= 6; i += 1) {
    const line = `${JSON.stringify({ frame: validFrame() })}\n`
    lines.write(rest + line.slice(0, 100))
    rest = line.slice(100)
    await lines.answered(i - 1)
    await server.advance(20_000)
  }
  lines.write(rest)
  const answers = await lines.answered(6)

  expect(answers.filter(({ code }) => code !== undefined)).toEqual([])
})

test('a body over its bound is refused before it has arrived (R-35)', async () => {
  await using server = await startInProcess()
  using announced = await connectRaw(server.socket)
  using chunked = await connectRaw(server.socket)
  announced.write(`${HEAD}content-type: application/json\r\ncontent-length: 10000000\r\n\r\n`)
  chunked.write(`${HEAD}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`)
  for (let i = 0; i < 8; i += 1) chunked.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`)

  await announced.until(/HTTP\/1\.1 413 [\s\S]*"frame-too-large"/)
  await chunked.until(/HTTP\/1\.1 413 [\s\S]*"frame-too-large"/)
})

test('a keep-alive comes after 15 s of silence, with the place that has been reached (AC-139, docs/http.md §6)', async () => {
  await using server = await startInProcess()
  using stream = await openStream(server.socket, '/v1/handles/~alice/stream?filter=kind:agent_query')
  await post(server.socket, '/v1/frames', { frame: validFrame() })

  await server.advance(15_000)
  await stream.connection.until(/: keep-alive\n/)

  expect(stream.body()).toBe('retry: 1000\n: agentd e1-0\n\n: keep-alive\nid: e1-1\n\n')
})

test('a reader that takes nothing is cut after its time, while others get everything (R-27)', async () => {
  await using server = await startInProcess({ limits: { slowConsumerMs: 30_000 } })
  using stopped = await openStream(server.socket, '/v1/handles/~alice/stream')
  using healthy = await openStream(server.socket, '/v1/handles/~alice/stream')
  stopped.connection.socket.pause()
  const payload = { previous_session_id: 'x', handover_body: 'y'.repeat(8_000) }

  for (let i = 0; i < 120; i += 1)
    await post(server.socket, '/v1/frames', { frame: validFrame('agent_handover', { payload }) })
  await healthy.frames(120)
  const { body: before } = await request(server.socket, '/v1/health')
  await server.advance(30_000)
  const { body: after } = await request(server.socket, '/v1/health')

  expect([before.subscriptions, after.subscriptions]).toEqual([2, 1])
  const { text } = await request(server.socket, '/v1/metrics')
  expect(text).toMatch(/^agentd_streams_cut_slow_total 1$/m)
  expect(healthy.connection.isClosed).toBe(false)
})

test('more connections than there may be are told so, and those that are there go on (R-30)', async () => {
  await using server = await startInProcess({ admission: { maxConnections: 3 } })
  using stream = await openStream(server.socket, '/v1/handles/~alice/stream')
  using one = await connectRaw(server.socket)
  using two = await connectRaw(server.socket)
  using late = await connectRaw(server.socket)

  await late.until(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"code":"busy"/)
  await within(late.closed, 'the late connection to be closed')
  one.socket.destroy()
  await one.closed
  await server.advance(0)
  const { status } = await post(server.socket, '/v1/frames', { frame: validFrame() })

  expect(status).toBe(200)
  expect(await stream.frames(1)).toHaveLength(1)
  expect(two.isClosed).toBe(false)
})

test('a connection of another user is not served (docs/http.md §2, R-08)', async () => {
  await using server = await startInProcess({ admission: { isOwner: () => false } })
  using raw = await connectRaw(server.socket)
  raw.write('GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n')

  await within(raw.closed, 'the foreign connection to be closed')

  expect(raw.text()).toBe('')
})

test('over its quota a sender is told when to come back, on one frame and on a line alike (R-32, docs/http.md §3)', async () => {
  await using server = await startInProcess({ limits: { submissionsPerSecond: 2, submissionBurst: 3 } })
  const { body } = await post(server.socket, '/v1/sessions', { instrument: 'cc-opus-4-6' })
  const send = (): ReturnType<typeof post> =>
    post(server.socket, '/v1/frames', { frame: validFrame() }, body.token)
  const statuses = [await send(), await send(), await send()].map(({ status }) => status)

  const refused = await send()
  using lines = openLines(server.socket, { token: body.token })
  lines.send({ frame: validFrame() })
  const [line] = await lines.answered(1)
  const other = await post(server.socket, '/v1/frames', { frame: validFrame() })
  await server.advance(500)
  const later = await send()

  expect(statuses).toEqual([200, 200, 200])
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate-limited', retry_after_ms: 500 } })
  expect(refused.headers['retry-after']).toBe('1')
  expect(line).toMatchObject({ code: 'rate-limited', retry_after_ms: 500, line: 1 })
  expect([other.status, later.status]).toEqual([200, 200])
})

test('ten connections of one session share one quota (R-32)', async () => {
  await using server = await startInProcess({ limits: { submissionsPerSecond: 1, submissionBurst: 20 } })
  const { body } = await post(server.socket, '/v1/sessions', { instrument: 'cc-opus-4-6' })

  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post(server.socket, '/v1/frames', { frame: validFrame() }, body.token)),
  )

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
})

test('as many sessions and streams as may be; one more is 503 busy with Retry-After (docs/http.md §3, R-30)', async () => {
  await using server = await startInProcess({ limits: { sessions: 1, subscriptions: 1 } })
  await post(server.socket, '/v1/sessions', { instrument: 'cc' })
  using _stream = await openStream(server.socket, '/v1/handles/~alice/stream')

  const session = await post(server.socket, '/v1/sessions', { instrument: 'cc' })
  const stream = await request(server.socket, '/v1/handles/~alice/stream')

  for (const answer of [session, stream]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'busy', retry_after_ms: expect.any(Number) } })
    expect(answer.headers['retry-after']).toMatch(/^\d+$/)
  }
})

test('a fan-out over the cap is refused whole (AC-180, docs/http.md §3)', async () => {
  await using server = await startInProcess({ limits: { fanOut: 1 } })
  using one = await openStream(server.socket, '/v1/handles/~alice/stream')
  using _two = await openStream(server.socket, '/v1/handles/~alice/stream?instrument=other')

  const refused = await post(server.socket, '/v1/frames', { frame: validFrame() })
  const narrow = await post(server.socket, '/v1/frames', {
    frame: validFrame(),
    recipient_scope: '~alice/cli*',
  })

  expect(refused).toMatchObject({ status: 422, body: { code: 'fanout-too-large', field: 'recipient_scope' } })
  expect(await one.frames(1)).toMatchObject([{ frame_id: narrow.body.frame_id }])
})

test('a waiting request that goes away leaves no timer and no waiter behind (R-31, docs/architecture.md rule 12)', async () => {
  await using server = await startInProcess()
  const { body } = await post(server.socket, '/v1/sessions', { instrument: 'cc', mailbox: true })
  await server.advance(0)
  const before = server.clock.pendingTimers

  for (let i = 0; i < 5; i += 1) {
    using raw = await connectRaw(server.socket)
    raw.write(`GET /v1/inbox/wait HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${body.token}\r\n\r\n`)
    await server.advance(0)
    raw.socket.destroy()
    await raw.closed
  }
  await server.advance(0)

  expect(server.clock.pendingTimers).toBe(before)
})
