/**
 * at the limit of descriptors somebody is told so, nobody who is in is lost, and nothing leaks.
 */
import { connect } from 'node:net'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { countDescriptors, startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { openReader } from '../support/reader.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const LIMIT = 256
const CLIENTS = 1_000
const STREAMS = 40

/** What may be open at one look and not at another: a log that is being written back, a connection on its way out. */
const SPARE = 2

/** Clients that connect in one turn of this process. */
const AT_ONCE = 8

/** Tries of a client to which the kernel says EAGAIN, and how far apart they are, in milliseconds. */
const TRIES = 200
const RETRY_MS = 20

/** A client that keeps its connection, and comes again as long as the kernel says that it is too early. */
async function crowdClient(socket) {
  for (let tries = 0; ; tries += 1) {
    const found = await tryClient(socket)
    if (found.outcome !== 'EAGAIN' || tries === TRIES) return { ...found, tries }
    await sleep(RETRY_MS * (1 + Math.random()))
  }
}

/** What came of it is one word. */
function tryClient(socket) {
  return new Promise((resolve) => {
    let text = ''
    const connection = connect({ path: socket })
    const settle = (outcome) => resolve({ outcome, connection })
    connection.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.startsWith('HTTP/1.1 200')) settle('served')
      else if (/^HTTP\/1\.1 503[^]*retry-after: \d[^]*"code":"busy"/i.test(text)) settle('told busy')
    })
    connection.once('connect', () => connection.write('GET /v1/health HTTP/1.1\r\nhost: agentd\r\n\r\n'))
    connection.once('error', (error) => settle(text === '' ? error.code : 'cut'))
    connection.once('close', () => settle(text === '' ? 'closed without a word' : 'cut'))
    setTimeout(settle, 15_000, 'no answer').unref()
  })
}

/** As every client has to: EAGAIN is the kernel's way to say that others came first. */
async function askPatiently(socket, path, options) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request(socket, path, options)
    } catch (error) {
      if (error.code !== 'EAGAIN' || tries === TRIES) throw error
      await sleep(RETRY_MS)
    }
  }
}

/** The limit: a thousand clients that stay, then all of them leave. */
async function playLimit() {
  const dir = createTempDir()
  const command = ['sh', '-c', `ulimit -n ${LIMIT} && exec "$@"`, 'sh']
  const daemon = await startDaemon({ dir, command })
  const { socket } = daemon
  const pid = await daemon.daemonPid()
  await sleep(100)
  const baseline = countDescriptors(pid)
  // They come again after EAGAIN; once they stand, a second connection means that the first was lost.
  const readers = Array.from({ length: STREAMS }, () => openReader(socket, { resume: true }))
  for (const reader of readers) await reader.until(() => reader.connects > 0)
  const withStreams = countDescriptors(pid)

  const coming = []
  for (let i = 0; i < CLIENTS; i += 1) {
    coming.push(crowdClient(socket))
    // A thousand processes would each write as soon as they are connected; one that is all of them has to yield.
    if (i % AT_ONCE === 0) await yieldTurn()
  }
  const clients = await Promise.all(coming)
  const outcomes = {}
  for (const { outcome } of clients) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const eagain = clients.reduce((sum, { tries }) => sum + tries, 0)
  const atLimit = countDescriptors(pid)
  for (const { connection } of clients) connection.destroy()
  const freedMs = await waitFor(() => countDescriptors(pid) <= withStreams + SPARE, 10_000)
  const { body } = await askPatiently(socket, '/v1/frames', { json: { frame: makeFrame() } })
  await Promise.all(readers.map((reader) => reader.until(() => reader.count === 1, 3_000)))
  const lost = readers.filter(({ count, connects }) => count !== 1 || connects !== 1).length
  for (const reader of readers) reader.close()
  const baselineMs = await waitFor(() => countDescriptors(pid) <= baseline + SPARE, 10_000)
  const after = countDescriptors(pid)
  const metrics = (await askPatiently(socket, '/v1/metrics')).text
  const refused = Number(/^agentd_connections_refused_total (\d+)/m.exec(metrics)?.[1])
  const exit = await daemon.stop()
  const errors = daemon
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"error"')).length
  dir.remove()
  return {
    refused,
    eagain,
    baseline,
    atLimit,
    after,
    outcomes,
    freedMs,
    baselineMs,
    lost,
    reached: body.recipient_count,
    exit,
    errors,
  }
}

/** Requests that are given up at some moment, of every kind that waits for something. */
const ABORTED = [
  '',
  'GET /v1/health HTTP/1.1\r\n',
  'GET /v1/health HTTP/1.1\r\nhost: a\r\n\r\n',
  'POST /v1/frames HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"frame":',
  'POST /v1/frames HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"fra',
  'GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /v1/handles/~alice/stream?replay=1000 HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /v1/frames?limit=1000 HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /v1/metrics HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /v1/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  'nonsense\r\n\r\n',
]

async function abortOne(socket, { text, delayMs, isHalfClosed }) {
  const connection = connect({ path: socket })
  connection.on('error', () => {})
  connection.on('data', () => {})
  const closed = new Promise((resolve) => connection.once('close', resolve))
  await new Promise((resolve) => {
    connection.once('connect', resolve)
    connection.once('close', resolve)
  })
  if (isHalfClosed) connection.end(text)
  else connection.write(text)
  if (delayMs > 0) await sleep(delayMs)
  connection.destroy()
  await closed
}

async function playAborts({ random, hasTime, durationMs }) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket, pid } = daemon
  const { token, address } = (
    await request(socket, '/v1/sessions', { json: { instrument: 'cc', mailbox: true } })
  ).body
  const sent = (await request(socket, '/v1/frames', { json: { frame: makeFrame() } })).body
  const ofSession = [
    `GET /v1/inbox/wait?timeout_ms=600000 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`,
    `GET /v1/frames/${sent.frame_id}?wait=seen&timeout_ms=600000 HTTP/1.1\r\nhost: a\r\n\r\n`,
    `GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`,
  ]
  await abortOne(socket, { text: ABORTED[2], delayMs: 50 })
  const baseline = countDescriptors(pid)
  let aborted = 0
  const startedMs = performance.now()
  const work = async () => {
    while (performance.now() - startedMs < durationMs || (hasTime() && aborted < 1_000_000)) {
      const text = random.pick([...ABORTED, ...ofSession])
      const cutAt = random() < 0.3 ? random.between(0, text.length) : text.length
      const delayMs = random() < 0.8 ? 0 : random.between(1, 5)
      await abortOne(socket, { text: text.slice(0, cutAt), delayMs, isHalfClosed: random() < 0.1 })
      aborted += 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  const freedMs = await waitFor(() => countDescriptors(pid) <= baseline + SPARE, 10_000)
  const leaked = countDescriptors(pid) - baseline
  const { subscriptions } = (await askPatiently(socket, '/v1/health')).body
  const roster = (await askPatiently(socket, '/v1/handles/~alice/roster')).body.sessions
  const exit = await daemon.stop()
  dir.remove()
  const strangers = roster.filter((entry) => entry.address !== address).length
  return { aborted, leaked, freedMs, subscriptions, strangers, exit }
}

async function run({ minutes, random, hasTime, note }) {
  const limit = await playLimit()
  note(JSON.stringify(limit.outcomes))
  const aborts = await playAborts({ random, hasTime, durationMs: Math.max(3_000, minutes * 30_000) })
  const { served = 0, 'told busy': told = 0, ...others } = limit.outcomes
  // Who is still writing when the answer comes and the connection goes gets EPIPE from Node before it reads; the
  // daemon has counted it. One that the kernel closed at the limit is nobody's, and that is the silent kind.
  const silent = Math.max(0, CLIENTS - served - limit.refused)
  return {
    holds:
      silent === 0 &&
      served > 0 &&
      limit.lost === 0 &&
      limit.baselineMs !== undefined &&
      limit.errors === 0 &&
      limit.exit.code === 0 &&
      aborts.leaked <= SPARE &&
      aborts.subscriptions === 0 &&
      aborts.strangers === 0 &&
      aborts.exit.code === 0,
    nofile: LIMIT,
    clients: CLIENTS,
    served,
    told_busy: told,
    told_while_still_writing: CLIENTS - served - told - silent,
    not_told: silent,
    eagain_and_tried_again: limit.eagain,
    others_saw: others,
    streams_lost: `${limit.lost}/${STREAMS}`,
    descriptors_before_at_limit_after: `${limit.baseline} ${limit.atLimit} ${limit.after}`,
    freed_ms: Math.round(limit.freedMs ?? -1),
    errors_logged: limit.errors,
    aborted_requests: aborts.aborted,
    leaked: aborts.leaked,
    streams_left: aborts.subscriptions,
    visitors_left: aborts.strangers,
    exits: `${limit.exit.code} ${aborts.exit.code}`,
  }
}

export default {
  name: 'descriptors',
  promise: 'R-30, R-31',
  summary:
    '1000 clients at ulimit -n 256, then requests given up at every moment: nobody lost, nothing leaked',
  run,
}
