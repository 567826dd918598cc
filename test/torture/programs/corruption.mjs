/**
 * Flipped bits, cut ends and empty pages in the files of a daemon that is not running: it starts, gives out
 * nothing that was not accepted, throws nothing away, and tells who resumes.
 */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

const PAGE = 4_096
const FRAMES = 400

export default {
  name: 'corruption',
  promise: 'R-23, R-16',
  summary:
    'flips, cuts and zero pages in db and wal: no crash, no wrong bytes, nothing deleted, resuming is told',
  async run({ hasTime, random, rounds = Infinity, note }) {
    const origin = await populate()
    const figures = {
      rounds: 0,
      crash_loops: 0,
      crashes: 0,
      wrong_frames: 0,
      stores_deleted: 0,
      silent_losses: 0,
    }
    Object.assign(figures, {
      quarantined: 0,
      new_epochs: 0,
      untouched: 0,
      undetected: 0,
      refused_new_frames: 0,
    })
    const startMs = []
    while (hasTime() && figures.rounds < rounds) {
      figures.rounds += 1
      const which = random.pick(origin.states)
      const dir = createTempDir()
      const damage = spoil(which, dir, random)
      try {
        await tryOut({ dir, which, origin, figures, startMs })
      } catch (error) {
        note(`${damage}: ${error.message}`)
        if (error instanceof StartFailed) figures.crash_loops += 1
        else figures.crashes += 1
      }
      dir.remove()
    }
    for (const { dir } of origin.states) dir.remove()
    const { crash_loops, crashes, wrong_frames, stores_deleted, silent_losses, refused_new_frames } = figures
    return {
      ...figures,
      undetected_rate: Math.round((figures.undetected / Math.max(1, figures.rounds)) * 1_000) / 1_000,
      ...summarise('start_ms', startMs),
      holds:
        crash_loops + crashes + wrong_frames + stores_deleted + silent_losses + refused_new_frames === 0 &&
        figures.rounds > 0,
    }
  },
}

const makeOne = () => makeFrame({ text: 'x'.repeat(500) })

/** Two states of one life: most frames in the log, and most in the database. */
async function populate() {
  const dir = createTempDir()
  const accepted = new Map()
  const states = []
  for (const signal of ['SIGKILL', 'SIGTERM']) {
    const daemon = await startDaemon({ dir })
    const publisher = startPublisher(daemon.socket, { maxFrames: FRAMES, window: 8, make: makeOne })
    await publisher.closed
    for (const { frameId, eventId, text } of publisher.acked) accepted.set(frameId, { eventId, text })
    await daemon.stop(signal)
    const kept = createTempDir()
    for (const name of readdirSync(dir.file('state'))) copyFileSync(dir.file('state', name), kept.file(name))
    states.push({ dir: kept, lastId: publisher.acked.at(-1).eventId, accepted: new Map(accepted) })
  }
  dir.remove()
  return { states }
}

/** Copies a state and damages one place of one file. @returns what was done */
function spoil({ dir: from }, dir, random) {
  mkdirSync(dir.file('state'), { mode: 0o700 })
  const names = readdirSync(from.path)
  for (const name of names) copyFileSync(from.file(name), dir.file('state', name))
  const candidates = names.filter(
    (name) => name.startsWith('ring.db') && readFileSync(from.file(name)).length > 0,
  )
  const name = random.pick(candidates)
  const bytes = readFileSync(from.file(name))
  const kind = random.pick(['flip', 'cut', 'zero'])
  const at = random.between(0, bytes.length - 1)
  let spoilt = Buffer.from(bytes)
  if (kind === 'flip') spoilt[at] ^= 1 << random.between(0, 7)
  else if (kind === 'cut') spoilt = spoilt.subarray(0, at)
  else spoilt.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE)
  writeFileSync(dir.file('state', name), spoilt, { mode: 0o600 })
  return `${kind} at ${at} of ${name}`
}

async function tryOut({ dir, which, figures, startMs }) {
  const daemon = await startDaemon({ dir })
  startMs.push(daemon.readyMs)
  // What the first reading meets may set the store aside; what counts is what is given out.
  const first = await readRing(request, daemon.socket)
  const ring = await readRing(request, daemon.socket)
  const { body: health } = await request(daemon.socket, '/v1/health')
  const epoch = which.lastId.split('-')[0]
  const isSame = health.epoch === epoch
  for (const [frameId, { eventId, text }] of [...first, ...ring]) {
    const known = which.accepted.get(frameId)
    const isRight = known?.text === text && (eventId.split('-')[0] !== epoch || eventId === known.eventId)
    if (!isRight) figures.wrong_frames += 1
  }
  const reader = openReader(daemon.socket, { after: which.lastId })
  await reader.until(() => reader.connects > 0)
  const { status } = await request(daemon.socket, '/v1/frames', {
    json: { frame: makeFrame({ text: 'after' }) },
  })
  if (status !== 200) figures.refused_new_frames += 1
  else await reader.until(() => reader.frames.length > 0)
  const isTold = reader.gaps.some(({ reason }) => ['epoch', 'rollback', 'corrupt'].includes(reason))
  reader.close()
  const lost = [...which.accepted.keys()].filter((frameId) => !ring.has(frameId)).length
  const names = readdirSync(dir.file('state'))
  if (names.some((name) => name.startsWith('ring.corrupt-'))) figures.quarantined += 1
  if (!isSame) figures.new_epochs += 1
  else if (lost === 0) figures.untouched += 1
  else figures.undetected += 1
  // Whoever resumes has to hear of a new life of the counter; losing frames without one is worse than that.
  if ((!isSame && !isTold) || (isSame && lost > 0)) figures.silent_losses += 1
  if (!names.includes('ring.db')) figures.stores_deleted += 1
  if (!daemon.isAlive()) figures.crashes += 1
  await daemon.stop('SIGKILL')
}
