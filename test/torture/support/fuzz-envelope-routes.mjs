/**
 * Envelopes to the daemon itself, and everything that is asked about them.
 */
import { DIST } from './daemon.mjs'
import { SERVICE, makeEnvelope } from './envelopes.mjs'
import { bodyOf, createClient, exchange, fault, judge, readCode, statusOf } from './fuzz-client.mjs'
import { FILLING_NAMES, INTENTS, TASK_PAYLOADS, largeEnvelope } from './fuzz-envelopes.mjs'
import { request } from './http.mjs'
import { openReader } from './reader.mjs'
import { within } from './waiting.mjs'

const LINES_PER_REQUEST = 100

/** How long the daemon may take to answer a task, in milliseconds, while everything else comes in. */
const ANSWER_MS = 10_000

/** Ids and workflows that were accepted, to be asked for. */
const MAX_KNOWN = 200

const ENTITY = 'agent.fuzz'
const CHANNEL = 'bus.torture'

/** @returns `lanes` as `frameLanes`, and `close()`, which tells what became of the tasks */
export async function openEnvelopeLanes(socket, parts) {
  const { EnvelopeReply, LogReply, ThreadReply } = await import(`${DIST}/protocol/http/envelope-replies.js`)
  const { SchemaRegistry } = await import(`${DIST}/aee/schemas/registry.js`)
  // Somebody hears what is sent, so that most of it is not for nobody.
  const channel = openReader(socket, { query: `?entities=${CHANNEL},agent.torture`, keep: false })
  const service = await startService(socket, { ...parts, registry: new SchemaRegistry() })
  const shapes = { EnvelopeReply, LogReply, ThreadReply }
  return {
    lanes: {
      ...sendingLanes(socket, { ...parts, shapes }),
      ...askingLanes(socket, { ...parts, shapes }),
      ...service.lanes,
    },
    close: () => {
      channel.close()
      return service.close()
    },
  }
}

function fits(shape, text) {
  try {
    return shape.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}

function sendingLanes(socket, { mutator, random, codes, found, shapes }) {
  const { json, lines, judged } = createClient(socket, { codes, found })
  const one = async (where, path, body, shape) => {
    const answer = await judged(where, await json(path, body))
    if (answer?.status === 200 && !fits(shape, answer.text))
      fault(found, `${where}: ${answer.text.slice(0, 200)}`)
  }
  const made = () => Array.from({ length: LINES_PER_REQUEST }, () => mutator.line(mutator.envelope()))
  return {
    envelope: () => one('envelope', '/v1/envelopes', mutator.bytes(mutator.envelope()), shapes.EnvelopeReply),
    envelopeLines: () => lines('/v1/envelopes', made(), (text) => fits(shapes.EnvelopeReply, text)),
    log: () => one('log', '/v1/log', mutator.bytes(mutator.envelope()), shapes.LogReply),
    logLines: () => lines('/v1/log', made(), (text) => fits(shapes.LogReply, text)),
    large: async () => {
      const body = Buffer.from(JSON.stringify(largeEnvelope(random.pick(FILLING_NAMES))))
      await one('large', '/v1/envelopes', body, shapes.EnvelopeReply)
      // Few of them: they are for the time one takes, not for the disk.
      await new Promise((resolve) => setTimeout(resolve, 200))
    },
  }
}

function askingLanes(socket, { mutator, random, codes, found, shapes }) {
  const { send, json, judged } = createClient(socket, { codes, found })
  /** Id → `{corr, text}` of what was taken. */
  const known = new Map()
  const remember = async () => {
    const envelope = makeEnvelope({
      corr: `workflow-${random.between(0, 20)}`,
      reply_to: random.pick([...known.keys()]) ?? null,
    })
    const text = JSON.stringify(envelope)
    const answer = await judged('envelope', await json('/v1/envelopes', Buffer.from(text)))
    if (answer?.status !== 200) return
    known.set(envelope.id, { corr: envelope.corr, text })
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value)
  }
  const part = (seed) => {
    const text = random() < 0.5 ? mutator.line(seed) : mutator.string()
    const encoded = encodeURIComponent(text.toWellFormed?.() ?? 'x')
    // What is no percent-encoding any more is asked for as well.
    return random() < 0.1 ? `${encoded}%${random.pick(['', 'z', 'ff', 'c3%28', '00'])}` : encoded
  }
  const query = () => {
    const name = random.pick(['after', 'limit', 'after', 'limit', 'wait', 'timeout_ms', 'x'])
    return random() < 0.3 ? '' : `?${name}=${random() < 0.5 ? random.between(0, 12) : part('beb11a2a-17')}`
  }
  return {
    fetch: async () => {
      await remember()
      const [id, { text }] = random.pick([...known])
      const answer = await judged('fetch', await send({ path: `/v1/envelopes/${id}`, method: 'GET' }))
      if (answer?.status !== 200 || answer.text !== text) fault(found, `fetch: ${answer?.text.slice(0, 200)}`)
      await judged('fetch', await send({ path: `/v1/envelopes/${part(id)}`, method: 'GET' }))
      const receipts = `/v1/envelopes/${random() < 0.5 ? id : part(id)}/receipts`
      await judged('receipts', await send({ path: `${receipts}${query()}`, method: 'GET' }))
    },
    thread: async () => {
      const corr = random() < 0.5 ? `workflow-${random.between(0, 20)}` : part('workflow-1')
      const answer = await judged(
        'thread',
        await send({ path: `/v1/threads/${corr}${query()}`, method: 'GET' }),
      )
      if (answer?.status === 200 && !fits(shapes.ThreadReply, answer.text))
        fault(found, `thread: ${answer.text.slice(0, 200)}`)
    },
    entities: async () => {
      const seed = random.pick(['bus.torture,agent.fuzz', 'human.alice', SERVICE, 'a,b,,c', 'agent.*'])
      const names = random() < 0.1 ? Array.from({ length: 70 }, (_, i) => `e${i}`).join(',') : part(seed)
      found.sent += 1
      const head = `GET /v1/handles/~alice/stream?entities=${names} HTTP/1.1\r\nhost: a\r\n\r\n`
      const text = await exchange(socket, head, 5_000)
      judge(
        { status: statusOf(text), text: bodyOf(text), where: `entities ${names.slice(0, 80)}` },
        codes,
        found,
      )
    },
  }
}

/**
 * Tasks to the daemon's own entity: each that is taken gets one answer, to the id it has, with a payload that fits
 * the published schema.
 */
async function startService(socket, { mutator, random, codes, found, registry }) {
  const session = await request(socket, '/v1/sessions', { json: { instrument: 'fuzz', entities: [ENTITY] } })
  const { token } = session.body
  const { json, judged } = createClient(socket, { codes, found, token })
  const waiting = new Map()
  const counts = { sent: 0, results: 0, errors: 0, unanswered: 0 }
  const onEvent = ({ event, data }) => {
    if (event !== 'aee_envelope') return
    const answer = JSON.parse(data)
    waiting.get(answer.reply_to)?.(answer)
  }
  const reader = openReader(socket, { token, keep: false, onEvent })
  await reader.until(() => reader.connects > 0)
  /** Envelopes it may see, to be fetched and refuted. */
  const own = []
  const payloadFor = (intent) => {
    const payload = { ...TASK_PAYLOADS[intent] }
    if (random() < 0.5 && own.length > 0 && 'id' in payload) {
      payload.id = random.pick(own)
      for (const name of ['corr', 'locator', 'hash']) if (random() < 0.7) delete payload[name]
    }
    return random() < 0.3 ? payload : JSON.parse(mutator.json(payload))
  }
  const check = (task, answer) => {
    const { type, from, to, intent, corr, payload } = answer
    const isHead = from === SERVICE && to === ENTITY && intent === task.intent && corr === task.corr
    const { errors = [] } = registry.validate(intent, type, payload)
    if (!isHead || (type !== 'result' && type !== 'error') || errors.length > 0)
      fault(found, `service ${task.intent}: ${errors[0] ?? JSON.stringify(answer).slice(0, 200)}`)
    counts[`${type}s`] += 1
  }
  const ask = async () => {
    const intent = random() < 0.95 ? random.pick(INTENTS) : 'ops.other.intent'
    const requires = random() < 0.1 ? { human_approval: true } : null
    const task = makeEnvelope({ from: ENTITY, to: SERVICE, intent, requires, payload: payloadFor(intent) })
    const answered = new Promise((resolve) => waiting.set(task.id, resolve))
    const taken = await judged('service', await json('/v1/envelopes', Buffer.from(JSON.stringify(task))))
    if (taken?.status === 200) {
      counts.sent += 1
      own.push(task.id)
      if (own.length > MAX_KNOWN) own.shift()
      const answer = await within(answered, ANSWER_MS)
      if (answer === undefined) {
        counts.unanswered += 1
        fault(found, `service ${intent}: no answer to ${JSON.stringify(task.payload).slice(0, 200)}`)
      } else check(task, answer)
    } else if (readCode(taken?.text ?? '') === undefined) fault(found, 'service: no answer')
    waiting.delete(task.id)
  }
  return {
    lanes: { service: ask, serviceBeside: ask },
    close: () => {
      reader.close()
      return counts
    },
  }
}
