/**
 * Everything one session may try against another, under both `auth` modes: its mail, its receipts, its name, its
 * place, its leases, its turn.
 *
 * The stranger is a session of the same person with a token of its own, and, where a token is not asked for, a program
 * without one. What it may do as any session may (send, read what is broadcast) is no attempt.
 *
 * @see R-64; HD-01 … HD-08, HD-23
 */
import { readFileSync } from 'node:fs'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { makeEnvelope } from '../support/envelopes.mjs'
import { request } from '../support/http.mjs'
import { startParty } from '../support/party.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

/** The daemon, the person's own headers, and what the parties do most. */
class Stage {
  constructor(daemon, headers) {
    this.socket = daemon.socket
    this.headers = headers
    this.home = startParty()
    this.abroad = startParty()
  }

  /** As a program of the person's that is none of the victim's, with the key where one is asked for. */
  asProgram(path, options = {}) {
    return this.abroad.request(this.socket, path, { ...options, headers: this.headers })
  }

  as({ party, token }, path, options = {}) {
    return party.request(this.socket, path, { ...options, token, headers: this.headers })
  }

  /** @throws Error for a registration that was refused */
  async open(party, name, members = {}) {
    const json = { instrument: name, mailbox: true, pid: party.pid, ...members }
    const { status, body } = await this.as({ party }, '/v1/sessions', { json })
    if (status >= 300) throw new Error(`${name} could not register: ${status} ${body?.code}`)
    return { ...body, party }
  }

  /** A frame of the sender's to one other session, by its address. */
  async tell(sender, recipient, text) {
    const frame = makeFrame({ text, drafted_with: `~${sender.instrument}` })
    const { body } = await this.as(sender, '/v1/frames', {
      json: { recipient_scope: recipient.address, frame },
    })
    return { ...body, frame_id: frame.frame_id }
  }

  async unreadOf(session) {
    return (await this.as(session, '/v1/sessions/self')).body?.mailbox?.unread
  }

  async receiptOf(sender, { frame_id: id }, recipient) {
    const { body } = await this.as(sender, `/v1/frames/${id}`)
    return body?.receipts?.find(({ address }) => address === recipient.address)?.state
  }
}

/** Refused, and with a word that says why. */
const refused = ({ status, body }) =>
  status >= 400 && status < 500 && typeof body?.code === 'string' ? undefined : `answered ${status}`

/**
 * What is tried. Each gets a fresh victim with one message waiting, a stranger, a friend who sent the message, and the
 * stage; it says what went wrong, or nothing.
 */
const ATTEMPTS = {
  'to inherit from it while it lives': ({ stage, victim }) =>
    stage
      .asProgram('/v1/sessions', {
        json: { instrument: 'heir', mailbox: true, successor_of: nameOf(victim) },
      })
      .then(refused),
  'to inherit from it with a token of its own': ({ stage, stranger, victim }) =>
    stage
      .as(stranger, '/v1/sessions', { json: { ...wishOf(stranger), successor_of: nameOf(victim) } })
      .then(refused),
  'to say seen in its name by what waits for it': async ({ stage, stranger, message, friend, victim }) => {
    await stage.as(stranger, '/v1/seen', { json: { event_ids: [message.event_id] } })
    const state = await stage.receiptOf(friend, message, victim)
    return state === 'queued' ? undefined : `its receipt says ${state}`
  },
  'to say dropped for it': async ({ stage, stranger, message, friend, victim }) => {
    await stage.as(stranger, '/v1/seen', { json: { event_ids: [message.event_id], state: 'dropped' } })
    const state = await stage.receiptOf(friend, message, victim)
    return state === 'queued' ? undefined : `its receipt says ${state}`
  },
  'to stop the daemon under it': ({ stage, stranger }) =>
    stage.as(stranger, '/v1/stop', { method: 'POST' }).then(refused),
  'to say seen up to the newest': async ({ stage, stranger, message, friend, victim }) => {
    await stage.as(stranger, '/v1/seen', { json: { up_to: message.event_id } })
    const state = await stage.receiptOf(friend, message, victim)
    return state === 'queued' ? undefined : `its receipt says ${state}`
  },
  'to find its mail in an inbox of its own': async ({ stage, stranger }) => {
    const { body } = await stage.as(stranger, '/v1/inbox/drain', { json: {} })
    const found = body.items.filter(({ frame }) => frame?.payload.broadcast_text.startsWith('for the victim'))
    return found.length === 0 ? undefined : `${found.length} of its messages`
  },
  'to take its address': ({ stage, victim }) =>
    stage.asProgram('/v1/sessions', { json: wishOf(victim) }).then(refused),
  'to take its address with a token of its own': ({ stage, stranger, victim }) =>
    stage.as(stranger, '/v1/sessions', { json: wishOf(victim) }).then(refused),
  'to stream as it': ({ stage, stranger, victim }) =>
    stage
      .as(
        stranger,
        `/v1/handles/~alice/stream?instrument=${victim.instrument}&session_id=${victim.session_id}`,
      )
      .then(refused),
  'to speak as it': ({ stage, stranger, victim }) =>
    stage
      .as(stranger, '/v1/frames', { json: { frame: makeFrame({ drafted_with: `~${victim.instrument}` }) } })
      .then(refused),
  'to speak as an entity of its': ({ stage, stranger, victim }) =>
    stage
      .as(stranger, '/v1/envelopes', { json: makeEnvelope({ from: victim.entity, to: 'bus.torture' }) })
      .then(refused),
  'to end it': async ({ stage, stranger, victim }) => {
    const path = `/v1/sessions/${encodeURIComponent(victim.address)}`
    return refused(await stage.as(stranger, path, { method: 'DELETE' }))
  },
  'to have what was sent to it forgotten': ({ stage, stranger, message }) =>
    stage.as(stranger, `/v1/frames?frame_id=${message.frame_id}`, { method: 'DELETE' }).then(refused),
  'to take its lease away': async ({ stage, stranger, victim }) => {
    const lock = await stage.as(victim, '/v1/verbs/agent_lock_acquire', { json: { resource: 'src/auth.ts' } })
    // A release by somebody else is a frame like any other; whose word counts is for the readers (R-40b).
    const release = await stage.as(stranger, '/v1/verbs/agent_lock_release', {
      json: { lease_id: lock.body.lease_id },
    })
    const { body } = await stage.as(victim, `/v1/frames?handle=~alice&limit=1000`)
    const ended =
      body.frames?.filter(({ frame, sender }) => isRelease(frame, lock) && sender === victim.address) ?? []
    return ended.length === 0 ? undefined : `released under its address: ${release.status}`
  },
}

const nameOf = ({ instrument, session_id: id }) => `${instrument}@${id}`
const wishOf = ({ instrument, session_id: id }) => ({ instrument, session_id: id, mailbox: true })
const isRelease = (frame, lock) =>
  frame?.kind === 'agent_lock_release' && frame.payload.lease_id === lock.body.lease_id

/** One attempt, and what it must not have changed. */
async function attempt(stage, name, act, round) {
  const suffix = `${Object.keys(ATTEMPTS).indexOf(name)}-${round}`
  const entity = `agent.victim-${suffix}`
  const victim = { ...(await stage.open(stage.home, `victim-${suffix}`, { entities: [entity] })), entity }
  const stranger = await stage.open(stage.abroad, `stranger-${suffix}`)
  const friend = await stage.open(stage.home, `friend-${suffix}`)
  const message = await stage.tell(friend, victim, 'for the victim')
  const defects = [await act({ stage, victim, stranger, friend, message })]
  const unread = await stage.unreadOf(victim)
  if (unread < 1) defects.push(`nothing waits for it any more: ${unread}`)
  const drained = await stage.as(victim, '/v1/inbox/drain', { json: { via: 'inbox' } })
  const got = drained.body?.items?.some(({ frame }) => frame?.frame_id === message.frame_id)
  if (got !== true) defects.push('it did not get its message')
  const state = await stage.receiptOf(friend, message, victim)
  if (state !== 'seen') defects.push(`after it read, its receipt says ${state}`)
  for (const one of [victim, stranger, friend]) await stage.as(one, '/v1/sessions/self', { method: 'DELETE' })
  return defects.filter((defect) => defect !== undefined).map((defect) => `${name}: ${defect}`)
}

/** Without the person's key and without a token: what is left of the API where tokens are asked for. */
async function tryUnknown({ socket }) {
  const tries = {
    '/v1/sessions': { json: { instrument: 'nobody' } },
    '/v1/frames': { json: { frame: makeFrame() } },
    '/v1/verbs/agent_advise': { json: { text: 'forged' } },
    '/v1/handles/~alice/roster': {},
    '/v1/handles/~alice/stream': {},
    '/v1/frames?handle=~alice': {},
    '/v1/frames?kind=agent_broadcast': { method: 'DELETE' },
    '/v1/inbox/drain': { json: {} },
    '/v1/envelopes': { json: makeEnvelope() },
    '/v1/metrics': {},
  }
  const defects = []
  for (const [path, options] of Object.entries(tries)) {
    for (const authorization of [undefined, 'Bearer AAAA', `Bearer ${'A'.repeat(43)}`]) {
      const headers = authorization === undefined ? {} : { authorization }
      const { status } = await request(socket, path, { ...options, headers })
      if (status !== 401) defects.push(`unknown: ${path} answered ${status}`)
    }
  }
  return { tried: Object.keys(tries).length * 3, defects }
}

/** What the person's programs show in place of a token. */
function keyOf(dir) {
  return { 'agentd-key': readFileSync(dir.file('state', 'person.key'), 'utf8').trim() }
}

async function playMode(auth, { hasTime, rounds }) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir, config: { auth } })
  const stage = new Stage(daemon, auth === 'session' ? keyOf(dir) : {})
  const found = { tried: 0, defects: [] }
  for (let round = 0; round < (rounds ?? Infinity) && (round === 0 || hasTime()); round += 1) {
    for (const [name, act] of Object.entries(ATTEMPTS)) {
      found.tried += 1
      found.defects.push(...(await attempt(stage, name, act, round)).map((defect) => `${auth}, ${defect}`))
    }
  }
  if (auth === 'session') {
    const unknown = await tryUnknown(stage)
    found.tried += unknown.tried
    found.defects.push(...unknown.defects)
  }
  const isAlive = daemon.isAlive()
  await daemon.stop()
  dir.remove()
  return { ...found, isAlive }
}

async function run({ hasTime, rounds, note }) {
  const figures = { holds: true, tried: 0, succeeded: [] }
  for (const auth of ['socket', 'session']) {
    const { tried, defects, isAlive } = await playMode(auth, { hasTime, rounds: rounds ?? 3 })
    note(`auth ${auth}: ${tried} tried, ${defects.length} defects`)
    figures.holds &&= defects.length === 0 && isAlive
    figures.tried += tried
    figures.succeeded.push(...defects)
  }
  return {
    ...figures,
    kinds: Object.keys(ATTEMPTS).length,
    succeeded: [...new Set(figures.succeeded)].slice(0, 20),
  }
}

export default {
  name: 'strangers',
  promise: 'R-64',
  summary: 'what one session may try against another, with and without tokens being mandatory',
  run,
}
