/**
 * What a working day sends, at once: frames, verbs, envelopes, streams that come and go, sessions that read, sessions
 * that come and go, sessions that are left open, look-backs, and requests that are wrong or broken off.
 */
import { connect } from 'node:net'
import { ENVELOPES, startPublisher } from './publisher.mjs'
import { makeFrame } from './frames.mjs'
import { makeWorkflow } from './envelopes.mjs'
import { openReader } from './reader.mjs'
import { request } from './http.mjs'
import { sleep } from './waiting.mjs'

/** Sessions with a mailbox that nobody ever reads. */
const LEFT_OPEN = 100

/** Sessions that live turn by turn. */
const READING = 8

const STREAMS = 12

/** Frames accepted a second, about; what is planned with, not what is held to. */
const FRAMES_PER_SECOND = 80

const LOOK_BACKS = [
  '/v1/frames?handle=~alice&limit=50',
  '/v1/frames?handle=~alice&filter=kind:agent_handover&limit=20',
  '/v1/handles/~alice/roster',
  '/v1/health',
  '/v1/metrics',
  '/v1/threads/soak',
]

const BROKEN = [
  'POST /v1/frames HTTP/1.1\r\nhost: agentd\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"fra',
  'GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: agentd\r\n\r\n',
  'NONSENSE\r\n\r\n',
]

/** The pace, and whatever went otherwise than it may. */
class Tally {
  counts = { sessions_left_open: 0, sessions_gone: 0, drains: 0, streams_opened: 0, look_backs: 0, broken: 0 }
  unexpected = []
  frames = 0

  expect({ status, body }, what, statuses = [200, 201, 204]) {
    // A quota may speak; it is no fault of a load that knows no pace but its own.
    if (!statuses.includes(status) && status !== 429)
      this.unexpected.push(`${what}: ${status} ${body?.code ?? ''}`)
  }
}

/**
 * Starts it.
 *
 * @param options.rampMs - time over which the sessions that are left open come
 * @returns `frames`, and `stop()` which gives `{counts, unexpected}`
 */
export function startMixedLoad(socket, { random, rampMs }) {
  const tally = new Tally()
  let isOver = false
  const load = { socket, random, tally, isOver: () => isOver }
  const parts = [
    publishFrames(load),
    publishEnvelopes(load),
    speak(load),
    leaveOpen(load, rampMs),
    comeAndGo(load),
    lookBack(load),
    breakOff(load),
    ...Array.from({ length: READING }, (_, i) => readTurns(load, i)),
    ...Array.from({ length: STREAMS }, () => holdStreams(load)),
  ].map((part) => part.catch((error) => tally.unexpected.push(String(error))))
  return {
    get frames() {
      return tally.frames
    },
    async stop() {
      isOver = true
      await Promise.all(parts)
      return { counts: { frames: tally.frames, ...tally.counts }, unexpected: tally.unexpected }
    },
  }
}
startMixedLoad.framesPerSecond = FRAMES_PER_SECOND

/** Calls again and again, with a pause, until the load is over. */
async function again({ isOver }, pauseMs, act) {
  while (!isOver()) {
    await act()
    await sleep(pauseMs)
  }
}

const text = (random) => 'soak '.repeat(random.between(1, 120))

/** A connection of frames, and another after some seconds. */
function publishFrames(load) {
  return again(load, 0, async () => {
    const publisher = startPublisher(load.socket, {
      make: () => makeFrame({ text: text(load.random) }),
      window: 1,
      pauseMs: 8,
      onAck: () => (load.tally.frames += 1),
    })
    await untilOver(load, 5_000)
    await publisher.stop()
    // Nothing that was asked is forgotten here: only this many are kept by the publisher, for seconds.
    load.tally.unexpected.push(...publisher.refused.map(({ code }) => `a frame: ${code}`))
  })
}

function publishEnvelopes(load) {
  return again(load, 100, async () => {
    const workflow = makeWorkflow({ corr: 'soak', text: text(load.random) })
    const publisher = startPublisher(load.socket, {
      what: ENVELOPES,
      window: 1,
      make: (i) => workflow[i],
      maxFrames: workflow.length,
      onAck: () => (load.tally.frames += 1),
    })
    await publisher.closed
  })
}

/** Hooks and people: one verb a request. */
function speak(load) {
  let lease
  return again(load, 40, async () => {
    const { socket, random, tally } = load
    const verb = random.pick(['agent_advise', 'agent_query', 'agent_lock_acquire', 'agent_lock_release'])
    const json = {
      agent_advise: { text: text(random), file_refs: [`src/${random.between(1, 200)}.ts`] },
      agent_query: { text: 'who is at it?' },
      agent_lock_acquire: { resource: `src/${random.between(1, 200)}.ts`, ttl_ms: 60_000 },
      agent_lock_release: { lease_id: lease },
    }[verb]
    if (verb === 'agent_lock_release' && lease === undefined) return
    const reply = await request(socket, `/v1/verbs/${verb}`, { json })
    tally.expect(reply, verb)
    if (reply.status === 200) tally.frames += 1
    lease = verb === 'agent_lock_acquire' ? reply.body?.lease_id : undefined
  })
}

/** Registered by this process, which lives: their leases do not end, and nobody reads what waits for them. */
async function leaveOpen({ socket, tally, isOver }, rampMs) {
  for (let i = 0; i < LEFT_OPEN && !isOver(); i += 1) {
    const json = { instrument: 'left', session_id: `open-${i}`, mailbox: true, pid: process.pid }
    tally.expect(await request(socket, '/v1/sessions', { json }), 'a session left open')
    tally.counts.sessions_left_open += 1
    await sleep(rampMs / LEFT_OPEN)
  }
}

/** A session of a few seconds: it reads once, and says that it goes. */
function comeAndGo(load) {
  let count = 0
  return again(load, 500, async () => {
    const { socket, tally } = load
    count += 1
    const json = {
      instrument: 'brief',
      session_id: `brief-${count}`,
      mailbox: true,
      title: text(load.random).slice(0, 80),
    }
    const { body, ...opened } = await request(socket, '/v1/sessions', { json })
    tally.expect({ body, ...opened }, 'a session')
    await sleep(300)
    const { token } = body
    tally.expect(await request(socket, '/v1/inbox/drain', { token, json: {} }), 'a drain')
    tally.expect(await request(socket, '/v1/sessions/self', { method: 'DELETE', token }), 'a farewell')
    tally.counts.sessions_gone += 1
  })
}

/** What a session that lives turn by turn does: take what waits, and say what it has seen. */
async function readTurns(load, i) {
  const { socket, tally, random } = load
  const json = { instrument: 'turns', session_id: `turns-${i}`, mailbox: true, pid: process.pid }
  const { body } = await request(socket, '/v1/sessions', { json })
  await again(load, random.between(300, 900), async () => {
    const { token } = body
    const drained = await request(socket, '/v1/inbox/drain', {
      token,
      json: { max_items: 1_000, max_bytes: 500_000 },
    })
    tally.expect(drained, 'a drain')
    const ids = (drained.body?.items ?? []).map(({ event_id: id }) => id)
    if (ids.length > 0)
      tally.expect(await request(socket, '/v1/seen', { token, json: { event_ids: ids } }), 'seen')
    tally.counts.drains += 1
  })
}

function holdStreams(load) {
  let lastId
  return again(load, 100, async () => {
    const reader = openReader(load.socket, {
      keep: false,
      after: lastId,
      onEvent: ({ id }) => (lastId = id ?? lastId),
    })
    load.tally.counts.streams_opened += 1
    await untilOver(load, load.random.between(1_000, 8_000))
    reader.close()
  })
}

function lookBack(load) {
  return again(load, 250, async () => {
    const path = load.random.pick(LOOK_BACKS)
    load.tally.expect(await request(load.socket, path), path, [200, 404])
    load.tally.counts.look_backs += 1
  })
}

/** Half a request, or a reader that goes at once. */
function breakOff(load) {
  return again(load, 200, async () => {
    const connection = connect({ path: load.socket }).on('error', () => {})
    connection.resume().write(load.random.pick(BROKEN))
    await sleep(50)
    connection.destroy()
    load.tally.counts.broken += 1
  })
}

async function untilOver({ isOver }, ms) {
  const endMs = performance.now() + ms
  while (!isOver() && performance.now() < endMs) await sleep(Math.min(200, ms))
}
