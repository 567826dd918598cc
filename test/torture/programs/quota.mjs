/**
 * R-32: a session has one quota however many connections it opens, and its flood is not the others' business.
 */
import { Agent, request as httpRequest } from 'node:http'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { probeIdle, startProbe } from '../support/probe.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const CONNECTIONS = 50
const RATE = 200
const BURST = 100
/** The polite one sends this often, in milliseconds; once a second would take a long round for a p99. */
const POLITE_EVERY_MS = 100
const MAX_RATIO = 2

/**
 * What the others' wait is judged by. A round of seconds has some forty frames of theirs, of which the slowest hundredth
 * is one: that is the machine's, not the daemon's.
 */
const QUANTILES = { long: 0.99, short: 0.9 }
const LONG_MINUTES = 1

/** Below this a wait is the machine's as well, in a round of seconds. */
const NOISE_MS = 25

/** Sends one after the other on each connection, as fast as it is answered. */
function startFlood(socket, token) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const seen = { 200: 0, 429: 0, others: {}, withoutRetryAfter: 0, failures: 0 }
  const state = { isOver: false }
  const sendOne = () =>
    new Promise((resolve) => {
      const outgoing = httpRequest(
        {
          socketPath: socket,
          path: '/v1/frames',
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        },
        (incoming) => {
          let text = ''
          incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk))
          incoming.once('end', () => {
            count(seen, incoming, text)
            resolve()
          })
        },
      )
      outgoing.once('error', () => {
        seen.failures += 1
        resolve()
      })
      outgoing.end(JSON.stringify({ frame: makeFrame({ drafted_with: '~flood' }) }))
    })
  const lanes = Array.from({ length: CONNECTIONS }, async () => {
    while (!state.isOver) await sendOne()
  })
  return {
    async stop() {
      state.isOver = true
      await Promise.all(lanes)
      agent.destroy()
      return seen
    },
  }
}

function count(seen, { statusCode, headers }, text) {
  if (statusCode === 200) seen[200] += 1
  else if (statusCode === 429) {
    seen[429] += 1
    const { code, retry_after_ms: retryAfterMs } = JSON.parse(text)
    if (!(Number(headers['retry-after']) >= 1) || !(retryAfterMs > 0) || code !== 'rate-limited') {
      seen.withoutRetryAfter += 1
    }
  } else seen.others[statusCode] = (seen.others[statusCode] ?? 0) + 1
}

async function openSession(socket, instrument) {
  return (await request(socket, '/v1/sessions', { json: { instrument } })).body.token
}

const round = (value) => Math.round(value * 100) / 100

async function run({ minutes, note }) {
  const dir = createTempDir()
  const config = { limits: { submissions_per_second: RATE, submission_burst: BURST } }
  const daemon = await startDaemon({ dir, config })
  const { socket } = daemon
  const flooding = await openSession(socket, 'flood')
  const polite = { pauseMs: POLITE_EVERY_MS, what: 'frames' }
  const durationMs = Math.max(4_000, minutes * 30_000)
  const idle = await probeIdle(socket, durationMs, polite)
  note('idle measured')

  const probe = startProbe(socket, polite)
  const startedMs = performance.now()
  const flood = startFlood(socket, flooding)
  await sleep(durationMs)
  const seen = await flood.stop()
  const tookS = (performance.now() - startedMs) / 1_000
  const busy = await probe.stop()
  const exit = await daemon.stop()
  dir.remove()

  const quota = BURST + RATE * tookS
  const isLong = minutes >= LONG_MINUTES
  const judged = QUANTILES[isLong ? 'long' : 'short']
  const ratio = quantile(busy.latencies, judged) / quantile(idle.latencies, judged)
  const isPoliteServed = busy.failures === 0 && Object.keys(busy.statuses).join() === '200'
  return {
    holds:
      seen[200] <= quota + 1 &&
      seen[200] >= 0.9 * quota &&
      seen[429] > 0 &&
      seen.withoutRetryAfter === 0 &&
      seen.failures === 0 &&
      Object.keys(seen.others).length === 0 &&
      isPoliteServed &&
      (ratio <= MAX_RATIO || (!isLong && quantile(busy.latencies, judged) <= NOISE_MS)) &&
      exit.code === 0,
    connections: CONNECTIONS,
    one_quota: Math.round(quota),
    accepted: seen[200],
    refused_429: seen[429],
    without_retry_after: seen.withoutRetryAfter,
    other_answers: seen.others,
    flood_per_second: Math.round((seen[200] + seen[429]) / tookS),
    polite_sent: busy.latencies.length,
    polite_refused: busy.latencies.length - (busy.statuses[200] ?? 0),
    polite_idle_p50_p99_ms: `${round(quantile(idle.latencies, 0.5))} ${round(quantile(idle.latencies, 0.99))}`,
    polite_busy_p50_p99_ms: `${round(quantile(busy.latencies, 0.5))} ${round(quantile(busy.latencies, 0.99))}`,
    judged_quantile: judged,
    polite_ratio: round(ratio),
  }
}

export default {
  name: 'quota',
  promise: 'R-32',
  summary: 'one session floods over 50 connections, another sends politely: one quota, 429s, latency',
  run,
}
