/**
 * who calls everything urgent gets ahead of nobody for long, is told when it is not believed, and costs the
 * others neither a message nor a byte of one.
 */
import { startDaemon } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { openReader } from '../support/reader.mjs'
import { CHANNEL, SENDERS, startSender } from '../support/priority-senders.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

const MIN_LOW_SHARE = 0.05

/** As many as one drain may hand over. */
const MAX_ITEMS = 1_000

/** What `agentd.json` says when nobody says otherwise. */
const SHIPPED = { perMinute: 60, burst: 60 }

/** Off, so that all that is called urgent is: the worst there can be for those that are not. */
const NO_QUOTA = { priority_per_minute: 100_000_000, priority_burst: 100_000_000 }

/** Nothing may be trimmed within a run. */
const RING = { max_frames: 10_000_000, max_bytes: 2 ** 34 }

/**
 * `backlog`: how many of each sender's may wait; `length`: characters of a payload of all but the low one; `part`
 * of the time. One backlog is longer than what a drain looks at in items, one in octets. Of the low ones few wait:
 * whoever stands in line with all the others would get less than its share of it.
 */
const PHASES = [
  { name: 'shipped', limits: {}, backlog: { flood: 1_000, high: 100, low: 20 }, length: 100, part: 0.35 },
  {
    name: 'believed',
    limits: NO_QUOTA,
    backlog: { flood: 4_000, high: 200, low: 20 },
    length: 100,
    part: 0.35,
  },
  { name: 'large', limits: NO_QUOTA, backlog: { flood: 200, high: 10, low: 3 }, length: 250_000, part: 0.3 },
]

const register = async (socket, instrument, fields) =>
  (await request(socket, '/v1/sessions', { json: { instrument, ...fields } })).body.token

/** Drains a mailbox piece by piece and keeps the account of what came, when, beside what waited. */
class Drains {
  /** Event id → times it was handed over. */
  handed = new Map()
  altered = 0
  hidden = 0
  gaps = 0
  /** Items handed over while low ones waited, and how many of them were low. */
  items = 0
  low = 0
  /** The most items that were handed over in a row of drains while a low one waited and none was among them. */
  longestWithoutLow = 0
  #withoutLow = 0
  #parts

  constructor(parts) {
    this.#parts = parts
  }

  /** Empties it; nothing is counted, since whose backlog is over first gets less than its share. */
  async rest() {
    while ((await this.#drain(MAX_ITEMS)).length > 0);
  }

  /** Takes some, while more is being sent. */
  async some(maxItems) {
    const { flood, low } = this.#parts.senders
    const isBacklog = [flood, low].every(({ account }) => account.accepted > account.handed)
    const names = await this.#drain(maxItems)
    if (isBacklog) this.#count(names)
  }

  /** @returns whose items came */
  async #drain(maxItems) {
    const { socket, token, sent } = this.#parts
    const json = { max_items: maxItems, max_bytes: 1_048_576 }
    const { body, text } = await request(socket, '/v1/inbox/drain', { json, token })
    if (body.gap !== null) this.gaps += 1
    // What was accepted has been answered by now, save what was accepted while this was on its way.
    while (body.items.some(({ event_id: id }) => !sent.has(id))) await sleep(1)
    return body.items.map((item) => this.#take(item, text))
  }

  #take({ event_id: id, effective_priority: shown }, text) {
    const { senders, sent } = this.#parts
    const { name, body, effective } = sent.get(id)
    const at = text.indexOf('"envelope":', text.indexOf(`"event_id":"${id}"`)) + '"envelope":'.length
    if (!text.startsWith(`${body},"`, at)) this.altered += 1
    if (shown !== effective) this.hidden += 1
    this.handed.set(id, (this.handed.get(id) ?? 0) + 1)
    senders[name].account.handed += 1
    return name
  }

  #count(names) {
    const low = names.filter((name) => name === 'low').length
    this.items += names.length
    this.low += low
    this.#withoutLow = low > 0 ? 0 : this.#withoutLow + names.length
    this.longestWithoutLow = Math.max(this.longestWithoutLow, this.#withoutLow)
  }
}

/** The live stream of one that reads: everything once, in order, with a remark on what was capped. */
function openLive(socket) {
  const seen = new Map()
  const reader = openReader(socket, {
    query: `?entities=${CHANNEL}`,
    keep: false,
    onEvent: ({ event, id, data, comment = '' }) => {
      if (event !== 'aee_envelope') return
      seen.set(id, { count: (seen.get(id)?.count ?? 0) + 1, data, comment })
    },
  })
  return { reader, seen }
}

/** A line of a digest for people and models names a priority that the daemon does not believe. */
async function countBoasts({ socket, token, sent }) {
  const json = { max_items: 200, max_bytes: 200_000, format: 'text', peek: true }
  const { text } = (await request(socket, '/v1/inbox/drain', { json, token })).body
  if ([...sent.values()].every(({ priority, effective }) => priority === effective)) return 0
  const believed = [...sent.values()].filter(({ effective }) => effective === 'urgent').length
  const said = (text ?? '').split('\n').filter((line) => line.includes('(urgent)')).length
  return Math.max(0, said - believed)
}

async function runPhase(phase, { durationMs, random, dir }) {
  const daemon = await startDaemon({ dir, config: { ring: RING, limits: phase.limits } })
  const { socket } = daemon
  const token = await register(socket, 'box', { mailbox: true, entities: [CHANNEL] })
  const { reader, seen } = openLive(socket)
  await reader.until(() => reader.connects > 0)
  const sent = new Map()
  const senders = {}
  for (const name of Object.keys(SENDERS)) {
    const own = await register(socket, name, { entities: [`agent.${name}`] })
    senders[name] = startSender({ socket, token: own, name, phase, sent })
  }
  const startedMs = performance.now()
  const drains = new Drains({ socket, token, senders, sent })
  const { account } = senders.flood
  // A backlog first; what is handed over before there is one says nothing.
  while (account.accepted < phase.backlog.flood && performance.now() - startedMs < durationMs / 2)
    await sleep(5)
  const boasts = await countBoasts({ socket, token, sent })
  while (performance.now() - startedMs < durationMs) {
    await drains.some(random.between(1, 20))
    await sleep(2)
  }
  await Promise.all(Object.values(senders).map((sender) => sender.stop()))
  const tookMinutes = (performance.now() - startedMs) / 60_000
  await drains.rest()
  await reader.until(() => seen.size >= sent.size, 20_000)
  const threads = await countThreadLies(socket, sent)
  reader.close()
  const exit = await daemon.stop()
  return {
    phase,
    sent,
    senders,
    drains,
    seen,
    reader,
    boasts,
    threads,
    tookMinutes,
    isClean: exit.code === 0,
  }
}

/** Items of the workflows that show another priority than the answer did, or that are not there. */
async function countThreadLies(socket, sent) {
  const known = new Map(sent)
  let lies = 0
  for (const name of Object.keys(SENDERS)) {
    let after = ''
    while (after !== null) {
      const { body } = await request(socket, `/v1/threads/corr-${name}?limit=1000${after}`)
      for (const { event_id: id, effective_priority: shown } of body.items) {
        if (known.get(id)?.effective !== shown) lies += 1
        known.delete(id)
      }
      after = body.next === null ? null : `&after=${body.next}`
    }
  }
  return lies + known.size
}

/** What one phase comes to. */
function figuresOf({ phase, sent, senders, drains, seen, reader, boasts, threads, tookMinutes, isClean }) {
  const all = [...sent]
  const inInbox = all.map(([id]) => drains.handed.get(id) ?? 0)
  const onStream = all.map(([id]) => seen.get(id)?.count ?? 0)
  const seqs = [...seen.keys()].map((id) => Number(id.split('-')[1]))
  const isUnremarked = ([id, { priority, effective }]) => {
    const remark = priority === effective ? '' : `effective_priority=${effective}`
    return (seen.get(id)?.comment ?? '') !== remark
  }
  const { flood, high, low } = senders
  const capped = flood.account.capped + high.account.capped
  const quota = SHIPPED.burst + SHIPPED.perMinute * tookMinutes + 1
  return {
    accepted: [flood, high, low].map(({ account }) => account.accepted).join(' '),
    refused: flood.account.refused + high.account.refused + low.account.refused,
    lost: inInbox.filter((times) => times === 0).length + onStream.filter((times) => times === 0).length,
    doubled: inInbox.filter((times) => times > 1).length + onStream.filter((times) => times > 1).length,
    altered: drains.altered + all.filter(([id, { body }]) => seen.get(id)?.data !== body).length,
    out_of_order: seqs.filter((seq, i) => i > 0 && seq <= seqs[i - 1]).length,
    gaps: reader.gaps.length + drains.gaps,
    low_share: Math.round((drains.low / Math.max(1, drains.items)) * 1_000) / 1_000,
    longest_without_low: drains.longestWithoutLow,
    counted_items: drains.items,
    capped,
    capped_and_hidden: drains.hidden + threads + all.filter(isUnremarked).length,
    boasts_in_a_digest: boasts,
    over_quota:
      phase.name === 'shipped'
        ? [flood, high].filter(({ account }) => account.granted > quota).length + (capped === 0 ? 1 : 0)
        : capped,
    low_capped: low.account.capped,
    is_clean: isClean,
  }
}

/** Names of figures that have to be nothing. */
const NOTHING = [
  'refused',
  'lost',
  'doubled',
  'altered',
  'out_of_order',
  'gaps',
  'capped_and_hidden',
  'boasts_in_a_digest',
  'over_quota',
  'low_capped',
]

async function run({ minutes, random, note }) {
  const figures = {}
  let holds = true
  for (const phase of PHASES) {
    const dir = createTempDir()
    const durationMs = Math.max(4_000, minutes * 60_000 * phase.part)
    const found = figuresOf(await runPhase(phase, { durationMs, random, dir }))
    dir.remove()
    note(`${phase.name} is over`)
    for (const [name, value] of Object.entries(found)) figures[`${phase.name}_${name}`] = value
    holds &&=
      NOTHING.every((name) => found[name] === 0) &&
      found.is_clean &&
      found.counted_items > 0 &&
      found.low_share >= MIN_LOW_SHARE
  }
  return { holds, ...figures }
}

export default {
  name: 'priorities',
  promise: 'R-33',
  summary:
    'one calls everything urgent: the low ones get their share, what is capped says so, nothing is lost or altered',
  run,
}
