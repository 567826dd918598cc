/**
 * Time that stands still and time that jumps: a stopped and resumed daemon, and a wall clock that steps by an
 * hour and by ten years, forwards and back, while frames are published (R-07).
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { request } from '../support/http.mjs'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

const HOUR_S = 3_600
const YEAR_S = 365 * 86_400
const STEPS_S = [HOUR_S, -HOUR_S, 10 * YEAR_S, -10 * YEAR_S]

/** How long a daemon is stopped, in milliseconds; a long round stops it for a share of its minutes. */
const MIN_STOPPED_MS = 1_500
const MAX_STOPPED_MS = 300_000

/** How long it runs before and after each step, in milliseconds. */
const STEP_MS = 400

/** Frames of one publisher between two steps; enough to see order, few enough to keep. */
const PAUSE_MS = 2

/** Created-at plausibility and rates are off: the programs' clock and the daemon's go apart here on purpose. */
const ENV = { AGENTD_PROFILE: 'conformance' }
const CONFIG = { keep_alive_ms: 300 }

export default {
  name: 'clock',
  promise: 'R-07',
  summary:
    'SIGSTOP, and wall-clock steps of an hour and of ten years: no exit, no second daemon, no number twice',
  async run({ minutes, note }) {
    const stopped = await stopAndResume(
      Math.min(MAX_STOPPED_MS, Math.max(MIN_STOPPED_MS, minutes * 15_000)),
      note,
    )
    const library = findFaketime()
    if (library === undefined) note('the wall clock was not stepped: libfaketime is not installed')
    const stepped = library === undefined ? {} : await stepWall(library, note)
    const all = [stopped, stepped]
    const sum = (key) => all.reduce((total, figures) => total + (figures[key] ?? 0), 0)
    const keys = [
      'daemon_exits',
      'second_daemons',
      'numbers_not_consecutive',
      'missing_frames',
      'readers_lost',
      'gaps',
    ]
    const figures = Object.fromEntries(keys.map((key) => [key, sum(key)]))
    return {
      ...figures,
      acked_frames: sum('acked_frames'),
      stopped_ms: stopped.stopped_ms,
      wall_steps: stepped.wall_steps ?? 'not run: libfaketime is not installed',
      keep_alives_after_steps: stepped.keep_alives ?? null,
      ...(library === undefined && { missing: 'libfaketime' }),
      holds: Object.values(figures).every((value) => value === 0) && stepped.keep_alives !== 0,
    }
  },
}

function findFaketime() {
  const roots = ['/usr/lib', '/usr/lib64', '/usr/local/lib']
  const folders = roots
    .filter(existsSync)
    .flatMap((root) => [root, ...readdirSync(root).map((name) => `${root}/${name}`)])
  return folders.map((folder) => `${folder}/faketime/libfaketimeMT.so.1`).find(existsSync)
}

/** A publisher and a reader on one daemon, and what they have to agree on at the end. */
async function observe(daemon) {
  const reader = openReader(daemon.socket, {})
  await reader.until(() => reader.connects > 0)
  const publisher = startPublisher(daemon.socket, { window: 4, pauseMs: PAUSE_MS })
  return {
    reader,
    publisher,
    async finish(note) {
      const isAlive = daemon.isAlive()
      if (!isAlive) note(daemon.stderr().slice(-1_000))
      if (publisher.failure !== undefined) note(`the publisher failed: ${publisher.failure.message}`)
      await publisher.stop()
      const { acked } = publisher
      await reader.until(() => reader.count >= acked.length, 5_000)
      const ring = isAlive ? await readRing(request, daemon.socket) : new Map()
      const seqs = reader.frames.map(({ id }) => Number(id.split('-')[1]))
      const wasCut = reader.socket.destroyed
      reader.close()
      return {
        acked_frames: acked.length,
        daemon_exits: isAlive ? 0 : 1,
        readers_lost: wasCut ? 1 : 0,
        gaps: reader.gaps.length,
        numbers_not_consecutive: seqs.filter((seq, i) => i > 0 && seq !== seqs[i - 1] + 1).length,
        missing_frames: acked.filter(({ frameId, text }) => {
          const found = ring.get(frameId)
          // A step of ten years makes what was there old: retention by age may take it, from the front only.
          return found === undefined
            ? Number(acked[0].eventId.split('-')[1]) >= firstOf(ring)
            : found.text !== text
        }).length,
      }
    },
  }
}

function firstOf(ring) {
  const [first] = ring.values()
  return first === undefined ? 0 : Number(first.eventId.split('-')[1])
}

async function stopAndResume(stoppedMs, note) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir, env: ENV, config: CONFIG })
  const observed = await observe(daemon)
  await sleep(STEP_MS)
  process.kill(daemon.pid, 'SIGSTOP')
  await sleep(stoppedMs / 2)
  const second = await startSecond(dir)
  await sleep(stoppedMs / 2)
  process.kill(daemon.pid, 'SIGCONT')
  const afterwards = await startSecond(dir)
  await sleep(STEP_MS)
  const figures = await observed.finish(note)
  await daemon.stop()
  dir.remove()
  return { ...figures, second_daemons: second + afterwards, stopped_ms: Math.round(stoppedMs) }
}

/** @returns 1 when a second daemon came up in the place of one that is only stopped */
async function startSecond(dir) {
  try {
    const second = await startDaemon({ dir, env: ENV, config: CONFIG })
    await second.stop('SIGKILL')
    return 1
  } catch (error) {
    if (error instanceof StartFailed) return 0
    throw error
  }
}

async function stepWall(library, note) {
  const dir = createTempDir()
  const offset = dir.file('offset')
  const setOffset = (seconds) => writeFileSync(offset, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s\n`)
  setOffset(0)
  const env = {
    ...ENV,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: '1',
    // Only the wall clock steps, as on real machines: timers stay monotonic.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  const daemon = await startDaemon({
    dir,
    env,
    config: { ...CONFIG, ring: { max_age_ms: 100 * YEAR_S * 1_000 } },
  })
  const observed = await observe(daemon)
  const seen = []
  let second = 0
  for (const seconds of STEPS_S) {
    await sleep(STEP_MS)
    setOffset(seconds)
    await sleep(STEP_MS)
    seen.push(await readStep(daemon))
    setOffset(0)
    second += await startSecond(dir)
  }
  const figures = await observed.finish(note)
  const keepAlives = await countKeepAlives(daemon)
  await daemon.stop()
  const steps = seen.map(
    (step, i) => `${STEPS_S[i]}s:${Math.abs(step - STEPS_S[i]) < 60 ? 'seen' : `saw ${step}s`}`,
  )
  // After it all a start finds everything, whatever the clock said when it was written.
  const again = await startDaemon({
    dir,
    env: ENV,
    config: { ...CONFIG, ring: { max_age_ms: 100 * YEAR_S * 1_000 } },
  })
  const ring = await readRing(request, again.socket)
  await again.stop()
  dir.remove()
  const lost = observed.publisher.acked.filter(({ frameId }) => !ring.has(frameId)).length
  return {
    ...figures,
    missing_frames: figures.missing_frames + lost,
    second_daemons: second,
    wall_steps: steps.join(' '),
    keep_alives: keepAlives,
  }
}

/** How far the daemon's wall clock is from ours, in seconds. */
async function readStep(daemon) {
  const { body } = await request(daemon.socket, '/v1/frames?limit=1')
  return Math.round((Date.parse(body.items[0].accepted_at) - Date.now()) / 1_000)
}

/** Timers still run: a silent stream gets its keep-alives. */
async function countKeepAlives(daemon) {
  const reader = openReader(daemon.socket, {})
  await reader.until(() => reader.connects > 0)
  let count = 0
  reader.socket.on('data', (chunk) => {
    count += chunk.split(': keep-alive').length - 1
  })
  await sleep(1_000)
  reader.close()
  return count
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms))
}
