/**
 * a process that floods with many sessions, and what is left for the others: their submissions, what they sent
 * before, and places for their streams.
 */
import { connect } from 'node:net'
import { startCrowd } from '../support/crowd.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startProbe } from '../support/probe.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const SESSIONS = 20
const RATE = 500
const BURST = 1_000

/** How often the polite one sends, in milliseconds: ten times as often as a busy agent. */
const POLITE_EVERY_MS = 100

/** Small enough to be filled several times in seconds. */
const RING_FRAMES = 8_000

/** Streams that there may be, and that one process tries to take. */
const STREAMS = 400

async function openSession(socket, i) {
  const json = { instrument: 'flood', session_id: `s${i}` }
  return (await request(socket, '/v1/sessions', { json })).body.token
}

const make = () => makeFrame({ drafted_with: '~flood' })

/** As fast as each of many sessions is answered. @returns how many frames were taken */
async function flood(socket, { durationMs, most = Infinity }) {
  const tokens = await Promise.all(Array.from({ length: SESSIONS }, (_, i) => openSession(socket, i)))
  const maxFrames = Math.ceil(most / SESSIONS)
  const senders = tokens.map((token) => startPublisher(socket, { token, make, maxFrames }))
  await Promise.race([sleep(durationMs), Promise.all(senders.map(({ closed }) => closed))])
  await Promise.all(senders.map((sender) => sender.stop()))
  return senders.reduce((sum, { acked }) => sum + acked.length, 0)
}

/** Does it while somebody else, in a process of its own, sends as usual. */
async function besidePolite(socket, work) {
  const probe = startProbe(socket, { pauseMs: POLITE_EVERY_MS, what: 'frames' })
  // It has sent something before the flood begins.
  await sleep(1_000)
  const result = await work()
  const { latencies, statuses } = await probe.stop()
  const refused = latencies.length - (statuses[200] ?? 0)
  return { result, sent: latencies.length, refused, p99Ms: Math.round(quantile(latencies, 0.99)) }
}

/** How many of the frames that the polite one sent are still there. */
async function countPolite(socket, oldest) {
  let [count, after] = [0, oldest]
  while (after !== null) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    const { body } = await request(socket, `/v1/frames?limit=1000&after=${after}`)
    count += body.items.filter(({ frame }) => frame.payload.broadcast_text === 'polite').length
    after = body.next
  }
  return count
}

async function measureRates(durationMs) {
  const limits = { submissions_per_second: RATE, submission_burst: BURST }
  return await beside({ limits }, async ({ socket }) => {
    const startedMs = performance.now()
    const polite = await besidePolite(socket, () => flood(socket, { durationMs }))
    const oneQuota = BURST + (RATE * (performance.now() - startedMs)) / 1_000
    return { ...polite, quotas: Math.round((polite.result / oneQuota) * 10) / 10 }
  })
}

async function measureRing(durationMs) {
  return await beside({ ring: { max_frames: RING_FRAMES } }, async ({ socket }) => {
    const { body } = await request(socket, '/v1/health')
    const polite = await besidePolite(socket, () => flood(socket, { durationMs, most: 5 * RING_FRAMES }))
    return { ...polite, retained: await countPolite(socket, body.ring.newest_event_id ?? `${body.epoch}-0`) }
  })
}

async function measureStreams() {
  return await beside({ limits: { subscriptions: STREAMS } }, async ({ socket }) => {
    const answers = await Promise.all(Array.from({ length: STREAMS }, () => openStream(socket)))
    const taken = answers.filter(({ status }) => status === '200').length
    const crowd = startCrowd(1)
    const another = taken < STREAMS && (await crowd.open({ socket, count: 1, timeoutMs: 5_000 })).open === 1
    crowd.end()
    for (const { socket: one } of answers) one.destroy()
    return { taken, another }
  })
}

function openStream(socketPath) {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () =>
      socket.write('GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: agentd\r\n\r\n'),
    )
    socket.once('data', (chunk) => resolve({ socket, status: chunk.toString('latin1').slice(9, 12) }))
    socket.once('error', () => resolve({ socket, status: 'error' }))
  })
}

/** Measures something with a daemon of its own. */
async function beside(config, measure) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir, config })
  const peers = (await request(daemon.socket, '/v1/health')).body.peer_credentials
  const figures = await measure(daemon)
  const { code } = await daemon.stop()
  dir.remove()
  return { ...figures, code, peers }
}

async function run({ minutes, note }) {
  const durationMs = Math.max(5_000, minutes * 30_000)
  const rates = await measureRates(durationMs)
  if (rates.peers !== 'checked')
    return { skipped: 'the kernel is not asked who connects: koffi is not there' }
  note(`${rates.result} frames of the flood were taken`)
  const ring = await measureRing(durationMs)
  const streams = await measureStreams()
  return {
    holds:
      rates.quotas <= 1.1 &&
      rates.refused === 0 &&
      ring.retained === ring.sent &&
      ring.refused === 0 &&
      streams.another &&
      [rates, ring, streams].every(({ code }) => code === 0),
    sessions_of_one_process: SESSIONS,
    quotas_taken: rates.quotas,
    polite_refused: `${rates.refused} of ${rates.sent}`,
    polite_p99_ms: rates.p99Ms,
    flood_into_ring: `${ring.result} of ${5 * RING_FRAMES}`,
    polite_retained: `${ring.retained} of ${ring.sent}`,
    streams_taken: `${streams.taken} of ${STREAMS}`,
    another_stream: streams.another,
  }
}

export default {
  name: 'flood',
  promise: 'R-47',
  summary: 'one process floods with many sessions: its quota, its part of the ring, and its streams',
  run,
}
