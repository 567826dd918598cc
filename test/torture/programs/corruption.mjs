/**
 * Flipped bits, cut ends and empty pages in the files of a daemon that is not running: it starts, gives out
 * nothing that was not accepted, be it a frame, an envelope or what is said of one, throws nothing away, and tells
 * who resumes.
 */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { ENVELOPES, startPublisher } from '../support/publisher.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { compareThread, envelopeSource, readThread } from '../support/workflows.mjs'

const PAGE = 4_096
const FRAMES = 400

/** How a page of an index begins, a leaf or one above them; tables without row ids have the same. */
const INDEX_PAGES = new Set([2, 10])

/** How the name of each workflow begins. */
const KEY = 'workflow-'

/** Workflows of a life, and envelopes of each: enough for an index to have several pages. */
const WORKFLOWS = 5
const ENVELOPES_EACH = 80

/** Envelopes that are fetched one by one in each round, and as many that are sent again. */
const FETCHED = 20
const SENT_AGAIN = 5

/** However long it took to make what is then damaged. */
const MIN_ROUNDS = 3

export default {
  name: 'corruption',
  promise: 'R-23, R-16',
  summary:
    'flips, cuts and zero pages in db, its indexes and wal: no crash, no wrong bytes, nothing deleted, resuming is told',
  async run({ hasTime, random, rounds = Infinity, note }) {
    const origin = await populate()
    const figures = {
      rounds: 0,
      crash_loops: 0,
      crashes: 0,
      wrong_frames: 0,
      wrong_envelopes: 0,
      misjudged_envelopes: 0,
      stores_deleted: 0,
      silent_losses: 0,
      silent_losses_of_envelopes: 0,
      taken_twice: 0,
    }
    Object.assign(figures, {
      quarantined: 0,
      new_epochs: 0,
      untouched: 0,
      undetected: 0,
      refused_new_frames: 0,
    })
    const startMs = []
    while ((hasTime() || figures.rounds < MIN_ROUNDS) && figures.rounds < rounds) {
      figures.rounds += 1
      const which = random.pick(origin.states)
      const dir = createTempDir()
      const damage = spoil(which, dir, random)
      try {
        const before = JSON.stringify(figures)
        await tryOut({ dir, which, figures, startMs, random })
        if (WRONG.some((name) => figures[name] !== JSON.parse(before)[name])) note(damage)
      } catch (error) {
        note(`${damage}: ${error.message}`)
        if (error instanceof StartFailed) figures.crash_loops += 1
        else figures.crashes += 1
      }
      dir.remove()
    }
    for (const { dir } of origin.states) dir.remove()
    return {
      ...figures,
      envelopes: origin.states.at(-1).envelopes.size,
      undetected_rate: Math.round((figures.undetected / Math.max(1, figures.rounds)) * 1_000) / 1_000,
      ...summarise('start_ms', startMs),
      holds: WRONG.every((name) => figures[name] === 0) && figures.rounds > 0,
    }
  },
}

/** Figures that have to be nothing. */
const WRONG = [
  'crash_loops',
  'crashes',
  'wrong_frames',
  'wrong_envelopes',
  'misjudged_envelopes',
  'stores_deleted',
  'silent_losses',
  'silent_losses_of_envelopes',
  'taken_twice',
  'refused_new_frames',
]

const makeOne = () => makeFrame({ text: 'x'.repeat(500) })

/** Two states of one life: most frames in the log, and most in the database. */
async function populate() {
  const dir = createTempDir()
  const accepted = new Map()
  const envelopes = new Map()
  const corrs = []
  const states = []
  for (const signal of ['SIGKILL', 'SIGTERM']) {
    const daemon = await startDaemon({ dir })
    for (let i = 0; i < WORKFLOWS; i += 1) {
      corrs.push(`${KEY}${signal}-${i}`)
      await publishWorkflow(daemon.socket, corrs.at(-1), envelopes)
    }
    const publisher = startPublisher(daemon.socket, { maxFrames: FRAMES, window: 8, make: makeOne })
    await publisher.closed
    for (const { frameId, eventId, text } of publisher.acked) accepted.set(frameId, { eventId, text })
    await daemon.stop(signal)
    const kept = createTempDir()
    for (const name of readdirSync(dir.file('state'))) copyFileSync(dir.file('state', name), kept.file(name))
    const lastId = publisher.acked.at(-1).eventId
    states.push({
      dir: kept,
      lastId,
      accepted: new Map(accepted),
      envelopes: new Map(envelopes),
      corrs: [...corrs],
    })
  }
  dir.remove()
  return { states }
}

/** Sends one workflow and waits until the daemon has answered what it was asked in it. */
async function publishWorkflow(socket, corr, envelopes) {
  const reader = openReader(socket, { query: '?entities=bus.torture,agent.torture' })
  await reader.until(() => reader.connects > 0)
  const make = envelopeSource({ corr, text: 'x'.repeat(300) })
  const publisher = startPublisher(socket, { what: ENVELOPES, make, maxFrames: ENVELOPES_EACH, window: 8 })
  await publisher.closed
  if (publisher.refused.length > 0) throw new Error(JSON.stringify(publisher.refused[0]))
  for (const { reply: _, ...one } of publisher.acked) envelopes.set(one.id, { ...one, corr })
  // Of four the last is for the daemon, which answers it.
  await reader.until(() => reader.frames.length === ENVELOPES_EACH)
  reader.close()
}

/** Copies a state and damages one place of one file. @returns what was done */
function spoil({ dir: from }, dir, random) {
  mkdirSync(dir.file('state'), { mode: 0o700 })
  const names = readdirSync(from.path)
  for (const name of names) copyFileSync(from.file(name), dir.file('state', name))
  const candidates = names.filter(
    (name) => name.startsWith('ring.db') && readFileSync(from.file(name)).length > 0,
  )
  const kind = random.pick(['flip', 'cut', 'zero', 'index'])
  const name = kind === 'index' ? 'ring.db' : random.pick(candidates)
  const bytes = readFileSync(from.file(name))
  const at = kind === 'index' ? placeInIndex(bytes, random) : random.between(0, bytes.length - 1)
  let spoilt = Buffer.from(bytes)
  if (kind === 'flip' || kind === 'index') spoilt[at] ^= 1 << random.between(0, 7)
  else if (kind === 'cut') spoilt = spoilt.subarray(0, at)
  else spoilt.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE)
  writeFileSync(dir.file('state', name), spoilt, { mode: 0o600 })
  return `${kind} at ${at} of ${name}`
}

/**
 * A place in a key of an index: rows are checked by what they hold, and nothing in them says that one is not found
 * any more.
 */
function placeInIndex(bytes, random) {
  const places = []
  for (let start = 0; start + PAGE <= bytes.length; start += PAGE) {
    if (!INDEX_PAGES.has(bytes[start])) continue
    for (
      let at = bytes.indexOf(KEY, start);
      at !== -1 && at < start + PAGE;
      at = bytes.indexOf(KEY, at + 1)
    ) {
      places.push(at + random.between(0, KEY.length - 1))
    }
  }
  return random.pick(places) ?? random.between(0, bytes.length - 1)
}

async function tryOut({ dir, which, figures, startMs, random }) {
  const daemon = await startDaemon({ dir })
  startMs.push(daemon.readyMs)
  const { socket } = daemon
  const epoch = which.lastId.split('-')[0]
  // What the first reading meets may set the store aside; what counts is what is given out.
  const looks = [await lookAtAll(socket, which, random), await lookAtAll(socket, which, random)]
  const { body: health } = await request(socket, '/v1/health')
  const isSame = health.epoch === epoch
  judgeFrames(looks, { which, epoch, figures })
  judgeEnvelopes(looks, { isSame, figures })
  if (isSame) figures.taken_twice += await countTakenTwice(socket, which, random)
  const isTold = await isResumingTold(socket, which, figures)
  const lost = [...which.accepted.keys()].filter((frameId) => !looks[1].ring.has(frameId)).length
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

/** Everything that is given out, in either order: whichever is read first meets the damage. */
async function lookAtAll(socket, which, random) {
  const early = random() < 0.5 ? await readEnvelopes(socket, which, random) : undefined
  const ring = await readRing(request, socket)
  return { ring, envelopes: early ?? (await readEnvelopes(socket, which, random)) }
}

function judgeFrames(looks, { which, epoch, figures }) {
  for (const [frameId, { eventId, text }] of looks.flatMap(({ ring }) => [...ring])) {
    const known = which.accepted.get(frameId)
    const isRight = known?.text === text && (eventId.split('-')[0] !== epoch || eventId === known.eventId)
    if (!isRight) figures.wrong_frames += 1
  }
}

function judgeEnvelopes(looks, { isSame, figures }) {
  const all = looks.map(({ envelopes }) => envelopes)
  figures.wrong_envelopes += all[0].wrong + all[1].wrong
  // Of a store that was set aside while it was read, some was given out and the rest was not.
  for (const { misjudged } of isSame ? all : [all[1]]) figures.misjudged_envelopes += misjudged
  if (isSame && all[0].missing + all[1].missing > 0) figures.silent_losses_of_envelopes += 1
}

/** Whether one that resumes hears that the counter began anew; and whether there are new frames to hear of. */
async function isResumingTold(socket, { lastId }, figures) {
  const reader = openReader(socket, { after: lastId })
  await reader.until(() => reader.connects > 0)
  const { status } = await request(socket, '/v1/frames', { json: { frame: makeFrame({ text: 'after' }) } })
  if (status !== 200) figures.refused_new_frames += 1
  else await reader.until(() => reader.frames.length > 0)
  reader.close()
  return reader.gaps.some(({ reason }) => ['epoch', 'rollback', 'corrupt'].includes(reason))
}

/**
 * Every workflow, and some envelopes by their id.
 *
 * @returns how many are `wrong` (altered, strange), `misjudged` and `missing`
 */
async function readEnvelopes(socket, { envelopes, corrs }, random) {
  const found = { wrong: 0, misjudged: 0, missing: 0 }
  for (const corr of corrs) {
    const items = await readThread(request, socket, corr)
    const acked = new Map([...envelopes].filter(([, { corr: own }]) => own === corr))
    const { missing, altered, strange, misjudged, misplaced } = compareThread(items, {
      acked,
      sent: envelopes,
    })
    found.wrong += altered + strange
    found.misjudged += misjudged + misplaced
    found.missing += missing
  }
  const all = [...envelopes]
  for (let i = 0; i < FETCHED; i += 1) {
    const [id, { text }] = random.pick(all)
    const answer = await request(socket, `/v1/envelopes/${id}`)
    if (answer.status === 404) found.missing += 1
    else if (answer.status !== 200)
      throw new Error(`an envelope was answered with ${answer.status}: ${answer.text}`)
    else if (answer.text !== text) found.wrong += 1
  }
  return found
}

/** Envelopes that were accepted, sent once more: how many get another place. */
async function countTakenTwice(socket, { envelopes }, random) {
  let twice = 0
  for (let i = 0; i < SENT_AGAIN; i += 1) {
    const { text, eventId } = random.pick([...envelopes.values()])
    const headers = { 'content-type': 'application/json' }
    const { body } = await request(socket, '/v1/envelopes', { body: text, headers })
    if (body.duplicate !== true || body.event_id !== eventId) twice += 1
  }
  return twice
}
