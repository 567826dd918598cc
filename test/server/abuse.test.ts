import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { validFrame } from '../support/frames.ts'
import { connectRaw, openLines, openStream, request } from '../support/http.ts'
import { within } from '../support/within.ts'
import { SharedDaemon } from './shared-daemon.ts'
import { WELL } from '../support/without-sqlite.ts'

const ANSWERED = new RegExp(`"status":"${WELL}"`)

const shared = new SharedDaemon()

const HEALTH = 'GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n'

function post(body: string, headers = ''): string {
  return `POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
}

/** What is sent → what the daemon does about it; it never falls over, and never serves it. */
const GARBAGE: readonly [string, string | Buffer, RegExp][] = [
  ['noise', Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 151) % 256)), /^HTTP\/1\.1 400 /],
  ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex'), /^HTTP\/1\.1 400 /],
  ['a request line alone', 'GET\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 (400|505) /],
  ['a line of a chat', 'hello there\n\n', /^HTTP\/1\.1 400 /],
  [
    'NUL in a header',
    'GET /v1/health HTTP/1.1\r\nhost: x\r\nlast-event-id: a\0b\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  ['a folded header', 'GET /v1/health HTTP/1.1\r\nhost: x\r\nx-a: 1\r\n 2\r\n\r\n', /^HTTP\/1\.1 (200|400) /],
  ['a space before the colon', 'GET /v1/health HTTP/1.1\r\nhost : x\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['no host', 'GET /v1/health HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'a head over 8 KiB',
    `GET /v1/health HTTP/1.1\r\nhost: x\r\nx-a: ${'y'.repeat(9_000)}\r\n\r\n`,
    /^HTTP\/1\.1 400 [\s\S]*"headers"/,
  ],
  [
    'a path over 8 KiB',
    `GET /v1/${'y'.repeat(9_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    /^HTTP\/1\.1 400 [\s\S]*"headers"/,
  ],
  [
    'two lengths',
    'POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a negative length',
    'POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a length and chunks',
    `POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${HEALTH}`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'chunks that are not last',
    'POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked, identity\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'two hosts (HD-22)',
    'GET /v1/health HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n',
    /^HTTP\/1\.1 400 [\s\S]*"host"/,
  ],
  [
    'the same host twice (HD-22)',
    'GET /v1/health HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  ...['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'gzip'].map(
    (coding): [string, string, RegExp] => [
      `transfer-encoding: ${coding} (HD-22)`,
      `POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
  ),
  [
    'two codings on two lines (HD-22)',
    'POST /v1/frames HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'chunks in HTTP/1.0 (HD-22)',
    'POST /v1/frames HTTP/1.0\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400 [\s\S]*"transfer-encoding"/,
  ],
  ['a request line without a version (HD-22)', 'GET /v1/health\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['another version (HD-22)', 'GET /v1/health HTTP/2.0\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'a chunk size that is none',
    'POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    /^HTTP\/1\.1 400 /,
  ],
]

test.each(GARBAGE)(
  '%s is answered with one 400 in the documented form, or as HTTP has it, and the connection closed (R-35)',
  async (_says, bytes, answer) => {
    using raw = await connectRaw(shared.socket)

    raw.write(bytes)
    await raw.until(answer)
    if (!raw.text().startsWith('HTTP/1.1 200')) await within(raw.closed, 'the connection to be closed')

    expect(raw.text().match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect((await shared.get('/v1/health')).status).toBe(200)
  },
)

test('what is refused before there is a request has code, message and version like every other refusal (AC-159, docs/http.md §10)', async () => {
  using raw = await connectRaw(shared.socket)

  raw.write('garbage\r\n\r\n')
  await within(raw.closed, 'the connection to be closed')

  const [head = '', body = ''] = raw.text().split('\r\n\r\n')
  expect(JSON.parse(body)).toEqual({ code: 'field-invalid', field: 'request', message: expect.any(String) })
  expect(head).toMatch(/\r\ncontent-type: application\/json/i)
  expect(head).toMatch(/\r\nagentd-version: \d/i)
  expect(head).toMatch(/\r\nconnection: close/i)
})

test('pipelined requests are answered in order, each once (R-35)', async () => {
  using stream = await shared.listen(await shared.register())
  using raw = await connectRaw(shared.socket)
  const frames = [validFrame(), validFrame(), validFrame()]

  raw.write(frames.map((frame) => post(JSON.stringify({ frame }))).join('') + HEALTH)
  await raw.until(ANSWERED)

  const ids = [...raw.text().matchAll(/"frame_id":"([^"]+)"/g)].map(([, id]) => id)
  expect(ids).toEqual(frames.map(({ frame_id }) => frame_id))
  expect((await stream.frames(3)).map((frame) => frame['frame_id'])).toEqual(ids)
})

test("a stream asked for behind another request begins after that request's answer, whole (R-35, docs/http.md §6)", async () => {
  using raw = await connectRaw(shared.socket)

  raw.write(
    `${post(JSON.stringify({ frame: validFrame() }))}GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: x\r\n\r\n`,
  )
  await raw.until(/retry: 1000/)

  expect(raw.text()).toMatch(
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*"frame_id"[^\r]*\}HTTP\/1\.1 200 OK\r\n[\s\S]*text\/event-stream[\s\S]*\r\n\r\nretry: 1000\n/,
  )
})

test("whatever is sent behind a stream's request never shows in the stream (R-35, SSE-12)", async () => {
  for (const bytes of [
    'garbage\r\n\r\n',
    HEALTH,
    'GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: x\r\n\r\n',
  ]) {
    using stream = await openStream(shared.socket, '/v1/handles/~alice/stream')
    await stream.connection.until(/retry: 1000\n.*\n\n/)

    stream.connection.write(bytes)
    await shared.get('/v1/health')
    const { body } = await shared.post('/v1/frames', { frame: validFrame() })
    // Either it goes on undisturbed or it is cut; both are clean.
    if (!stream.connection.isClosed) {
      await Promise.race([stream.next('agent_frame').catch(() => undefined), stream.ended])
    }

    expect(stream.body()).not.toContain('HTTP/1.1')
    expect(stream.body().match(/retry:/g)).toHaveLength(1)
    expect(stream.events.filter(({ id }) => id === body.event_id).length).toBeLessThanOrEqual(1)
  }
})

test('an Upgrade is answered as the request it also is, and nothing is upgraded (R-35, R-37)', async () => {
  using raw = await connectRaw(shared.socket)

  raw.write(
    'GET /v1/health HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n\r\n',
  )
  await raw.until(ANSWERED)

  expect(raw.text()).toMatch(/^HTTP\/1\.1 200 /)
})

test('CONNECT is refused, and one that hangs up on its refusal harms nobody (R-35)', async () => {
  using raw = await connectRaw(shared.socket)
  raw.write('CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n')
  await raw.until(/^HTTP\/1\.1 405 [\s\S]*"method-not-allowed"/)

  for (let i = 0; i < 50; i += 1) {
    using rude = await connectRaw(shared.socket)
    rude.write('CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n')
    if (i % 2 === 0) await shared.get('/v1/health')
    rude.socket.destroy()
  }

  expect((await shared.get('/v1/health')).body.pid).toBe(shared.daemon.pid)
})

test('one that hangs up in the middle of anything harms nobody (R-35)', async () => {
  const starts = [
    'GET /v1/hea',
    HEALTH,
    post('{"frame"'),
    post(JSON.stringify({ frame: validFrame() })),
    'GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"fra',
    'garbage\r\n\r\n',
    `GET /v1/health HTTP/1.1\r\nx-a: ${'y'.repeat(9_000)}`,
  ]

  for (const start of starts) {
    for (let i = 0; i < 10; i += 1) {
      using rude = await connectRaw(shared.socket)
      rude.write(start)
      if (i % 2 === 0) await shared.get('/v1/health')
      rude.socket.destroy()
    }
  }

  expect((await shared.get('/v1/health')).body.pid).toBe(shared.daemon.pid)
})

test('one that ends its side after the request still gets the answer (R-35)', async () => {
  using raw = await connectRaw(shared.socket)

  raw.socket.end(HEALTH)
  await raw.until(ANSWERED)

  await within(raw.closed, 'the connection to be closed')
})

test('Expect: 100-continue is told to continue (R-35)', async () => {
  using raw = await connectRaw(shared.socket)
  const body = JSON.stringify({ frame: validFrame() })
  const [head] = post(body, 'expect: 100-continue\r\n').split(body)

  raw.write(head!)
  await raw.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  raw.write(body)

  await raw.until(/HTTP\/1\.1 200 OK[\s\S]*"frame_id"/)
})

test('the absolute form of a request is served like any other, as HTTP demands', async () => {
  const { status } = await request(shared.socket, 'http://agentd/v1/health')

  expect(status).toBe(200)
})

test('a thousand requests that were broken off leave no descriptor behind (R-31)', async () => {
  const descriptors = (): number => readdirSync(`/proc/${shared.daemon.pid}/fd`).length
  await shared.get('/v1/health')
  const before = descriptors()

  for (let i = 0; i < 1_000; i += 1) {
    const raw = await connectRaw(shared.socket)
    const kind = i % 4
    if (kind === 0) raw.write(HEALTH)
    else if (kind === 1) raw.write(post('{"frame"').slice(0, -3))
    else if (kind === 2) raw.write('GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: x\r\n\r\n')
    else
      raw.write(
        'POST /v1/frames HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n',
      )
    if (i % 50 === 0) await shared.get('/v1/health')
    raw.socket.destroy()
    await raw.closed
  }
  // Each answer is a turn of the daemon's loop in which it can hear of what was closed.
  for (let i = 0; i < 200 && descriptors() > before; i += 1) await shared.get('/v1/health')

  expect(descriptors()).toBeLessThanOrEqual(before + 1)
  const { body } = await shared.get('/v1/health')
  expect(body.subscriptions).toBe(0)
})

test('hostile lines of every kind are answered one by one, and the good ones among them go through (R-36)', async () => {
  using lines = openLines(shared.socket)
  using stream = await shared.listen(await shared.register())
  const hostile = [
    '{"frame":'.repeat(500),
    '['.repeat(60_000),
    '{"__proto__":{"frame":1}}',
    '{"frame":{"__proto__":null}}',
    '"\\ud800"',
    '\u0000',
    'null',
    `{"frame":${'9'.repeat(5_000)}}`,
    '{"frame":{},"frame":{}}',
  ]
  const good = hostile.map(() => validFrame())

  hostile.forEach((text, i) => {
    lines.write(`${text}\n`)
    lines.send({ frame: good[i] })
  })
  lines.write(Buffer.from([0xff, 0xfe, 0x0a]))
  const answers = await lines.answered(2 * hostile.length + 1)

  expect(answers.filter(({ code }) => code !== undefined)).toHaveLength(hostile.length + 1)
  expect((await stream.frames(good.length)).map((frame) => frame['frame_id'])).toEqual(
    good.map(({ frame_id }) => frame_id),
  )
})
