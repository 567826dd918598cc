/**
 * Chunks that carry next to nothing: a connection has so many, and the next one ends it.
 *
 * @see R-51; HD-10
 */
import { expect, test } from 'vitest'
import {
  LEAST_CHUNK_OCTETS,
  MAX_SMALL_CHUNKS,
  SMALL_CHUNKS_MS,
} from '../../src/server/request/chunked-message.ts'
import { validFrame } from '../support/frames.ts'
import { connectRaw, post } from '../support/http.ts'
import { startInProcess, type InProcess } from './in-process.ts'

const REFUSED = /HTTP\/1\.1 400 [\s\S]*"code":"field-invalid","field":"transfer-encoding"/

function chunkedHead(line: string, type: string): string {
  return `${line} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`
}

const JSON_HEAD = chunkedHead('POST /v1/frames', 'application/json')
const LINES_HEAD = chunkedHead('POST /v1/frames', 'application/x-ndjson')

/** A text in chunks of so many octets. */
function inChunks(text: string, octets = 1): string {
  const pieces = text.match(new RegExp(`[^]{1,${octets}}`, 'g')) ?? []
  return pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
}

/** A submission of so many octets. */
function submission(octets: number): string {
  return JSON.stringify({ frame: validFrame() }).padEnd(octets)
}

async function send({ socket }: InProcess, text: string) {
  const raw = await connectRaw(socket)
  raw.write(text)
  return raw
}

test('a body may come in so many chunks of one octet, and in one more it is refused and its connection closed (HD-10)', async () => {
  await using daemon = await startInProcess()

  using most = await send(daemon, `${JSON_HEAD}${inChunks(submission(MAX_SMALL_CHUNKS))}0\r\n\r\n`)
  await most.until(/HTTP\/1\.1 200 /)
  using more = await send(daemon, `${JSON_HEAD}${inChunks(submission(MAX_SMALL_CHUNKS + 1))}0\r\n\r\n`)
  await more.until(REFUSED)
  await more.closed

  expect(daemon.broker.ring.count).toBe(1)
  expect((await post(daemon.socket, '/v1/frames', { frame: validFrame() })).status).toBe(200)
})

test('chunks that carry enough on the average are not bounded in number (HD-10)', async () => {
  await using daemon = await startInProcess()
  const body = submission(LEAST_CHUNK_OCTETS * (MAX_SMALL_CHUNKS + 100))

  using raw = await send(daemon, `${JSON_HEAD}${inChunks(body, LEAST_CHUNK_OCTETS)}0\r\n\r\n`)

  await raw.until(/HTTP\/1\.1 200 /)
})

test('the bound is that of the connection: requests behind each other share it (HD-10)', async () => {
  await using daemon = await startInProcess()
  const one = `${JSON_HEAD}${inChunks(submission(600))}0\r\n\r\n`

  using raw = await send(daemon, one)
  await raw.until(/HTTP\/1\.1 200 /)
  raw.write(one)
  await raw.until(REFUSED)
  await raw.closed

  expect(daemon.broker.ring.count).toBe(1)
})

test('lines are bounded alike, unless their sender takes its time (HD-10)', async () => {
  await using daemon = await startInProcess()
  const half = inChunks('\n'.repeat(MAX_SMALL_CHUNKS - 100))
  using patient = await send(daemon, `${LINES_HEAD}${half}`)
  using hasty = await send(daemon, `${LINES_HEAD}${half}`)
  await hasty.until(/200 OK/)

  hasty.write(half)
  await hasty.closed
  await daemon.advance(SMALL_CHUNKS_MS)
  const line = `${JSON.stringify({ frame: validFrame() })}\n`
  patient.write(half + inChunks(line, line.length))

  await patient.until(/"frame_id"/)
})

test.each([
  ['that nobody asked for', 'GET /v1/health', /HTTP\/1\.1 200 /],
  ['to nowhere', 'POST /v1/nowhere', /HTTP\/1\.1 404 /],
])('the chunks of a body %s are counted (HD-10)', async (_what, line, answer) => {
  await using daemon = await startInProcess()
  using raw = await send(daemon, chunkedHead(line, 'application/json'))
  await raw.until(answer)

  raw.write(inChunks('x'.repeat(MAX_SMALL_CHUNKS + 1)))

  await raw.closed
})
