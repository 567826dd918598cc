/**
 * R-35: who is slow, too large or plain wrong is cut in time, and the others do not notice.
 */
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { probeIdle, startProbe } from '../support/probe.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { drip, talk } from '../support/raw.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const SLOW_CONSUMER_MS = 2_000

/** A cut may come this late. */
const GRACE_MS = 1_000

/** Who does not read looks so often whether it has been cut. */
const NOTICE_MS = 1_000

/** Of a probe's p99 beside all this, against one alone. */
const MAX_RATIO = 1.5
const NOISE_MS = 25

/** Cuts that take longer than this are waited for in long rounds only. */
const SHORT_ROUND_LIMIT_MS = 10_500

const HEALTH = 'GET /v1/health HTTP/1.1\r\nhost: a\r\n\r\n'
const head = (line, ...headers) => `${[line, 'host: a', ...headers].join('\r\n')}\r\n\r\n`
const POST = 'POST /v1/frames HTTP/1.1'
const JSON_TYPE = 'content-type: application/json'
const LINES_TYPE = 'content-type: application/x-ndjson'
const CHUNKED = 'transfer-encoding: chunked'

const once = (text) => (connection) => connection.write(text)
const slowly =
  (text, everyMs, first = '') =>
  (connection, state) => {
    connection.write(first)
    return drip(connection, state, { text, everyMs })
  }

/** Of a connection that has to be cut: how it behaves, and when it has to be over. */
const CUTS = {
  'says nothing': { write: () => {}, limitMs: 5_000 },
  'slow headers': { write: slowly(HEALTH.repeat(20), 200, 'GET /v1/health HTTP/1.1\r\nx: '), limitMs: 5_000 },
  'slow body': {
    write: slowly('x'.repeat(400), 200, head(POST, JSON_TYPE, 'content-length: 400')),
    limitMs: 10_000,
  },
  'body that never comes': { write: once(head(POST, JSON_TYPE, 'content-length: 400')), limitMs: 10_000 },
  'slow NDJSON line': {
    write: async (connection, state) => {
      connection.write(head(POST, LINES_TYPE, CHUNKED))
      await drip(connection, state, { text: '1\r\nx\r\n'.repeat(200), bytes: 6, everyMs: 400 })
    },
    // The line's thirty seconds, and one to read the answer.
    limitMs: 31_000,
  },
  'rests after a request': { write: once(HEALTH), limitMs: 30_000 },
  'slow second head': {
    write: slowly('x'.repeat(400), 200, `${HEALTH}GET /v1/health HTTP/1.1\r\nx: `),
    limitMs: 30_000,
  },
  'header of 10 MB': {
    write: once(`GET /v1/health HTTP/1.1\r\nx: ${'y'.repeat(10_000_000)}`),
    limitMs: 1_000,
  },
  'body of 10 MB': {
    write: once(head(POST, JSON_TYPE, 'content-length: 10000000') + 'x'.repeat(10_000_000)),
    limitMs: 1_000,
  },
  'line of 10 MB': {
    write: once(`${head(POST, LINES_TYPE, 'content-length: 10000000')}${'x'.repeat(10_000_000)}`),
    limitMs: 1_000,
  },
  'length and chunks': {
    write: once(`${head(POST, JSON_TYPE, 'content-length: 5', CHUNKED)}0\r\n\r\n`),
    limitMs: 1_000,
    answers: 400,
  },
  'two lengths': {
    write: once(`${head(POST, JSON_TYPE, 'content-length: 2', 'content-length: 3')}{}`),
    limitMs: 1_000,
    answers: 400,
  },
  'broken chunk in a body': {
    write: once(`${head(POST, JSON_TYPE, CHUNKED)}5\r\n{"fra\r\nZZ\r\n`),
    limitMs: 1_000,
  },
  'broken chunk in lines': {
    write: once(`${head(POST, LINES_TYPE, CHUNKED)}5\r\n{"fra\r\nZZ\r\n`),
    limitMs: 1_000,
  },
  CONNECT: { write: once(head('CONNECT a:1 HTTP/1.1')), limitMs: 5_000, answers: 405 },
  'not HTTP': { write: once('\x00\x01\x02\x16\x03\x01\r\n\r\n'), limitMs: 1_000, answers: 400 },
  'HTTP/2': { write: once('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), limitMs: 1_000, answers: 400 },
  'stream read at 1 B/s': {
    write: once(head('GET /v1/handles/~alice/stream HTTP/1.1')),
    reads: 1,
    // The kernel's buffer and Node's have to be full before it shows.
    limitMs: 4 * SLOW_CONSUMER_MS,
  },
  'stream never read': {
    write: once(head('GET /v1/handles/~alice/stream HTTP/1.1')),
    reads: 'none',
    limitMs: 4 * SLOW_CONSUMER_MS,
  },
  'history never read': {
    write: once(head('GET /v1/frames?limit=1000 HTTP/1.1')),
    reads: 'none',
    limitMs: 30_000,
  },
  'history read at 1 B/s': {
    write: once(head('GET /v1/frames?limit=1000 HTTP/1.1')),
    reads: 1,
    limitMs: 30_000,
  },
  '10 000 pipelined, never read': { write: once(HEALTH.repeat(10_000)), reads: 'none', limitMs: 30_000 },
  'answers to lines never read': {
    write: async (connection, state) => {
      connection.write(head(POST, LINES_TYPE, CHUNKED))
      const line = '{"frame":{}}\n'.repeat(1_000)
      const chunk = `${line.length.toString(16)}\r\n${line}\r\n`
      while (!state.isOver && connection.writableLength < 4_000_000) {
        connection.write(chunk)
        await sleep(5)
      }
    },
    reads: 'none',
    limitMs: 30_000,
  },
}

/** Of a connection that is odd and nevertheless right: what it has to be answered with. */
const ANSWERS = {
  upgrade: {
    text: head('GET /v1/health HTTP/1.1', 'upgrade: websocket', 'connection: upgrade'),
    expect: [200],
  },
  'half-closed GET': { text: HEALTH, isHalfClosed: true, expect: [200] },
  'half-closed POST': { text: () => postOf(makeFrame()), isHalfClosed: true, expect: [200] },
  'HTTP/1.0': { text: 'GET /v1/health HTTP/1.0\r\n\r\n', expect: [200] },
  pipelined: { text: HEALTH.repeat(50), expect: Array.from({ length: 50 }, () => 200) },
  'pipelined POSTs': {
    text: () => Array.from({ length: 20 }, () => postOf(makeFrame())).join(''),
    expect: Array.from({ length: 20 }, () => 200),
  },
  '100 headers': {
    text: head('GET /v1/health HTTP/1.1', ...Array.from({ length: 100 }, (_, i) => `x-${i}: y`)),
    expect: [400],
  },
  'no host': { text: 'GET /v1/health HTTP/1.1\r\n\r\n', expect: [400] },
  'expects the impossible': { text: head('GET /v1/health HTTP/1.1', 'expect: nonsense'), expect: [200] },
}

function postOf(frame) {
  const body = JSON.stringify({ frame })
  return `${head(POST, JSON_TYPE, `content-length: ${body.length}`)}${body}`
}

async function checkCut(socket, name, { write, reads, limitMs, answers }, figures) {
  const { cutMs, text } = await talk(socket, { write, reads, timeoutMs: limitMs + 2 * GRACE_MS + 2_000 })
  const boundMs = limitMs + GRACE_MS + (reads === undefined ? 0 : NOTICE_MS)
  const isInTime = cutMs !== undefined && cutMs <= boundMs
  figures.cuts[name] = `${cutMs === undefined ? 'never' : Math.round(cutMs)} of ${boundMs}`
  if (!isInTime)
    figures.wrong.push(`${name}: cut ${cutMs === undefined ? 'never' : `after ${Math.round(cutMs)} ms`}`)
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
  if (answers !== undefined && status !== answers) figures.wrong.push(`${name}: answered ${status}`)
}

async function checkAnswer(socket, name, { text, isHalfClosed, expect }, figures) {
  const bytes = typeof text === 'string' ? text : text()
  const write = (connection) => (isHalfClosed ? connection.end(bytes) : connection.write(bytes))
  let found = []
  await talk(socket, {
    timeoutMs: 3_000,
    write: async (connection, state) => {
      write(connection)
      do {
        await sleep(10)
        found = [...state.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
      } while (!state.isOver && found.length < expect.length)
      connection.destroy()
    },
  })
  await sleep(20)
  figures.answers += 1
  if (found.join() !== expect.join())
    figures.wrong.push(`${name}: answered ${found.slice(0, 5).join() || 'nothing'}`)
}

function makeLongFrame() {
  return makeFrame({ text: 'x'.repeat(1_900) })
}

/** Frames large enough that a page of history does not fit into any buffer. */
async function fillHistory(socket) {
  await startPublisher(socket, { make: makeLongFrame, maxFrames: 1_000 }).closed
}

const round = (value) => Math.round(value * 100) / 100

async function run({ minutes, note }) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir, config: { limits: { slow_consumer_ms: SLOW_CONSUMER_MS } } })
  const { socket } = daemon
  await fillHistory(socket)
  const idle = await probeIdle(socket, 3_000)
  const figures = { cuts: {}, answers: 0, wrong: [] }
  const isLong = minutes >= 0.5
  const cuts = Object.entries(CUTS).filter(([, { limitMs }]) => isLong || limitMs <= SHORT_ROUND_LIMIT_MS)
  note(`${cuts.length} of ${Object.keys(CUTS).length} kinds of connection`)

  const probe = startProbe(socket)
  const traffic = startPublisher(socket, {
    make: makeLongFrame,
    window: 1,
    pauseMs: 4,
  })
  const work = cuts.map(([name, one]) => checkCut(socket, name, one, figures))
  for (const [name, one] of Object.entries(ANSWERS)) await checkAnswer(socket, name, one, figures)
  await Promise.all(work)
  await traffic.stop()
  const busy = await probe.stop()
  const isAlive = daemon.isAlive()
  const left = (await request(socket, '/v1/health')).body?.subscriptions
  const exit = await daemon.stop()
  const defects = daemon
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"error"'))
  dir.remove()
  const ratio = quantile(busy.latencies, 0.99) / quantile(idle.latencies, 0.99)
  const isQuiet = ratio <= MAX_RATIO || (!isLong && quantile(busy.latencies, 0.99) <= NOISE_MS)
  return {
    holds:
      figures.wrong.length === 0 &&
      isAlive &&
      exit.code === 0 &&
      defects.length === 0 &&
      left === 0 &&
      isQuiet &&
      busy.failures === 0,
    wrong: figures.wrong,
    ...Object.fromEntries(Object.entries(figures.cuts).map(([name, cut]) => [`cut_ms: ${name}`, cut])),
    odd_but_right_answered: figures.answers,
    crashes: isAlive ? 0 : 1,
    defects_logged: defects.slice(0, 3),
    streams_left: left,
    healthy_idle_p50_p99_ms: `${round(quantile(idle.latencies, 0.5))} ${round(quantile(idle.latencies, 0.99))}`,
    healthy_p50_p99_ms: `${round(quantile(busy.latencies, 0.5))} ${round(quantile(busy.latencies, 0.99))}`,
    healthy_p99_ratio: round(ratio),
    healthy_failures: busy.failures,
  }
}

export default {
  name: 'http-abuse',
  promise: 'R-35',
  summary: 'slow, huge, wrong and odd HTTP: when each is cut, and what a healthy client notices',
  run,
}
