/**
 * Envelopes as NDJSON: full duplex, in order, and a bad line harms no other.
 */
import { expect, test } from 'vitest'
import { listenFor, nextEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { connectRaw, openLines, request } from '../../support/http.ts'
import { startInProcess } from '../in-process.ts'
import { SharedDaemon } from '../shared-daemon.ts'
import { HAS_SQLITE } from '../../support/without-sqlite.ts'

const shared = new SharedDaemon()

const LIMIT = 1_048_576
const open = (token?: string) =>
  openLines(shared.socket, { path: '/v1/envelopes', ...(token !== undefined && { token }) })

test('answers arrive while the request is still being sent, one per line (docs/http.md §§5, 9)', async () => {
  using lines = open()
  using stream = await listenFor(shared.socket, 'bus.duplex')

  for (let i = 0; i < 3; i += 1) {
    const envelope = validEnvelope({ to: 'bus.duplex' })
    lines.send(envelope)
    expect((await lines.answered(i + 1)).at(-1)).toEqual({
      id: envelope.id,
      event_id: expect.any(String),
      recipient_count: 1,
      queued_count: 0,
      ack: HAS_SQLITE ? 'process' : 'memory',
      effective_priority: 'normal',
      warnings: [],
    })
    expect(JSON.parse(await nextEnvelope(stream))).toEqual(envelope)
  }
  expect(await lines.status).toBe(200)
})

test('two thousand with one bad in the middle: the others are taken, answered and heard in order, however they are cut (docs/http.md §5, R-12)', async () => {
  using lines = open()
  using stream = await listenFor(shared.socket, 'bus.many')
  const sent = Array.from({ length: 2_000 }, (_, i) => validEnvelope({ to: 'bus.many', payload: { i } }))
  const texts = sent.map((envelope) => JSON.stringify(envelope))
  texts[1_000] = JSON.stringify({ ...sent[1_000], type: 'gossip' })
  const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))

  for (let start = 0, size = 1; start < bytes.length; start += size, size = (size * 7) % 29_989) {
    lines.write(bytes.subarray(start, start + size))
  }
  lines.end()
  const answers = await lines.answered(2_000)
  await lines.ended
  const good = sent.filter((_, i) => i !== 1_000)
  const heard: unknown[] = []
  for (let i = 0; i < good.length; i += 1) heard.push(JSON.parse(await nextEnvelope(stream)).payload.i)

  expect(answers[1_000]).toEqual({
    code: 'field-invalid',
    field: 'type',
    message: expect.any(String),
    line: 1_001,
  })
  expect(answers.filter(({ code }) => code === undefined).map(({ id }) => id)).toEqual(
    good.map(({ id }) => id),
  )
  expect(heard).toEqual(good.map((envelope) => sent.indexOf(envelope)))
})

test('a line over 1 MiB ends the request with its error, after the answers before it (AEQ-24, docs/http.md §5)', async () => {
  for (const pieces of [1, 40]) {
    using lines = open()
    using stream = await listenFor(shared.socket, 'bus.long')
    const [before, after] = [validEnvelope({ to: 'bus.long' }), validEnvelope({ to: 'bus.long' })]

    lines.send(before)
    for (let i = 0; i < pieces; i += 1) lines.write('x'.repeat(Math.ceil((LIMIT + 1) / pieces)))
    lines.write('\n')
    lines.send(after)
    const answers = await lines.answered(2)
    await lines.ended

    expect(answers).toHaveLength(2)
    expect(answers[0]).toMatchObject({ id: before.id })
    expect(answers[1]).toEqual({
      code: 'envelope-too-large',
      field: 'envelope',
      message: expect.any(String),
      line: 2,
    })
    expect(JSON.parse(await nextEnvelope(stream)).id).toBe(before.id)
    expect((await shared.get(`/v1/envelopes/${after.id}`)).status).toBe(404)
  }
})

test('hostile lines of every kind are answered one by one, and the good ones among them go through (R-36, AEQ-24)', async () => {
  using lines = open()
  using stream = await listenFor(shared.socket, 'bus.hostile')
  const hostile = [
    '{"v":'.repeat(500),
    '['.repeat(200_000),
    '{"__proto__":{"v":"1"}}',
    '"\\ud800"',
    '\u0000',
    'null',
    '9'.repeat(5_000),
    '{"v":"1","v":"1"}',
    '{"v":"1","constructor":1}',
    '{}',
  ]
  const good = hostile.map(() => validEnvelope({ to: 'bus.hostile' }))

  hostile.forEach((text, i) => {
    lines.write(`${text}\n`)
    lines.send(good[i])
  })
  lines.write(Buffer.from([0xff, 0xfe, 0x0a]))
  const answers = await lines.answered(2 * hostile.length + 1)

  expect(answers.filter(({ code }) => code !== undefined).map(({ line }) => line)).toEqual(
    [...hostile.keys(), hostile.length].map((i) => 2 * i + 1),
  )
  for (const { id } of good) expect(JSON.parse(await nextEnvelope(stream)).id).toBe(id)
})

test('repeats among lines are answered in order as well, though the first is not yet answered (AEQ-16)', async () => {
  using lines = open()
  const [one, two] = [validEnvelope(), validEnvelope()]

  for (const envelope of [one, one, two, { ...one, payload: {} }, one]) lines.send(envelope)
  const answers = await lines.answered(5)

  expect(answers.map(({ id, duplicate, code }) => [id, duplicate, code])).toEqual([
    [one.id, undefined, undefined],
    [one.id, true, undefined],
    [two.id, undefined, undefined],
    [undefined, undefined, 'duplicate-id'],
    [one.id, true, undefined],
  ])
})

test("a session's lines speak for it until it is over, and then for nobody (R-09, AEQ-21)", async () => {
  const session = await shared.register({ entities: ['agent.lines'] })
  using lines = open(session.token)
  lines.send(validEnvelope({ from: 'agent.lines' }))
  lines.send(validEnvelope({ from: 'agent.free' }))
  await lines.answered(2)
  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: session.token })
  lines.send(validEnvelope({ from: 'agent.lines' }))
  const answers = await lines.answered(3)

  expect(answers.map(({ code, field, line }) => [code, field, line])).toEqual([
    [undefined, undefined, undefined],
    ['sender-identity-mismatch', 'from', 2],
    ['unauthenticated', undefined, 3],
  ])
})

test('a task and its replies among the lines of one request know of each other (AEQ-26)', async () => {
  using lines = open()
  const task = validEnvelope({ from: 'agent.boss', to: 'bus.work' })
  const reply = (type: string) =>
    validEnvelope({ type, from: 'agent.worker', to: 'agent.boss', corr: task.corr, reply_to: task.id })
  for (const envelope of [task, reply('stream'), reply('result'), reply('stream')]) lines.send(envelope)

  const answers = await lines.answered(4)

  expect(answers.map(({ late }) => late)).toEqual([undefined, undefined, undefined, true])
})

test('a line that was cut off with its connection is not submitted (R-15)', async () => {
  const lines = open()
  const [whole, cut] = [validEnvelope(), validEnvelope()]
  lines.send(whole)
  await lines.answered(1)
  lines.write(JSON.stringify(cut))
  lines[Symbol.dispose]()
  await shared.get('/v1/health')

  expect((await shared.get(`/v1/envelopes/${whole.id}`)).status).toBe(200)
  expect((await shared.get(`/v1/envelopes/${cut.id}`)).status).toBe(404)
})

test('one that does not read its answers is not read from, and loses nothing (R-28, docs/architecture.md rule 11)', async () => {
  using lines = open()
  const repeated = validEnvelope()
  lines.send(repeated)
  await lines.answered(1)
  await lines.pause()
  const line = `${JSON.stringify(repeated)}\n`.repeat(64)
  let written = 1
  let quietRounds = 0
  while (quietRounds < 20 && written < 60_000) {
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
  expect(answers.at(-1)).toMatchObject({ id: repeated.id, duplicate: true })
})

test('a body and a line that never come are given up after their time, and the refusal names the envelope (R-35)', async () => {
  await using server = await startInProcess()
  using slow = await connectRaw(server.socket)
  using lines = openLines(server.socket, { path: '/v1/envelopes' })
  slow.write(
    'POST /v1/envelopes HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"v":',
  )
  lines.send(validEnvelope())
  await lines.answered(1)
  lines.write('{"v":')

  await server.advance(10_000)
  await slow.until(/\}$/)
  await server.advance(20_000)
  const answers = await lines.answered(2)
  await lines.ended

  expect(slow.text()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"field-invalid","field":"envelope"/)
  expect(answers[1]).toMatchObject({ code: 'field-invalid', field: 'envelope', line: 2 })
})
