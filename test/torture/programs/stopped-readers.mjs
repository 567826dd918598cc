/**
 * readers that take nothing cost the others nothing, are cut in time, are told what they missed, and
 * do not fill memory.
 */
import { startDaemon } from '../support/daemon.mjs'
import { startCrowd } from '../support/crowd.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { readMemory, sampleMemory } from '../support/vitals.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const HEALTHY = 10
const STOPPED = [1, 100, 1_000]

/** Configured, so that a short round sees a cut; what is promised is a cut in time, whatever the time is. */
const SLOW_CONSUMER_MS = 1_000

/** Noticing that a kernel buffer is full takes its filling; counted from there, a cut may come this late. */
const CUT_GRACE_MS = 1_500

/** A return after a cut finds the ring gone on. */
const RING_FRAMES = 40

const FRAMES_PER_SECOND = 60
const TEXT_OCTETS = 1_900
const MAX_RATIO = 1.5

/** A p99 below this cannot be told from a shared machine's own hiccups in a round of seconds. */
const NOISE_MS = 100

/**
 * What R-28 states: an idle daemon, the ring's tail and garbage that is not yet collected; and for every stopped
 * reader one page of a replay and what its connection costs. What passes live is queued once for all of them.
 */
const CEILING_MIB = 384
const CEILING_PER_STREAM_MIB = 0.6

/** Carries the time it was made at, which every process of the machine reads off the same clock. */
function makeTimedFrame() {
  return makeFrame({ text: `torture:${process.hrtime.bigint()}:`.padEnd(TEXT_OCTETS, 'x') })
}

function pacedPublisher(socket) {
  const publisher = startPublisher(socket, {
    make: makeTimedFrame,
    window: 1,
    pauseMs: 1_000 / FRAMES_PER_SECOND,
  })
  return publisher
}

async function measure(crowd, durationMs) {
  await crowd.report()
  await sleep(durationMs)
  return (await crowd.report()).latencies
}

function latencyOf(samples) {
  return { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99), n: samples.length }
}

/** One number of stopped readers against the same number that read. */
async function playNumber(count, { durationMs }) {
  const dir = createTempDir()
  const config = { ring: { max_frames: RING_FRAMES }, limits: { slow_consumer_ms: SLOW_CONSUMER_MS } }
  const daemon = await startDaemon({ dir, config })
  const { socket } = daemon
  const healthy = startCrowd(1)
  const others = startCrowd(1)
  await healthy.open({ socket, count: HEALTHY })
  const publisher = pacedPublisher(socket)
  await sleep(300)
  const alone = latencyOf(await measure(healthy, durationMs / 2))
  await others.open({ socket, count })
  await others.open({ socket, count })
  const reading = latencyOf(await measure(healthy, durationMs))
  await others.closeStreams()
  await waitFor(async () => (await subscriptionsOf(socket)) === HEALTHY)

  const memory = sampleMemory(daemon.pid)
  const stalledAtMs = performance.now()
  await others.open({ socket, count, stopped: true })
  await waitFor(async () => (await subscriptionsOf(socket)) === HEALTHY + count)
  // Looked for while the latency is measured: a cut in the middle of it must not be taken for one at its end.
  const cut = waitFor(async () => (await subscriptionsOf(socket)) === HEALTHY, 30_000, 50).then((tookMs) =>
    tookMs === undefined ? Infinity : performance.now() - stalledAtMs,
  )
  const stopped = latencyOf(await measure(healthy, durationMs))
  const untilCutMs = await cut
  // Until they are back, more has passed than the ring keeps.
  await sleep((1_500 * RING_FRAMES) / FRAMES_PER_SECOND)
  await others.resume()
  await sleep(500)
  const back = await others.report()
  const well = await healthy.report()
  const { maxMiB } = memory.stop()
  await publisher.stop()
  const fillMs = fillTimeMs()
  healthy.end()
  others.end()
  await daemon.stop()
  dir.remove()
  return {
    count,
    alone,
    reading,
    stopped,
    untilCutMs,
    cutLimitMs: fillMs + 2 * SLOW_CONSUMER_MS + CUT_GRACE_MS,
    toldGap: back.toldGap,
    open: back.open,
    uncovered: back.uncovered + well.uncovered,
    duplicates: back.duplicates + well.duplicates,
    healthyCut: HEALTHY - well.open,
    maxMiB,
    ceilingMiB: CEILING_MIB + count * CEILING_PER_STREAM_MIB,
  }
}

/** A Unix socket takes about 213 KB before the daemon sees any backlog (docs/reliability.md §0 finding 10). */
function fillTimeMs() {
  return (1_000 * 230_000) / (FRAMES_PER_SECOND * TEXT_OCTETS)
}

async function subscriptionsOf(socket) {
  return (await request(socket, '/v1/health')).body.subscriptions
}

async function oldestOf(socket) {
  return (await request(socket, '/v1/health')).body.ring.oldest_event_id
}

/** Stopped readers that resume from long ago, and a publisher at full speed: what memory does then. */
async function playMemory(durationMs) {
  const dir = createTempDir()
  const config = { limits: { slow_consumer_ms: SLOW_CONSUMER_MS } }
  const daemon = await startDaemon({ dir, config })
  const { socket } = daemon
  await fillWithLarge(socket)
  const crowd = startCrowd(1)
  const count = 200
  const memory = sampleMemory(daemon.pid)
  const startedMs = performance.now()
  let acked = 0
  do {
    await crowd.open({ socket, count, stopped: true, query: `?after=${await oldestOf(socket)}` })
    await waitFor(async () => (await subscriptionsOf(socket)) === count, 30_000)
    const publisher = startPublisher(socket, { window: 64 })
    await waitFor(async () => (await subscriptionsOf(socket)) === 0, 3 * SLOW_CONSUMER_MS, 100)
    await publisher.stop()
    acked += publisher.acked.length
    await crowd.closeStreams()
    if (performance.now() - startedMs < durationMs) await fillWithLarge(socket)
  } while (performance.now() - startedMs < durationMs)
  const { maxMiB, slopeMiBPerMinute } = memory.stop()
  crowd.end()
  const { peakMiB } = readMemory(daemon.pid)
  await daemon.stop()
  dir.remove()
  return {
    maxMiB,
    peakMiB,
    slopeMiBPerMinute,
    ceilingMiB: CEILING_MIB + count * CEILING_PER_STREAM_MIB,
    acked,
  }
}

/** As large as frames get: a page of them is sixteen times what a stream may hold back. */
async function fillWithLarge(socket) {
  const body = 'x'.repeat(8_000)
  const refs = Array.from({ length: 40 }, () => 'y'.repeat(1_000))
  const make = () => ({
    ...makeFrame(),
    kind: 'agent_handover',
    payload: { previous_session_id: 's', handover_body: body, pointer_refs: refs },
  })
  const publisher = startPublisher(socket, { make, maxFrames: 1_000, window: 16 })
  await publisher.closed
  if (publisher.acked.length === 0)
    throw new Error(`no large frame was taken: ${JSON.stringify(publisher.refused[0])}`)
}

const round = (value) => Math.round(value * 100) / 100

async function run({ minutes, note }) {
  const figures = {}
  let holds = true
  const durationMs = Math.max(1_000, (minutes * 60_000) / 10)
  for (const count of STOPPED) {
    const found = await playNumber(count, { durationMs })
    const ratio = found.stopped.p99 / found.reading.p99
    const isKept =
      (ratio <= MAX_RATIO || found.stopped.p99 <= (minutes < 1 ? NOISE_MS : 0)) &&
      found.untilCutMs <= found.cutLimitMs &&
      found.toldGap === count &&
      found.uncovered === 0 &&
      found.duplicates === 0 &&
      found.healthyCut === 0 &&
      found.maxMiB <= found.ceilingMiB
    holds &&= isKept
    const name = `stopped_${count}`
    figures[`${name}_healthy_p50_p99_ms`] =
      `${round(found.stopped.p50)} ${round(found.stopped.p99)} (all reading ${round(found.reading.p50)} ${round(found.reading.p99)}; ten alone ${round(found.alone.p50)} ${round(found.alone.p99)})`
    figures[`${name}_p99_ratio`] = round(ratio)
    figures[`${name}_p99_ratio_to_ten_alone`] = round(found.stopped.p99 / found.alone.p99)
    figures[`${name}_cut_ms`] = `${Math.round(found.untilCutMs)} of ${Math.round(found.cutLimitMs)}`
    figures[`${name}_told_gap`] = `${found.toldGap}/${count}`
    figures[`${name}_uncovered_duplicates`] = `${found.uncovered} ${found.duplicates}`
    figures[`${name}_rss_max_mib`] = Math.round(found.maxMiB)
    note(`${count} stopped: ${isKept ? 'kept' : 'BROKEN'}`)
  }
  const memory = await playMemory(minutes * 60_000 * 0.5)
  const isFlat = minutes < 1 || memory.slopeMiBPerMinute < 0.02 * memory.maxMiB
  return {
    holds: holds && memory.peakMiB <= memory.ceilingMiB && isFlat,
    slow_consumer_ms: SLOW_CONSUMER_MS,
    ...figures,
    memory_peak_mib: `${Math.round(memory.peakMiB)} of ${Math.round(memory.ceilingMiB)} (200 stopped that resume over 48 MB, ${memory.acked} frames)`,
    memory_slope_mib_per_min: minutes < 1 ? 'not in a round of seconds' : round(memory.slopeMiBPerMinute),
  }
}

export default {
  name: 'stopped-readers',
  promise: 'R-27, R-28',
  summary: '1, 100, 1000 readers that take nothing beside 10 healthy: latency, cuts, gaps, memory',
  run,
}
