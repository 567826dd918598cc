/** S-04: what a frame, a start and each way to look back cost over the number of frames kept on the disk. */
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { compete } from '../support/contest.mjs'
import { growthLines } from '../support/curve.mjs'
import { request } from '../support/http.mjs'
import { measureThroughput, sendFrames } from '../support/load.mjs'
import { timeReplay } from '../support/replay.mjs'
import { findDependency } from '../support/root.mjs'
import { startTimed } from '../support/starting.mjs'
import { median } from '../support/statistics.mjs'

const WINDOW = 256

/** Never the bound that trims: a million frames come to about one GiB. */
const MAX_BYTES = 64 * 1024 ** 3

const PAGE_FRAMES = 50

/** How far a reader that resumes is behind. */
const BEHIND_FRAMES = 10

/** One of each sample's members: what the line calls it, its unit, and the panel that shows it. */
const MEASURES = {
  cpuMicros: { name: 'server CPU per accepted frame', unit: 'µs', panel: 'cpu' },
  startMs: { name: 'start to first answer', unit: 'ms', panel: 'time' },
  killedMs: { name: 'start after kill -9', unit: 'ms', panel: 'time' },
  firstLookMs: { name: 'first look-up of a frame after a start', unit: 'ms', panel: 'time' },
  lookMs: { name: 'look-up of a frame', unit: 'ms', panel: 'time' },
  pageMs: { name: `newest page of ${PAGE_FRAMES}`, unit: 'ms', panel: 'time' },
  resumeMs: { name: `resume ${BEHIND_FRAMES} frames behind`, unit: 'ms', panel: 'time' },
}

export const row = {
  id: 'S-04',
  boundMs: 1_200_000,
  reason:
    'Ids have no index on the disk: it would cost every frame 5 µs more with 100 000 of them and 12 with ' +
    'a million. The first look-up of an older one reads them all, once, in steps that hold up nobody ' +
    'else. The newest page and a resume come from memory up to 4 096 frames, and from the disk beyond.',
  async run(context) {
    if (findDependency('better-sqlite3') === undefined) {
      const missing = { figure: null, peer: null, held: null, note: 'better-sqlite3 is not installed' }
      return [{ what: 'costs over the size of the ring', ...missing }]
    }
    const rings = []
    try {
      for (const frames of context.scale.rings) {
        // What the daemon before left is not this sender's, and no sender may push more than its share of that out.
        const place = prepareDaemon({
          ring: { max_frames: frames, max_bytes: MAX_BYTES },
          limits: { share_percent: 100 },
        })
        rings.push({ name: frames, place })
        await fill(context, { place, frames })
      }
      const samples = await compete(context, rings, (ring) => measureRing(context, ring))
      return Object.entries(MEASURES).flatMap(([member, measure]) => linesOf(samples, member, measure))
    } finally {
      for (const { place } of rings) place.dir.remove()
    }
  },
}

/** As many as the ring may hold, so that from now on each new frame pushes an old one out. */
async function fill({ note }, { place, frames }) {
  const daemon = await startAgentd({ place })
  try {
    const startedMs = performance.now()
    await sendFrames(daemon, { count: frames, window: WINDOW })
    const { ring } = await daemon.health()
    if (ring.frames !== frames) throw new Error(`the ring holds ${ring.frames} frames instead of ${frames}`)
    const seconds = (performance.now() - startedMs) / 1_000
    note(`  ${frames} frames, ${ring.bytes} bytes, in ${seconds.toFixed(1)} s`)
  } finally {
    await daemon.halt()
  }
}

/** What looks back comes before what writes, so that the frames come from the disk and not from this life's memory. */
async function measureRing({ scale }, { name: frames, place }) {
  const { ms: startMs, daemon } = await startTimed(place)
  try {
    const back = await measureLooks(daemon, { frames, looks: scale.looks })
    const settings = { subscribers: 0, window: WINDOW }
    await measureThroughput(daemon, { ...settings, ...scale.heat })
    const { cpuMicros } = await measureThroughput(daemon, { ...settings, ...scale.load })
    await daemon.halt('SIGKILL')
    const { ms: killedMs, daemon: next } = await startTimed(place)
    await next.halt()
    return { startMs, killedMs, cpuMicros, ...back }
  } finally {
    await daemon.halt()
  }
}

/** The middle of many looks of each kind; the first look-up by id stands for itself, as it is another one. */
async function measureLooks({ socketPath, health }, { frames, looks }) {
  const { ring } = await health()
  const [epoch, newest] = ring.newest_event_id.split('-')
  const back = (count) => `${epoch}-${Number(newest) - count}`
  const page = await repeat(looks, () => timePage(socketPath))
  const resume = await repeat(looks, () =>
    timeReplay(socketPath, { after: back(BEHIND_FRAMES), frames: BEHIND_FRAMES }),
  )
  const ids = await readIds(socketPath, { after: back(Math.floor(frames / 2)), limit: looks + 1 })
  const [first, ...rest] = await repeat(ids.length, (i) => timeLookUp(socketPath, ids[i]))
  return { pageMs: median(page), resumeMs: median(resume), firstLookMs: first, lookMs: median(rest) }
}

async function repeat(times, time) {
  const results = []
  for (let i = 0; i < times; i += 1) results.push(await time(i))
  return results
}

async function timePage(socketPath) {
  const startedMs = performance.now()
  const { body } = await request(socketPath, `/v1/frames?limit=${PAGE_FRAMES}`)
  const ms = performance.now() - startedMs
  if (body?.items?.length !== PAGE_FRAMES) throw new Error(`a page held ${body?.items?.length} frames`)
  return ms
}

async function timeLookUp(socketPath, id) {
  const startedMs = performance.now()
  const { body } = await request(socketPath, `/v1/frames/${id}`)
  const ms = performance.now() - startedMs
  if (body?.frame_id !== id) throw new Error(`${id} was answered as ${JSON.stringify(body)}`)
  return ms
}

async function readIds(socketPath, { after, limit }) {
  const { body } = await request(socketPath, `/v1/frames?after=${after}&limit=${limit}`)
  return body.items.map(({ frame }) => frame.frame_id)
}

function linesOf(samples, member, { name, unit, panel }) {
  // Without /proc there is no CPU time.
  if ([...samples.values()].flat().some((sample) => sample[member] === null)) return []
  return growthLines(samples, {
    what: (size) => `${name}, ring of ${size}`,
    unit,
    point: { panel, series: name },
    read: (sample) => sample[member],
  })
}
