/**
 * whatever comes in, nothing but documented answers comes out, and the others do not wait for it.
 */
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { DIST, startDaemon } from '../support/daemon.mjs'
import { loadTargets } from '../support/fuzz-parsers.mjs'
import { Mutator } from '../support/mutation.mjs'
import { startProbe } from '../support/probe.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

/** What one parse may take of the processor, in milliseconds; garbage collection is in it, a busy machine is not. */
const SLOW_CALL_MS = 50
/** The longest a healthy client may wait; in a round of seconds on a shared machine its scheduler is in it. */
const MAX_BLOCK_MS = 50
const MAX_BLOCK_SHORT_MS = 250

const MAX_FAULTS = 5
const LINES_PER_REQUEST = 200

/** Inputs per target between two looks at the clock. */
const BATCH = 500

async function fuzzParsers({ mutator, random, untilMs, found }) {
  const targets = await loadTargets(mutator, random)
  while (performance.now() < untilMs) {
    for (const [name, act] of Object.entries(targets)) {
      for (let i = 0; i < BATCH; i += 1) {
        const before = process.cpuUsage()
        try {
          const outcome = act()
          found.outcomes[outcome] = (found.outcomes[outcome] ?? 0) + 1
        } catch (error) {
          fault(found, `${name}: ${error.message}`)
        }
        const { user, system } = process.cpuUsage(before)
        const tookMs = (user + system) / 1_000
        if (tookMs > found.slowestMs) Object.assign(found, { slowestMs: tookMs, slowest: name })
        found.parsed += 1
      }
    }
    await yieldTurn()
  }
}

function fault(found, text) {
  found.faults += 1
  if (found.samples.length < MAX_FAULTS) found.samples.push(text.slice(0, 300))
}

/** Whether an answer is one that is documented: a status of the table with a code of the table. */
function judge({ status, text, where }, codes, found) {
  found.statuses[status] = (found.statuses[status] ?? 0) + 1
  if (status < 400) return
  const code = readCode(text)
  if (code !== undefined && codes[code]?.status === status && status !== 500) return
  fault(found, `${where}: ${status} ${text.slice(0, 200)}`)
}

function readCode(text) {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}

/** What goes to the daemon itself; each sends one input, or a number of them, and judges what comes back. */
function socketTargets(socket, { mutator, random, codes, found }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const send = (options, body) =>
    new Promise((resolve) => {
      const outgoing = httpRequest({ socketPath: socket, agent, ...options }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk))
        incoming.once('end', () => resolve({ status: incoming.statusCode, text }))
        incoming.once('error', () => resolve(undefined))
      })
      outgoing.once('error', () => resolve(undefined))
      outgoing.end(body)
    })
  const json = (path, body) =>
    send(
      {
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      },
      body,
    )
  const judged = async (where, answer) => {
    found.sent += 1
    if (answer === undefined) fault(found, `${where}: no answer`)
    else judge({ ...answer, where }, codes, found)
  }
  const bodies = {
    '/v1/sessions': {
      instrument: 'cc',
      session_id: 's',
      tool: 'cc',
      title: 't',
      cwd: '/',
      pid: 1,
      mailbox: true,
      entities: ['a'],
    },
    '/v1/seen': { up_to: 'a-1' },
    '/v1/verbs/agent_advise': { text: 'x', file_refs: ['a'] },
    '/v1/verbs/agent_query': { text: 'x', timeout_ms: 1_000 },
    '/v1/verbs/agent_send': { kind: 'agent_advisory', payload: { advisory_text: 'x' } },
    '/v1/verbs/agent_decide': {
      synopsis: 's',
      findings: [],
      recommendations: [],
      offer: 'o',
      question: {
        stem: 's',
        options: [
          { label: 'a', reasoning: 'b' },
          { label: 'c', reasoning: 'd' },
        ],
        recommended_idx: 0,
      },
    },
    '/v1/verbs/intent_declare': { convergence_class: 'a.b', payload_ref: 'x', ttl: 5, withdrawable: true },
    '/v1/verbs/agent_roster': {},
  }
  return {
    frame: async () => judged('frame', await json('/v1/frames', mutator.bytes(mutator.submission()))),
    body: async () => {
      const path = random.pick(Object.keys(bodies))
      await judged(path, await json(path, mutator.bytes(mutator.json(bodies[path]))))
    },
    lines: async () => {
      const lines = Array.from({ length: LINES_PER_REQUEST }, () => mutator.line(mutator.submission()))
      const whole = Buffer.from(`${lines.join('\n')}\n`, 'latin1')
      const answer = await send(
        {
          path: '/v1/frames',
          method: 'POST',
          headers: { 'content-type': 'application/x-ndjson', 'content-length': whole.length },
        },
        whole,
      )
      found.sent += lines.length
      if (answer?.status !== 200)
        return fault(found, `lines: ${answer?.status} ${answer?.text.slice(0, 200)}`)
      for (const text of answer.text.trim().split('\n')) {
        const code = readCode(text)
        if (code === undefined ? !text.includes('"event_id"') : codes[code] === undefined)
          fault(found, `line: ${text}`)
      }
    },
    query: async () => {
      const part = encodeURIComponent(
        random() < 0.5
          ? (mutator.string().toWellFormed?.() ?? 'x')
          : mutator.line('kind=agent_query,sender=~alice'),
      )
      const name = random.pick(['filter', 'after', 'limit', 'handle', 'x', 'filter=&filter'])
      await judged('query', await send({ path: `/v1/frames?limit=3&${name}=${part}`, method: 'GET' }))
    },
    cursor: async () => {
      const cursor = mutator.line('beb11a2a-17').replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
      found.sent += 1
      const head = `GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: a\r\nlast-event-id: ${cursor}\r\n\r\n`
      const text = await exchange(socket, head, 5_000)
      const where = `cursor ${JSON.stringify(cursor)}`
      judge({ status: statusOf(text), text: bodyOf(text), where }, codes, found)
      // A cursor that says nothing is told to be so, never taken for "now" without a word.
      const isTold = statusOf(text) !== 200 || cursor.trim() === '' || text.includes('event: agentd_gap')
      if (!isTold) fault(found, `${where}: no gap`)
    },
    http: async () => {
      const body = mutator.submission()
      const whole = `POST /v1/frames HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
      const bytes = mutator.bytes(random() < 0.3 ? whole : whole.slice(0, whole.length - body.length))
      found.sent += 1
      const text = await exchange(socket, bytes, 200)
      if (text === '') return
      const where = `http ${JSON.stringify(bytes.toString('latin1').slice(0, 120))}`
      judge({ status: statusOf(text), text: bodyOf(text), where }, codes, found)
    },
  }
}

function statusOf(text) {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
}

/** Of the first response; the request may by chance have been two. */
function bodyOf(text) {
  const at = text.indexOf('\r\n\r\n') + 4
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN)
  return Number.isNaN(length)
    ? text.slice(at)
    : Buffer.from(text, 'latin1')
        .subarray(at, at + length)
        .toString('utf8')
}

/** Sends, and takes what comes until the end, or until an answer or its first event has come and no more does. */
function exchange(socket, bytes, patienceMs) {
  return new Promise((resolve) => {
    const connection = connect({ path: socket })
    let text = ''
    const done = () => {
      clearTimeout(quiet)
      connection.destroy()
      resolve(text)
    }
    let quiet = setTimeout(done, patienceMs)
    connection.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      clearTimeout(quiet)
      quiet = setTimeout(done, text.includes('\n\n') || text.includes('}') ? 10 : patienceMs)
    })
    connection.once('close', done)
    connection.once('error', done)
    connection.once('connect', () => connection.write(bytes))
  })
}

async function fuzzSocket(socket, { untilMs, ...parts }) {
  const targets = Object.entries(socketTargets(socket, parts))
  const lanes = targets.map(async ([, act]) => {
    while (performance.now() < untilMs) await act()
  })
  await Promise.all(lanes)
}

async function run({ minutes, random, note }) {
  const { ERROR_CODES: codes } = await import(`${DIST}/protocol/error-codes.js`)
  const mutator = new Mutator(random)
  const found = {
    parsed: 0,
    sent: 0,
    faults: 0,
    samples: [],
    outcomes: {},
    statuses: {},
    slowestMs: 0,
    slowest: '',
  }
  const shareMs = Math.max(4_000, minutes * 30_000)
  await fuzzParsers({ mutator, random, untilMs: performance.now() + shareMs, found })
  note(`${found.parsed} inputs parsed`)

  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const probe = startProbe(socket, { pauseMs: 2 })
  await fuzzSocket(socket, { mutator, random, codes, found, untilMs: performance.now() + shareMs })
  const { latencies, failures } = await probe.stop()
  const isAlive = daemon.isAlive()
  const exit = await daemon.stop()
  const defects = daemon
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') || line.startsWith('    at '))
  dir.remove()
  const blockMs = quantile(latencies, 1)
  const unexpected = Object.keys(found.statuses).filter(
    (status) => Number(status) >= 500 && !['503', '507'].includes(status),
  )
  return {
    holds:
      found.faults === 0 &&
      found.slowestMs <= SLOW_CALL_MS &&
      unexpected.length === 0 &&
      isAlive &&
      exit.code === 0 &&
      defects.length === 0 &&
      failures === 0 &&
      blockMs <= (minutes < 1 ? MAX_BLOCK_SHORT_MS : MAX_BLOCK_MS),
    inputs: found.parsed + found.sent,
    parsed_in_process: found.parsed,
    through_the_socket: found.sent,
    faults: found.faults,
    samples: found.samples,
    outcomes: Object.keys(found.outcomes).length,
    accepted: found.outcomes.ok,
    slowest_parse: `${Math.round(found.slowestMs * 10) / 10} ms (${found.slowest})`,
    statuses: found.statuses,
    crashes: isAlive ? 0 : 1,
    defects_logged: defects.slice(0, 5),
    healthy_p50_p99_ms: `${Math.round(quantile(latencies, 0.5) * 100) / 100} ${Math.round(quantile(latencies, 0.99) * 100) / 100}`,
    healthy_longest_wait_ms: Math.round(blockMs),
    healthy_waits_over_50_ms: `${latencies.filter((ms) => ms > MAX_BLOCK_MS).length} of ${latencies.length}`,
  }
}

export default {
  name: 'fuzz',
  promise: 'R-36, R-17',
  summary: 'nearly valid frames, bodies, lines, filters, cursors and HTTP, in process and through the socket',
  run,
}
