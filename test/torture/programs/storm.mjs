/**
 * ten thousand subscribers at once, one broadcast to all of them, and all of them back after a restart.
 */
import { setTimeout as sleepFor } from 'node:timers/promises'
import { countDescriptors, startDaemon } from '../support/daemon.mjs'
import { startCrowd } from '../support/crowd.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { readMemory } from '../support/vitals.mjs'
import { waitFor } from '../support/waiting.mjs'

const WANTED = 10_000
/** A short round on a small machine; the promise is about ten thousand. */
const WANTED_SHORT = 3_000
const CONNECT_LIMIT_MS = 10_000
/** Descriptors a process needs besides its streams. */
const SPARE = 256
const PROCESSES = 4
const BROADCASTS = 5

/** @returns how many streams this machine's limits admit, in the daemon and in each process of the crowd */
function admitted(wanted, limit) {
  return Math.min(wanted, limit - SPARE, PROCESSES * (limit - SPARE))
}

async function broadcast(socket, crowd, count) {
  await crowd.report()
  const before = (await crowd.report()).frames
  for (let i = 0; i < BROADCASTS; i += 1) {
    const frame = makeFrame({ text: `torture:${process.hrtime.bigint()}:` })
    const { body } = await request(socket, '/v1/frames', { json: { frame }, timeoutMs: 30_000 })
    if (body.recipient_count !== count) return { reached: body.recipient_count, latencies: [] }
    await sleepFor(300)
  }
  const latencies = []
  await waitFor(
    async () => {
      const report = await crowd.report()
      latencies.push(...report.latencies)
      return report.frames >= before + count * BROADCASTS
    },
    20_000,
    100,
  )
  return { reached: count, latencies }
}

const round = (value) => (value === null ? null : Math.round(value * 10) / 10)

async function run({ minutes, note }) {
  const limit = descriptorLimit()
  const count = admitted(minutes < 0.5 ? WANTED_SHORT : WANTED, limit)
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const idle = readMemory(daemon.pid)
  const idleDescriptors = countDescriptors(daemon.pid)
  const crowd = startCrowd(PROCESSES)
  const opened = await crowd.open({ socket, count, timeoutMs: 30_000 })
  const connectedPercent = (100 * opened.open) / count
  const first = await crowd.report()
  note(`${opened.open} connected in ${Math.round(opened.tookMs)} ms, EAGAIN ${first.eagain}`)
  const full = readMemory(daemon.pid)
  const sent = await broadcast(socket, crowd, count)
  note('broadcast done')

  const exit = await daemon.stop()
  const gone = await waitFor(async () => (await crowd.report()).open === 0, 10_000, 100)
  const left = await crowd.report()
  const again = await startDaemon({ dir })
  const returned = await crowd.reopen({ timeoutMs: 30_000 })
  const back = await crowd.report()
  note(`${back.open} back in ${Math.round(returned.tookMs)} ms, EAGAIN ${back.eagain - first.eagain}`)
  const resent = await broadcast(socket, crowd, count)
  const end = await crowd.report()
  await crowd.closeStreams()
  const freed = await waitFor(() => countDescriptors(again.pid) <= idleDescriptors + 2, 10_000, 50)
  crowd.end()
  await again.stop()
  dir.remove()
  return {
    holds:
      connectedPercent === 100 &&
      opened.tookMs <= CONNECT_LIMIT_MS &&
      back.open === count &&
      sent.latencies.length === count * BROADCASTS &&
      resent.latencies.length === count * BROADCASTS &&
      end.uncovered + end.duplicates + end.refused === 0 &&
      gone !== undefined &&
      freed !== undefined &&
      exit.code === 0,
    subscribers: count,
    connected_percent: connectedPercent,
    connect_ms: Math.round(opened.tookMs),
    eagain_at_connect: first.eagain,
    broadcast_reached: sent.reached,
    fan_out_ms_p50: round(quantile(sent.latencies, 0.5)),
    fan_out_ms_p99: round(quantile(sent.latencies, 0.99)),
    byes: left.byes.shutdown ?? 0,
    stop_exit: exit.code,
    returned: back.open,
    return_ms: Math.round(returned.tookMs),
    eagain_at_return: back.eagain - first.eagain,
    fan_out_after_ms_p50: round(quantile(resent.latencies, 0.5)),
    fan_out_after_ms_p99: round(quantile(resent.latencies, 0.99)),
    uncovered: end.uncovered,
    duplicates: end.duplicates,
    rss_per_subscriber_kib: round(((full.rssMiB - idle.rssMiB) * 1024) / count),
    rss_peak_mib: round(full.peakMiB),
    descriptors_freed_ms: round(freed ?? null),
  }
}

function descriptorLimit() {
  const { hard } = process.report.getReport().userLimits.open_files
  return hard === 'unlimited' ? Infinity : Number(hard)
}

export default {
  name: 'storm',
  promise: 'R-29',
  summary:
    '10 000 subscribers (3 000 in a short round): connect storm, broadcast, mass return after a restart',
  run,
}
