/**
 * The second hour: mixed load beside sessions that are left open and never read, and whether anything grows.
 *
 * What fills up by design (the ring, the window of repeated ids, the first reading of the code) does so in the first half;
 * what is judged is the second. Memory is judged by its low points, since what lies above them is garbage that nobody has
 * collected yet.
 *
 * @see R-63
 */
import { startDaemon } from '../support/daemon.mjs'
import { startMixedLoad } from '../support/mixed-load.mjs'
import { slopeOf } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { startVitals } from '../support/vitals.mjs'
import { sleep } from '../support/waiting.mjs'

/** The least a slope can be told from noise in, and what a round of seconds runs instead. */
const LEAST_MINUTES = 2

/** Of a low point of memory: collections of the old generation are seconds apart. */
const LOW_POINT_MS = 5_000

const SAMPLE_MS = 500

/** The ring is full after this share of the round, so that the store has nothing left to grow by. */
const FILLING = 0.25

/**
 * Growth a minute over the second half, as a share of what there is. A round of minutes tells a slope from noise less
 * well than one of twenty; descriptors and the log need no share, they stand still.
 */
const MAX_GROWTH = {
  // Two minutes do not tell a slope of memory from when it was last collected: it is told, and only its height is judged.
  short: { rss: Infinity, store: 0.03, cpu: 0.25 },
  long: { rss: 0.005, store: 0.005, cpu: 0.01 },
}
const LONG_MINUTES = 10

/** As R-28 states it for a daemon that nobody stalls. */
const CEILING_MIB = 384

const MAX_MORE_DESCRIPTORS = 2
const MAX_LOG_OCTETS_PER_MINUTE = 1_024

const round = (value, digits = 2) => Math.round(value * 10 ** digits) / 10 ** digits

/** The lowest sample of each stretch. */
function lowPoints(samples, name) {
  const lowest = new Map()
  for (const sample of samples) {
    const stretch = Math.floor(sample.atMs / LOW_POINT_MS)
    if (!(lowest.get(stretch)?.[name] <= sample[name])) lowest.set(stretch, sample)
  }
  return [...lowest.values()]
}

/** Growth a minute, absolute and as a share of the middle. */
function growthOf(samples, name) {
  const points = samples.map((sample) => ({ x: sample.atMs / 60_000, y: sample[name] }))
  const middle = points.map(({ y }) => y).toSorted((a, b) => a - b)[Math.floor(points.length / 2)] ?? 0
  const perMinute = slopeOf(points)
  return { perMinute, share: middle === 0 ? 0 : perMinute / middle, middle }
}

/** Processor time a frame, over each stretch between two low points. */
function costs(samples) {
  const marks = lowPoints(samples, 'atMs')
  return marks.slice(1).flatMap((mark, i) => {
    const before = marks[i]
    const frames = mark.frames - before.frames
    return frames < 10 ? [] : [{ atMs: mark.atMs, cpuUs: ((mark.cpuMs - before.cpuMs) * 1_000) / frames }]
  })
}

function judge(samples, minutes) {
  const half = samples.filter(({ atMs }) => atMs > minutes * 30_000)
  const rss = growthOf(lowPoints(half, 'rssMiB'), 'rssMiB')
  const store = growthOf(half, 'storeMiB')
  const cpu = growthOf(costs(half), 'cpuUs')
  const descriptors = growthOf(half, 'descriptors').perMinute * (minutes / 2)
  const log = growthOf(half, 'logOctets').perMinute
  const limit = MAX_GROWTH[minutes >= LONG_MINUTES ? 'long' : 'short']
  return {
    holds:
      rss.share <= limit.rss &&
      rss.middle <= CEILING_MIB &&
      store.share <= limit.store &&
      cpu.share <= limit.cpu &&
      descriptors <= MAX_MORE_DESCRIPTORS &&
      log <= MAX_LOG_OCTETS_PER_MINUTE,
    rss_mib: `${round(rss.middle, 1)}, ${round(rss.perMinute)} a minute`,
    store_mib: `${round(store.middle, 1)}, ${round(store.perMinute)} a minute`,
    descriptors: `${growthOf(half, 'descriptors').middle}, ${round(descriptors)} in the second half`,
    log_octets: `${round(log, 0)} a minute`,
    cpu_us_per_frame: `${round(cpu.middle, 0)}, ${round(cpu.perMinute)} a minute`,
  }
}

async function run({ minutes: wished, random, note }) {
  const minutes = Math.max(LEAST_MINUTES, wished)
  const dir = createTempDir()
  // Planned from the pace of the load, and never more than is shipped.
  const maxFrames = Math.min(100_000, Math.floor(startMixedLoad.framesPerSecond * minutes * 60 * FILLING))
  const daemon = await startDaemon({ dir, config: { ring: { max_frames: maxFrames } } })
  const load = startMixedLoad(daemon.socket, { random, rampMs: minutes * 60_000 * FILLING })
  const vitals = startVitals(daemon, { everyMs: SAMPLE_MS, framesOf: () => load.frames })
  for (let minute = 0; minute < minutes; minute += 1) {
    await sleep(Math.min(1, minutes - minute) * 60_000)
    note(`${minute + 1} of ${minutes} minutes, ${load.frames} frames`)
  }
  const samples = vitals.stop()
  const done = await load.stop()
  const isAlive = daemon.isAlive()
  const { code } = await daemon.stop()
  dir.remove()
  const { holds, ...found } = judge(samples, minutes)
  return {
    holds: holds && isAlive && code === 0 && done.unexpected.length === 0,
    minutes,
    ring_frames: maxFrames,
    ...found,
    ...done.counts,
    unexpected: done.unexpected.slice(0, 5),
  }
}

export default {
  name: 'soak',
  promise: 'R-63',
  summary:
    'mixed load beside sessions left open: memory, descriptors, store, log, CPU a frame (two minutes at least)',
  run,
}
