import { expect, test } from 'vitest'
import { brokenFrame, validFrame } from '../support/frames.ts'
import { connectRaw, openLines, request } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

function submissions(count: number): { frame: ReturnType<typeof validFrame> }[] {
  return Array.from({ length: count }, () => ({ frame: validFrame() }))
}

test('answers arrive while the request is still being sent, one per line (docs/http.md §5)', async () => {
  using lines = openLines(shared.socket)
  using stream = await shared.listen(await shared.register())

  for (const submission of submissions(3)) {
    const before = lines.answers.length
    lines.send(submission)
    const answers = await lines.answered(before + 1)
    expect(answers.at(-1)).toEqual({
      frame_id: submission.frame.frame_id,
      event_id: expect.any(String),
      recipient_count: 1,
      queued_count: 0,
      ack: expect.any(String),
    })
  }

  expect(await lines.status).toBe(200)
  expect(await stream.frames(3)).toHaveLength(3)
})

test('answers and events keep the order of their lines, however the bytes are cut (docs/http.md §5, R-12)', async () => {
  using lines = openLines(shared.socket)
  using stream = await shared.listen(await shared.register())
  const sent = submissions(200)
  const bytes = Buffer.from(sent.map((submission) => `${JSON.stringify(submission)}\n`).join(''))

  for (let start = 0, size = 1; start < bytes.length; start += size, size = (size * 7) % 9_973) {
    lines.write(bytes.subarray(start, start + size))
  }
  lines.end()
  const answers = await lines.answered(200)
  await lines.ended

  const ids = sent.map(({ frame }) => frame.frame_id)
  expect(answers.map(({ frame_id }) => frame_id)).toEqual(ids)
  expect((await stream.frames(200)).map((frame) => frame['frame_id'])).toEqual(ids)
  const seqs: number[] = answers.map(({ event_id }) => Number(event_id.split('-')[1]))
  expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i))
})

test('a refused line answers with its number, the good ones around it are accepted (docs/http.md §5)', async () => {
  using lines = openLines(shared.socket)
  using stream = await shared.listen(await shared.register())
  const [one, two] = submissions(2)

  lines.send(one)
  lines.write('\r\n\n')
  lines.write('not json\n')
  lines.send({ frame: brokenFrame('agent_query', { kind: 'x' }) })
  lines.send({ frame: one!.frame, recipient_scope: '~bob/*' })
  lines.write(`${JSON.stringify(two)}\r\n`)
  const answers = await lines.answered(5)

  expect(answers[0]).toMatchObject({ frame_id: one!.frame.frame_id })
  expect(answers[1]).toEqual({ code: 'field-invalid', field: 'frame', message: expect.any(String), line: 4 })
  expect(answers[2]).toEqual({ code: 'kind-unknown', field: 'kind', message: expect.any(String), line: 5 })
  expect(answers[3]).toMatchObject({ code: 'scope-unauthorised', field: 'recipient_scope', line: 6 })
  expect(answers[4]).toMatchObject({ frame_id: two!.frame.frame_id })
  expect(await stream.frames(2)).toHaveLength(2)
})

test('a last line without its line break counts when the request ends as it should (docs/http.md §5)', async () => {
  using lines = openLines(shared.socket)
  const [one] = submissions(1)

  lines.write(JSON.stringify(one))
  lines.end()
  const answers = await lines.answered(1)
  await lines.ended

  expect(answers).toMatchObject([{ frame_id: one!.frame.frame_id }])
})

test('a line that was cut off with its connection is not submitted (R-15)', async () => {
  using stream = await shared.listen(await shared.register())
  const lines = openLines(shared.socket)
  const [whole, cut] = submissions(2)
  lines.send(whole)
  await lines.answered(1)

  lines.write(JSON.stringify(cut))
  lines[Symbol.dispose]()
  await stream.frames(1)

  await shared.expectSilence(stream, 1)
})

test.each([
  ['in one piece', 1],
  ['in pieces', 50],
])(
  'a line over the size limit %s ends the stream with its error, after the answers before it (docs/http.md §5)',
  async (_says, pieces) => {
    using lines = openLines(shared.socket)
    using stream = await shared.listen(await shared.register())
    const [before, after] = submissions(2)

    lines.send(before)
    for (let i = 0; i < pieces; i += 1) lines.write('x'.repeat(Math.ceil(68_000 / pieces)))
    lines.write('\n')
    lines.send(after)
    const answers = await lines.answered(2)
    await lines.ended

    expect(answers).toHaveLength(2)
    expect(answers[0]).toMatchObject({ frame_id: before!.frame.frame_id })
    expect(answers[1]).toEqual({
      code: 'frame-too-large',
      field: 'frame',
      message: expect.any(String),
      line: 2,
    })
    await stream.frames(1)
    await shared.expectSilence(stream, 1)
  },
)

test('an empty request has an empty answer (docs/http.md §5)', async () => {
  using lines = openLines(shared.socket)

  lines.end()
  await lines.ended

  expect(await lines.status).toBe(200)
  expect(lines.answers).toEqual([])
})

test('one that does not read its answers is not read from, so neither queue grows, and loses nothing (R-28, docs/architecture.md rule 11)', async () => {
  using lines = openLines(shared.socket)
  const good = submissions(1)[0]!
  lines.send(good)
  await lines.answered(1)
  await lines.pause()
  // The same frame again and again: its answers are as long as others and it costs nobody anything.
  const line = `${JSON.stringify(good)}\n`.repeat(64)
  let written = 1

  // The kernel's buffers, both daemon queues, and then no more is taken.
  let quietRounds = 0
  while (quietRounds < 20 && written < 100_000) {
    const before = lines.unsentBytes
    lines.write(line)
    written += 64
    await shared.get('/v1/health')
    quietRounds = lines.unsentBytes > before ? quietRounds + 1 : 0
  }
  const stuck = lines.unsentBytes
  lines.resume()
  const answers = await lines.answered(written)

  expect(stuck).toBeGreaterThan(0)
  expect(written).toBeLessThan(100_000)
  expect(answers.at(-1)).toMatchObject({ frame_id: good.frame.frame_id, duplicate: true })
})

test('the answer is NDJSON, and begins before the first line (docs/http.md §5)', async () => {
  using raw = await connectRaw(shared.socket)

  raw.write(
    'POST /v1/frames HTTP/1.1\r\nhost: agentd\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n',
  )
  const [head] = await raw.until(/^[\s\S]*?\r\n\r\n/)

  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(head).toMatch(/\r\ncontent-type: application\/x-ndjson\r\n/i)
})

test("a session's lines speak for it until it is over, and then for nobody (R-09)", async () => {
  const session = await shared.register()
  using lines = openLines(shared.socket, { token: session.token })
  const [one, two] = submissions(2)
  lines.send(one)
  await lines.answered(1)

  await shared.get('/v1/sessions/self', session.token)
  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })
  lines.send(two)
  const answers = await lines.answered(2)

  expect(answers[0]).toMatchObject({ frame_id: one!.frame.frame_id })
  expect(answers[1]).toMatchObject({ code: 'unauthenticated', line: 2 })
})

test('duplicates among lines are answered in order as well (ACQ-25)', async () => {
  using lines = openLines(shared.socket)
  const [one, two] = submissions(2)

  for (const submission of [one, one, two, one]) lines.send(submission)
  const answers = await lines.answered(4)

  expect(answers.map(({ frame_id, duplicate }) => [frame_id, duplicate])).toEqual([
    [one!.frame.frame_id, undefined],
    [one!.frame.frame_id, true],
    [two!.frame.frame_id, undefined],
    [one!.frame.frame_id, true],
  ])
})
