import { spawn } from 'node:child_process'
import { EventSource } from 'eventsource'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect, test } from 'vitest'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import { validFrame } from '../support/frames.ts'
import { openLines, openStream, request } from '../support/http.ts'
import { Changes, within } from '../support/within.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

test('a stream has the head and the first octets of docs/http.md §6, at once, unchunked, its connection its own (SSE-01, SSE-13, SSE-14)', async () => {
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream')
  await stream.connection.until(/\r\n\r\n[\s\S]*\n\n/)

  const [statusLine, ...lines] = stream.head.trimEnd().split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]?.toLowerCase()]),
  )
  expect(statusLine).toBe('HTTP/1.1 200 OK')
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('connection')).toBe('close')
  expect(headers.get('x-accel-buffering')).toBe('no')
  expect(headers.has('transfer-encoding')).toBe(false)
  expect(headers.has('content-length')).toBe(false)
  expect(stream.body()).toMatch(/^retry: 1000\n: agentd [0-9a-f]{8}-\d+\n\n$/)
})

test('Last-Event-ID resumes, after= does the same, and the header wins (docs/http.md §6, AC-142, AC-143, R-17)', async () => {
  const ids: string[] = []
  for (let i = 0; i < 4; i += 1) {
    const { body } = await shared.post('/v1/frames', { frame: validFrame() })
    ids.push(body.event_id)
  }
  const read = async (query: string, header?: string): Promise<(string | undefined)[]> => {
    using stream = await openStream(shared.socket, `/v1/handles/~alice/stream${query}`, {
      headers: header === undefined ? {} : { 'last-event-id': header },
    })
    const { body } = await shared.post('/v1/frames', { frame: validFrame() })
    ids.push(body.event_id)
    for (;;) if ((await stream.next()).id === body.event_id) break
    return stream.events.map(({ id }) => id)
  }

  expect(await read('')).toEqual(ids.slice(-1))
  expect(await read('', ids[1])).toEqual(ids.slice(2))
  expect(await read(`?after=${ids[1]}`)).toEqual(ids.slice(2))
  expect(await read(`?after=${ids[0]}`, ids[3])).toEqual(ids.slice(4))
  expect(await read('?after=nonsense', ids[3])).toEqual(ids.slice(4))
  expect(await read(`?after=${ids[2]}`, '')).toEqual(ids.slice(3))
})

test.each(['nonsense', 'ffffffff-7', '9'.repeat(5_000), 'e-1\t', 'ü'])(
  'a Last-Event-ID of "%s" is answered by a gap, never by an error (ACQ-22, R-17)',
  async (cursor) => {
    const header = Buffer.from(cursor).toString('latin1')
    using stream = await openStream(shared.socket, '/v1/handles/~alice/stream', {
      headers: { 'last-event-id': header },
    })

    const gap = await stream.next()

    expect(gap).toMatchObject({ event: 'agentd_gap', id: undefined })
    expect(JSON.parse(gap.data)).toMatchObject({
      missed: null,
      reason: expect.stringMatching(/^(epoch|unknown-id)$/),
    })
    await shared.expectSilence(stream)
  },
)

test('a gap is told by the header and by the query alike, with what was asked for (docs/http.md §6)', async () => {
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream?after=a-1')

  expect(JSON.parse((await stream.next('agentd_gap')).data)).toMatchObject({
    reason: 'epoch',
    requested: 'a-1',
  })
})

test('replay=n begins with the newest n frames that match (docs/http.md §6)', async () => {
  const kind = 'peer_diagnostic_response'
  for (let i = 0; i < 3; i += 1) await shared.post('/v1/frames', { frame: validFrame(kind) })

  using stream = await openStream(shared.socket, `/v1/handles/~alice/stream?replay=2&filter=kind:${kind}`)

  expect(await stream.frames(2)).toHaveLength(2)
  const { body } = await shared.post('/v1/frames', { frame: validFrame(kind) })
  expect((await stream.frames(3))[2]).toMatchObject({ frame_id: body.frame_id })
})

test.each([
  ['kind:agent_query', 'agent_query'],
  ['sender:~alice,kind:agent_return_event', 'agent_return_event'],
] as const)(
  'a stream with the filter %s carries what it admits and nothing else (AC-149…AC-158)',
  async (filter, kind) => {
    using stream = await openStream(
      shared.socket,
      `/v1/handles/~alice/stream?filter=${encodeURIComponent(filter)}`,
    )

    for (const other of KIND_NAMES) await shared.post('/v1/frames', { frame: validFrame(other) })
    const { body } = await shared.post('/v1/frames', { frame: validFrame(kind) })

    const frames = await stream.frames(2)
    expect(frames.map((frame) => frame['kind'])).toEqual([kind, kind])
    expect(frames[1]).toMatchObject({ frame_id: body.frame_id })
  },
)

test.each([
  'content_type:text/plain',
  'org:acme',
  'kind:agent_query,kind:agent_advisory',
  'sender:~bob',
  'tool:never',
])('a stream with the filter %s is open and stays empty (AC-156, ACQ-28, ACQ-29)', async (filter) => {
  using stream = await openStream(
    shared.socket,
    `/v1/handles/~alice/stream?filter=${encodeURIComponent(filter)}`,
  )
  using everything = await openStream(shared.socket, '/v1/handles/~alice/stream')

  for (const kind of ['agent_query', 'agent_advisory'] as const) {
    const { body } = await shared.post('/v1/frames', { frame: validFrame(kind) })
    expect(body.recipient_count).toBe(1)
  }
  await everything.frames(2)

  expect(stream.events).toEqual([])
})

test('the tool filter looks at the session that sent, and the principal has none (AC-154, ACQ-29)', async () => {
  const session = await shared.register({ tool: 'codex' })
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream?filter=tool:codex')

  const own = await shared.post('/v1/frames', { frame: validFrame() })
  const { body } = await shared.post('/v1/frames', { frame: validFrame() }, session.token)

  expect(own.body.recipient_count).toBe(0)
  expect(await stream.frames(1)).toMatchObject([{ frame_id: body.frame_id }])
})

/** A reader in a process of its own that only knows Node: prints every data line it gets. */
const READER = `
  const net = require('node:net')
  const socket = net.connect({ path: process.argv[1] })
  let head = true
  let text = ''
  socket.write('GET /v1/handles/~alice/stream HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    const blocks = text.split('\\n\\n')
    text = blocks.pop()
    for (const block of blocks) {
      if (block.includes('retry:')) process.stdout.write('ready\\n')
      const data = /^data: (.*)$/m.exec(block)
      if (data) process.stdout.write(data[1] + '\\n')
    }
  })
`

test('all fifteen kinds go from one real process to another byte for byte (AC-031, ACQ-20, R-13)', async () => {
  const reader = spawn(process.execPath, ['-e', READER, shared.socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let text = ''
    const changes = new Changes()
    reader.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      changes.tell()
    })
    const linesOf = (count: number): Promise<string[]> =>
      changes.until(() => {
        const lines = text.split('\n').slice(0, -1)
        return lines.length < count ? undefined : lines
      }, `${count} lines of the reading process`)
    await linesOf(1)
    const sent = KIND_NAMES.map((kind) => JSON.stringify(validFrame(kind)))

    for (const frame of sent) {
      const body = `{"frame":${frame}}`
      const answer = await request(shared.socket, '/v1/frames', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(answer.status).toBe(200)
    }

    expect((await linesOf(16)).slice(1)).toEqual(sent)
  } finally {
    reader.kill('SIGKILL')
  }
})

/** Texts in which a lossy reader or writer would change something; all valid, all canonical JSON. */
const NASTY = [
  '\\u0000\\u0001\\u001f',
  '\u2028 \u2029 \u0085 \u007F',
  '\\"quoted\\" \\\\ back / slash',
  'line\\nbreak\\r\\nand\\ttab',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u{10FFFF}',
  '\uFEFFbom inside \u202Ebidi',
  'id: 1\\n\\nevent: agent_frame\\ndata: {}\\n\\n',
  '日本語 žluťoučký हिन्दी',
  'e\u0301 \u00E9 \uFFFD \uFFFF',
  '</script><!--',
]

test.each(NASTY)('a canonical frame with "%s" goes out as the bytes it came in (R-13)', async (text) => {
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream')
  const frame = JSON.stringify(validFrame()).replace('editing src/auth.ts', () => text)
  expect(JSON.stringify(JSON.parse(frame))).toBe(frame)

  await request(shared.socket, '/v1/frames', {
    body: `{"frame":${frame}}`,
    headers: { 'content-type': 'application/json' },
  })

  expect((await stream.next()).data).toBe(frame)
})

test('the order of members is kept, whatever it is (R-13)', async () => {
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream')
  const backwards = JSON.stringify(Object.fromEntries(Object.entries(validFrame()).toReversed()))

  await request(shared.socket, '/v1/frames', {
    body: `{"frame":${backwards}}`,
    headers: { 'content-type': 'application/json' },
  })

  expect((await stream.next()).data).toBe(backwards)
})

test.each([
  ['spaces', (frame: string) => frame.replaceAll('":', '" : ').replaceAll(',"', ' ,\n "')],
  [
    'needless escapes',
    (frame: string) => frame.replaceAll('agent_advisory', String.raw`agent\u005fadvisory`),
  ],
  ['another spelling of a number', (frame: string) => frame.replace('"acted_by"', '"ttl_ms":1e3,"acted_by"')],
])(
  'a frame with %s goes out as what was validated, on one line, for everybody alike (R-13, R-36)',
  async (_says, spell) => {
    using one = await openStream(shared.socket, '/v1/handles/~alice/stream')
    using two = await openStream(shared.socket, '/v1/handles/~alice/stream')
    const frame = spell(JSON.stringify(validFrame()))

    await request(shared.socket, '/v1/frames', {
      body: `{"frame":${frame}}`,
      headers: { 'content-type': 'application/json' },
    })

    const { data } = await one.next()
    expect(data).toBe(JSON.stringify(JSON.parse(frame)))
    expect((await two.next()).data).toBe(data)
    const { body } = await shared.get('/v1/frames?limit=1')
    expect(JSON.stringify(body.items[0].frame)).toBe(data)
  },
)

test('thousands of frames come through whole and in order while others come and go (R-12, R-15)', async () => {
  using stream = await openStream(shared.socket, '/v1/handles/~alice/stream')
  using lines = openLines(shared.socket)
  const ids: string[] = []
  for (let i = 0; i < 2_000; i += 1) {
    const frame = validFrame(KIND_NAMES[i % KIND_NAMES.length])
    ids.push(frame.frame_id)
    lines.send({ frame })
    if (i % 500 === 0) (await openStream(shared.socket, '/v1/handles/~alice/stream'))[Symbol.dispose]()
  }

  await lines.answered(2_000)
  const frames = await stream.frames(2_000)

  expect(frames.map((frame) => frame['frame_id'])).toEqual(ids)
})

test('the eventsource package reads a stream through undici, and comes back after where it was (SSE-01…SSE-11)', async () => {
  const session = await shared.register()
  const connect = { socketPath: shared.socket }
  let dispatcher = new Agent({ connect, bodyTimeout: 0 })
  const cursors: (string | null)[] = []
  const source = new EventSource('http://agentd/v1/handles/~alice/stream', {
    fetch: (url, init) => {
      const headers = { ...init.headers, authorization: `Bearer ${session.token}` }
      cursors.push(new Headers(headers).get('last-event-id'))
      return undiciFetch(url, { ...init, headers, dispatcher })
    },
  })
  const changes = new Changes()
  const received: { id: string; data: string }[] = []
  let opened = 0
  source.addEventListener('open', () => {
    opened += 1
    changes.tell()
  })
  source.addEventListener('agent_frame', ({ lastEventId, data }) => {
    received.push({ id: lastEventId, data })
    changes.tell()
  })
  const [one, two] = [validFrame(), validFrame()]
  try {
    await changes.until(() => opened === 1 || undefined, 'the stream to open')
    const first = await shared.post('/v1/frames', { frame: one })
    await changes.until(() => received.length === 1 || undefined, 'the first frame')

    const cut = dispatcher
    dispatcher = new Agent({ connect, bodyTimeout: 0 })
    await cut.destroy()
    const second = await shared.post('/v1/frames', { frame: two })
    await changes.until(() => received.length === 2 || undefined, 'the second frame')

    expect(received).toEqual([
      { id: first.body.event_id, data: JSON.stringify(one) },
      { id: second.body.event_id, data: JSON.stringify(two) },
    ])
    expect(cursors).toEqual([null, first.body.event_id])
  } finally {
    source.close()
    await dispatcher.destroy()
  }
})

test('a session that ends says goodbye on its streams, and closes them (docs/http.md §6)', async () => {
  const session = await shared.register()
  using stream = await shared.listen(session)

  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })
  const bye = await stream.next('agentd_bye')
  await within(stream.ended, 'the end of the stream')

  expect(JSON.parse(bye.data)).toEqual({ reason: 'expired' })
  expect(bye.id).toBeUndefined()
})
