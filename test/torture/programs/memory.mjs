/**
 * what waits in memory has one budget, whoever makes it wait, and small requests go through beside it.
 */
import { connect } from 'node:net'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { readMemory } from '../support/vitals.mjs'
import { sleep } from '../support/waiting.mjs'

/** Over an idle daemon: the budget of 64 MiB, and what the collector has not yet taken of what was refused. */
const CEILING_MIB = 448

/** How long a small frame may wait beside all of it, in milliseconds: this program writes at the same time. */
const WAIT_LIMIT_MS = 4_000

/** How long each kind goes on, in milliseconds. */
const ROUND_MS = 3_000

/** How often the daemon is asked for its memory, and a small frame sent, in milliseconds. */
const LOOK_MS = 250

const head = (line, ...headers) => `${[line, 'host: a', ...headers].join('\r\n')}\r\n\r\n`
const JSON_TYPE = 'content-type: application/json'
const LINES_TYPE = 'content-type: application/x-ndjson'
const CHUNKED = 'transfer-encoding: chunked'
const HISTORY = head('GET /v1/frames?limit=1000 HTTP/1.1')

/** What makes things wait: connections, whether they read, and what each sends. */
const KINDS = {
  'pipelined look-backs': { connections: 4, text: HISTORY.repeat(800) },
  'look-backs nobody reads': { connections: 300, text: HISTORY },
  'bodies that do not end': {
    connections: 600,
    text: `${head('POST /v1/envelopes HTTP/1.1', JSON_TYPE, 'content-length: 1048576')}${'x'.repeat(1_048_000)}`,
  },
  'bodies in chunks of one octet': {
    connections: 40,
    text: head('POST /v1/envelopes HTTP/1.1', JSON_TYPE, CHUNKED) + '1\r\nx\r\n'.repeat(100_000),
  },
  'lines in chunks of one octet': {
    connections: 40,
    text: head('POST /v1/frames HTTP/1.1', LINES_TYPE, CHUNKED) + '1\r\nx\r\n'.repeat(100_000),
  },
  'lines that do not end': {
    connections: 600,
    text: `${head('POST /v1/envelopes HTTP/1.1', LINES_TYPE, 'content-length: 2000000')}${'x'.repeat(1_000_000)}`,
  },
  'answers to lines nobody reads': {
    connections: 100,
    text: head('POST /v1/frames HTTP/1.1', LINES_TYPE, 'content-length: 10000000') + '{}\n'.repeat(30_000),
  },
}

function makeLongFrame() {
  return makeFrame({ text: 'x'.repeat(1_900) })
}

function open(socket, { text }) {
  const connection = connect({ path: socket })
  connection.pause()
  connection.on('error', () => {})
  connection.write(text)
  return connection
}

/** @returns the peak over idle, the most that the daemon said waits, how many small frames went through, and the longest wait */
async function tryKind(kind) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket, pid } = daemon
  await startPublisher(socket, { make: makeLongFrame, maxFrames: 2_000 }).closed
  const idleMiB = readMemory(pid).rssMiB
  const connections = Array.from({ length: kind.connections }, () => open(socket, kind))
  const found = { waitingMiB: 0, sent: 0, refused: 0, waitMs: 0 }
  const untilMs = performance.now() + ROUND_MS
  while (performance.now() < untilMs) {
    await sleep(LOOK_MS)
    const lookedMs = performance.now()
    const health = await request(socket, '/v1/health', { timeoutMs: 30_000 })
    found.waitMs = Math.max(found.waitMs, performance.now() - lookedMs)
    const waitingMiB = (health.body?.memory?.waiting_bytes ?? 0) / 2 ** 20
    found.waitingMiB = Math.max(found.waitingMiB, waitingMiB)
    const askedMs = performance.now()
    const { status } = await request(socket, '/v1/frames', {
      json: { frame: makeFrame() },
      timeoutMs: 30_000,
    })
    found.waitMs = Math.max(found.waitMs, performance.now() - askedMs)
    found[status === 200 ? 'sent' : 'refused'] += 1
  }
  const overMiB = readMemory(pid).peakMiB - idleMiB
  for (const connection of connections) connection.destroy()
  const isAlive = daemon.isAlive()
  await daemon.stop()
  dir.remove()
  return { ...found, overMiB, isAlive }
}

async function run({ note }) {
  const rows = {}
  let holds = true
  for (const [name, kind] of Object.entries(KINDS)) {
    const { overMiB, waitingMiB, sent, refused, waitMs, isAlive } = await tryKind(kind)
    holds &&= isAlive && overMiB <= CEILING_MIB && refused === 0 && waitMs <= WAIT_LIMIT_MS
    rows[name] =
      `${Math.round(overMiB)} MiB over idle of ${CEILING_MIB}, ${Math.round(waitingMiB)} waiting, ` +
      `${sent} of ${sent + refused} small frames through, the longest wait ${Math.round(waitMs)} ms`
    note(`${name}: ${rows[name]}`)
  }
  return { holds, ...rows }
}

export default {
  name: 'memory',
  promise: 'R-50',
  summary: 'pipelines, unfinished bodies and lines, answers nobody takes: memory has one budget',
  run,
}
