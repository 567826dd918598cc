/**
 * What idle mailboxes cost. A start with a hundred of them over a full ring beside one with none, the store
 * beside its bound, and a broadcast to two thousand beside one to twenty (HD-03).
 */
import { statSync } from 'node:fs'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { readMemory } from '../support/vitals.mjs'

const IDLE = 100
/** As many frames as a ring keeps by default, and what a round of less than a minute makes of that. */
const FRAMES = 100_000
const SHORT_FRAMES = 20_000
const STARTS = 5
/** When a started daemon has read ahead whatever it reads behind its start, in milliseconds. */
const SETTLED_MS = 1_500

const MEBIBYTE = 1024 * 1024
const RING_BYTES = 16 * MEBIBYTE

const FEW = 20
const MANY = 2_000
const BROADCASTS = 200

/** The bounds that are promised. */
const MAX_START_RATIO = 1.5
const MAX_RSS_RATIO = 1.3
const MAX_STORE_RATIO = 1.1
const MAX_BROADCAST_RATIO = 3

const round = (value) => Math.round(value * 100) / 100

/** Sessions with a mailbox that nobody reads; their process is this one, so that they stay. */
async function registerIdle(socket, count, from = 0) {
  for (let i = from; i < count; i += 1) {
    const json = { instrument: 'cc', session_id: `idle-${i}`, mailbox: true, pid: process.pid }
    const { status, body } = await request(socket, '/v1/sessions', { json })
    if (status >= 300) throw new Error(`no session: ${JSON.stringify(body)}`)
  }
}

async function publish(socket, maxFrames, text) {
  const publisher = startPublisher(socket, { maxFrames, make: () => makeFrame({ text }) })
  await publisher.closed
  if (publisher.acked.length < maxFrames) throw new Error(`${publisher.refused.length} frames refused`)
}

/** A store with a full ring and some idle mailboxes. */
async function fill(idle, frames) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  await registerIdle(daemon.socket, idle)
  await publish(daemon.socket, frames, 'x'.repeat(120))
  await daemon.stop()
  return dir
}

async function startOn(dir, figures) {
  const daemon = await startDaemon({ dir })
  figures.startMs.push(daemon.readyMs)
  await new Promise((done) => setTimeout(done, SETTLED_MS))
  figures.rssMiB.push(readMemory(daemon.pid).rssMiB)
  const { body } = await request(daemon.socket, `/v1/handles/${encodeURIComponent('~alice')}/roster`)
  figures.unread = body.sessions.map(({ mailbox }) => mailbox?.unread)
  await daemon.stop()
}

/** Starts beside one another, in turn. @returns the figures of both */
async function compareStarts(frames) {
  const none = { dir: await fill(0, frames), startMs: [], rssMiB: [], unread: [] }
  const idle = { dir: await fill(IDLE, frames), startMs: [], rssMiB: [], unread: [] }
  for (let i = 0; i < STARTS; i += 1) for (const one of [none, idle]) await startOn(one.dir, one)
  for (const { dir } of [none, idle]) dir.remove()
  return { none, idle }
}

/** Twice what a small ring holds, in as many mailboxes. @returns the store in its bound */
async function measureStore() {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir, config: { ring: { max_bytes: RING_BYTES } } })
  await registerIdle(daemon.socket, IDLE)
  await publish(daemon.socket, 40_000, 'x'.repeat(400))
  await daemon.stop()
  const size = statSync(dir.file('state', 'ring.db')).size
  dir.remove()
  return size / RING_BYTES
}

async function timeBroadcasts(socket) {
  const times = []
  for (let i = 0; i < BROADCASTS; i += 1) {
    const startedMs = performance.now()
    const { status } = await request(socket, '/v1/frames', { json: { frame: makeFrame() } })
    if (status !== 200) throw new Error(`broadcast: ${status}`)
    times.push(performance.now() - startedMs)
  }
  return quantile(times, 0.5)
}

async function compareBroadcasts() {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  await registerIdle(daemon.socket, FEW)
  await timeBroadcasts(daemon.socket)
  const fewMs = await timeBroadcasts(daemon.socket)
  await registerIdle(daemon.socket, MANY, FEW)
  const manyMs = await timeBroadcasts(daemon.socket)
  await daemon.stop()
  dir.remove()
  return { fewMs, manyMs }
}

async function run({ minutes, note }) {
  const frames = minutes < 1 ? SHORT_FRAMES : FRAMES
  const { none, idle } = await compareStarts(frames)
  note('starts compared')
  const storeRatio = await measureStore()
  note('store measured')
  const { fewMs, manyMs } = await compareBroadcasts()
  // The shortest of each: whatever else the machine does makes a start longer, never shorter.
  const startRatio = Math.min(...idle.startMs) / Math.min(...none.startMs)
  const rssRatio = quantile(idle.rssMiB, 0.5) / quantile(none.rssMiB, 0.5)
  const isExact = idle.unread.length === IDLE && idle.unread.every((unread) => unread === frames)
  return {
    frames,
    idle_mailboxes: IDLE,
    unread_exact: isExact,
    start_ms: `${round(Math.min(...none.startMs))} → ${round(Math.min(...idle.startMs))}`,
    start_ratio: round(startRatio),
    rss_mib: `${round(quantile(none.rssMiB, 0.5))} → ${round(quantile(idle.rssMiB, 0.5))}`,
    rss_ratio: round(rssRatio),
    store_to_bound: round(storeRatio),
    broadcast_ms: `${round(fewMs)} → ${round(manyMs)}`,
    broadcast_ratio: round(manyMs / fewMs),
    holds:
      isExact &&
      startRatio <= MAX_START_RATIO &&
      rssRatio <= MAX_RSS_RATIO &&
      storeRatio <= MAX_STORE_RATIO &&
      manyMs / fewMs <= MAX_BROADCAST_RATIO,
  }
}

export default {
  name: 'mailboxes',
  promise: 'HD-03',
  summary: 'idle mailboxes over a full ring: start, memory, store and a broadcast cost as with few or none',
  run,
}
