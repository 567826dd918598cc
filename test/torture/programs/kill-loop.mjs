/**
 * kill -9 at random moments under load, and a start after each: what was acknowledged is there, under its number
 * and with its bytes, frame or envelope; no number names two of them; a workflow reads as it was judged; and what is
 * sent again is taken once.
 */
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { ENVELOPES, startPublisher } from '../support/publisher.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { compareThread, envelopeSource, readThread } from '../support/workflows.mjs'
import { SERVICE } from '../support/envelopes.mjs'

/** The longest a daemon lives before it is killed, in milliseconds after it was ready. */
const MAX_LIFE_MS = 400

/** A ring of full size; nothing acknowledged may be trimmed within a run. */
const CONFIG = { ring: { max_frames: 10_000_000, max_bytes: 2 ** 33 } }

/** Frames after which no more are sent, so that a long run does not fill the disk; the same of envelopes. */
const MAX_FRAMES = 1_000_000

/** Acknowledged envelopes that are sent again in the next life, and that are fetched one by one at the end. */
const SENT_AGAIN = 20
const FETCHED = 500

/** What a stream hears beside the frames; only what goes to the daemon itself is silent. */
const QUERY = '?entities=bus.torture,agent.torture'

/** What was promised, and what came. */
class Account {
  /** Frame id → what was promised of it. */
  frames = new Map()
  /** Envelope id → what was promised of it, and what was sent at all. */
  envelopes = new Map()
  sent = new Map()
  corrs = []
  /** Event ids as the streams brought them. */
  got = []
  gaps = 0
  reused = 0
  /** Sent again, and taken as something new, or with another answer than the first time. */
  takenTwice = 0
  wronglyJudged = 0
  refused = 0
  lastId
  /** Every number of every epoch that was ever seen, by an answer or on a stream. */
  #named = new Map()

  get epochs() {
    return new Set([...this.#named.keys()].map((id) => id.split('-')[0])).size
  }

  name(eventId, id) {
    const known = this.#named.get(eventId)
    if (known !== undefined && known !== id) this.reused += 1
    this.#named.set(eventId, id)
  }

  onFrame({ frameId, eventId, text }) {
    this.frames.set(frameId, { eventId, text })
    this.name(eventId, frameId)
  }

  onEnvelope({ reply, ...one }) {
    const { id, eventId, isLate } = one
    const known = this.envelopes.get(id)
    if (known !== undefined && (known.eventId !== eventId || reply.duplicate !== true)) this.takenTwice += 1
    if ((reply.late ?? false) !== isLate) this.wronglyJudged += 1
    this.envelopes.set(id, one)
    this.name(eventId, id)
  }

  onEvent({ event, id, data }) {
    if (event !== 'agent_frame' && event !== 'aee_envelope') return
    const { frame_id: frameId, id: envelopeId } = JSON.parse(data)
    this.name(id, frameId ?? envelopeId)
    this.got.push(id)
  }
}

/** One life of the daemon: two publishers, one reader, and its end. @returns what was sent and never answered */
async function live(daemon, account, { life, random, resend }) {
  const { socket } = daemon
  const reader = openReader(socket, {
    query: account.lastId === undefined ? `${QUERY}&replay=1000` : QUERY,
    ...(account.lastId !== undefined && { after: account.lastId }),
    onEvent: (event) => account.onEvent(event),
    keep: false,
  })
  // Only what somebody has heard of can be sent to.
  await reader.until(() => reader.connects > 0)
  const isFull = account.frames.size >= MAX_FRAMES || account.envelopes.size >= MAX_FRAMES
  const corr = `workflow-${life}`
  account.corrs.push(corr)
  const next = envelopeSource({ corr, resend })
  const make = () => {
    const made = next()
    account.sent.set(made.id, made)
    return made
  }
  const publishers = isFull
    ? []
    : [
        startPublisher(socket, { onAck: (one) => account.onFrame(one) }),
        startPublisher(socket, { what: ENVELOPES, make, onAck: (one) => account.onEnvelope(one) }),
      ]
  await new Promise((done) => setTimeout(done, random.between(0, MAX_LIFE_MS)))
  await daemon.stop('SIGKILL')
  await Promise.all(publishers.map(({ closed }) => closed))
  account.gaps += reader.gaps.length
  account.lastId = reader.lastId ?? account.lastId
  account.refused += publishers.reduce((sum, { refused }) => sum + refused.length, 0)
  reader.close()
  const again = Array.from({ length: SENT_AGAIN }, () => random.pick([...account.envelopes.values()]))
  return [...(publishers[1]?.waiting ?? []), ...again.filter((one) => one !== undefined)]
}

/** What the last daemon has of it all. */
async function lookBack(daemon, account, random) {
  const { socket } = daemon
  const reader = openReader(socket, {
    query: QUERY,
    ...(account.lastId !== undefined && { after: account.lastId }),
    keep: false,
    onEvent: (event) => account.onEvent(event),
  })
  const marker = await request(socket, '/v1/frames', { json: { frame: makeFrame() } })
  const newest = marker.body.event_id
  await reader.until(() => account.got.at(-1) === newest, 60_000)
  account.gaps += reader.gaps.length
  reader.close()
  const ring = await readRing(request, socket)
  const found = { missing: 0, altered: 0, strange: 0, misjudged: 0, misplaced: 0 }
  const silent = new Set()
  let envelopes = 0
  for (const corr of account.corrs) {
    const items = await readThread(request, socket, corr)
    const isOf = ([, { corr: own }]) => own === corr
    const acked = new Map([...account.envelopes].filter(isOf))
    for (const [name, count] of Object.entries(compareThread(items, { acked, sent: account.sent })))
      found[name] += count
    for (const { event_id: id, envelope } of items) if (envelope.to === SERVICE) silent.add(seqOf(id))
    envelopes += items.filter(({ envelope }) => envelope.from !== SERVICE).length
  }
  const all = [...account.envelopes]
  for (let i = 0; i < Math.min(FETCHED, all.length); i += 1) {
    const [id, { text }] = random.pick(all)
    if ((await request(socket, `/v1/envelopes/${id}`)).text !== text) found.altered += 1
  }
  return { ring, newest, found, silent, envelopes }
}

function seqOf(id) {
  return Number(id.split('-')[1])
}

/** Places where a stream went back, or passed over something it should have brought. */
function countDisorder(got, silent) {
  let disorder = 0
  let last
  for (const seq of got.map(seqOf)) {
    if (last !== undefined) {
      if (seq <= last) disorder += 1
      for (let passed = last + 1; passed < seq; passed += 1) if (!silent.has(passed)) disorder += 1
    }
    last = seq
  }
  return disorder
}

export default {
  name: 'kill-loop',
  promise: 'R-06, R-14, R-18, R-20',
  summary:
    'kill -9 at random moments under load; nothing acknowledged is lost or misjudged, no number is given out twice',
  async run({ hasTime, random, rounds = Infinity, note }) {
    const dir = createTempDir()
    const account = new Account()
    const readyMs = []
    const figures = { kills: 0, failed_starts: 0, manual_steps: 0 }
    let resend = []
    while ((hasTime() || figures.kills < 3) && figures.kills < rounds) {
      let daemon
      try {
        daemon = await startDaemon({ dir, config: CONFIG })
      } catch (error) {
        if (!(error instanceof StartFailed)) throw error
        figures.failed_starts += 1
        note(error.message)
        break
      }
      readyMs.push(daemon.readyMs)
      resend = await live(daemon, account, { life: figures.kills, random, resend })
      figures.kills += 1
    }

    const daemon = await startDaemon({ dir, config: CONFIG })
    readyMs.push(daemon.readyMs)
    const { ring, newest, found, silent, envelopes } = await lookBack(daemon, account, random)
    await daemon.stop()
    dir.remove()

    let missing = 0
    let altered = 0
    for (const [frameId, { eventId, text }] of account.frames) {
      const kept = ring.get(frameId)
      if (kept === undefined) missing += 1
      else if (kept.eventId !== eventId || kept.text !== text) altered += 1
    }
    const { got, gaps, reused, epochs, takenTwice, wronglyJudged, refused } = account
    const disorder = countDisorder(got, silent)
    return {
      ...figures,
      epochs,
      acked_frames: account.frames.size,
      acked_envelopes: account.envelopes.size,
      acked_but_missing: missing + found.missing,
      acked_but_altered: altered + found.altered,
      unacked_frames_present: ring.size - 1 - (account.frames.size - missing),
      unacked_envelopes_present: envelopes - (account.envelopes.size - found.missing),
      envelopes_nobody_sent: found.strange,
      envelopes_misjudged: found.misjudged + wronglyJudged,
      envelopes_misplaced: found.misplaced,
      sent_again_and_taken_twice: takenTwice,
      refused,
      numbers_reused: reused,
      stream_items: got.length,
      stream_not_consecutive: disorder,
      stream_gaps: gaps,
      ...summarise('restart_to_ready_ms', readyMs),
      holds:
        figures.failed_starts + missing + altered + reused + disorder + gaps === 0 &&
        Object.values(found).every((count) => count === 0) &&
        takenTwice + wronglyJudged + refused === 0 &&
        epochs <= 1 &&
        got.at(-1) === newest,
    }
  },
}
