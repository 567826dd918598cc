/**
 * An implementation as a bus that runs: what can be asked of it is asked over HTTP, as sessions of its user would.
 */
import { randomUUID } from 'node:crypto'
import { UNSUPPORTED, type Adapter, type Answer } from '../adapter.ts'
import { isJsonObject, parseObject, readObjects, requireText, type JsonObject } from '../json.ts'
import type { BusOptions } from '../options.ts'
import { Bus, type Registered } from './bus.ts'
import { playScene } from './fan-out.ts'

/** How long the answer to a task may take. */
export const MAX_TASK_MS = 5_000

type Operation = (bus: Bus, question: JsonObject) => Promise<Answer>

const OPERATIONS: Readonly<Record<string, Operation>> = {
  frame: askFrame,
  scope: askScope,
  'scope-match': askScopeMatch,
  filter: askFilter,
  'filter-match': askFilterMatch,
  exchange: (bus, question) => playScene(bus, question, plainFrame),
  verb: (bus, question) => bus.verb(requireText(question, 'verb'), question['arguments']),
  envelope: (bus, question) => askEnvelope(bus, requireText(question, 'text')),
  signature: (bus, question) =>
    bus.hasKeys ? askEnvelope(bus, requireText(question, 'text')) : Promise.resolve(UNSUPPORTED),
  answer: askAnswer,
}

/** @param base - `http://…`, or the path of a Unix socket */
export function openBus(base: string, options: BusOptions): Adapter {
  const bus = new Bus(base, options)
  return {
    ask: (question) => {
      const operation = Object.hasOwn(OPERATIONS, question.op) ? OPERATIONS[question.op] : undefined
      return operation === undefined ? Promise.resolve(UNSUPPORTED) : operation(bus, bus.adapt(question))
    },
    close: () => Promise.resolve(),
  }
}

/** A frame that nothing is wrong with, to every session of the bus. */
function plainFrame(recipient = '~alice'): string {
  return JSON.stringify({
    envelope_version: '1.0',
    frame_id: randomUUID(),
    kind: 'agent_advisory',
    sender_handle: '~alice',
    recipient_handle: recipient,
    created_at: new Date().toISOString(),
    payload: { advisory_text: 'a probe' },
    acted_by: '~alice',
    drafted_with: '~cc-conformance',
    provenance_compute_location: 'local-only',
    provenance_method: ['conformance'],
    provenance_context_check: 'skipped',
    provenance_basis: 'conformance',
  })
}

/** Codes of what is looked at once a frame is found to be one (memo §7.1). */
const BEHIND_VALIDATION: ReadonlySet<unknown> = new Set([
  'sender-identity-mismatch',
  'scope-unauthorised',
  'scope-unimplemented',
])

/** A frame is one when it is taken, or refused for whose it is and whom it is for. */
async function askFrame(bus: Bus, question: JsonObject): Promise<Answer> {
  const answer = await bus.submit(requireText(question, 'text'), undefined)
  return BEHIND_VALIDATION.has(codeOf(answer)) ? { ok: true } : answer
}

function codeOf({ error }: Answer): unknown {
  return isJsonObject(error) ? error['code'] : undefined
}

/** A scope is well-formed when it is taken, or refused for what it names and not for what it is. */
async function askScope(bus: Bus, question: JsonObject): Promise<Answer> {
  const scope = requireText(question, 'scope')
  const recipient = /^~[a-z0-9-]+/.exec(scope)?.[0] ?? '~alice'
  const { frame } = bus.adapt({ frame: plainFrame(recipient) })
  const answer = await bus.submit(String(frame), scope)
  return BEHIND_VALIDATION.has(codeOf(answer)) ? { ok: true } : answer
}

/** Only sessions of the bus's own user can be there. */
async function askScopeMatch(bus: Bus, question: JsonObject): Promise<Answer> {
  const sessions = readObjects(question, 'sessions')
  const own = String(bus.adapt({ handle: '~alice' })['handle'])
  if (sessions.some(({ handle }) => handle !== own)) return UNSUPPORTED
  const scene = {
    sessions: sessions.map((session, at) => ({ ...session, name: String(at) })),
    submit: [{ scope: question['scope'], frame: ownFrame(bus) }],
  }
  const answer = await playScene(bus, scene, () => JSON.stringify(ownFrame(bus)))
  const { received } = answer
  if (!isJsonObject(received)) return answer
  return { ok: true, matches: sessions.map((_, at) => readObjects(received, String(at)).length > 0) }
}

function ownFrame(bus: Bus): JsonObject {
  return bus.adapt(parseObject(plainFrame()))
}

async function askFilter(bus: Bus, question: JsonObject): Promise<Answer> {
  const { subscription, refusal } = await bus.openStream(
    new URLSearchParams({ filter: requireText(question, 'filter') }),
  )
  subscription?.close()
  return refusal ?? { ok: true }
}

/** The frame is sent by a session of the tool class it is asked about, where there are sessions. */
async function askFilterMatch(bus: Bus, question: JsonObject): Promise<Answer> {
  const { filter, frame, tool } = question
  if (tool !== undefined && !bus.hasSessions) return UNSUPPORTED
  const sender = { name: 'sender', instrument: 'cc-opus-4-6', session_id: 'sender', tool }
  const scene = {
    sessions: [
      ...(tool === undefined ? [] : [sender]),
      { name: 'reader', instrument: 'cc-reader', session_id: 'reader', filter },
    ],
    submit: [{ frame, ...(tool !== undefined && { as: 'sender' }) }],
  }
  const answer = await playScene(bus, scene, () => JSON.stringify(ownFrame(bus)))
  const { received } = answer
  if (!isJsonObject(received)) return answer
  return { ok: true, matches: readObjects(received, 'reader').length > 0 }
}

/** An envelope to whom nobody hears for was looked at all the same. */
async function askEnvelope(bus: Bus, text: string): Promise<Answer> {
  if (!bus.hasEnvelopes) return UNSUPPORTED
  const human = await registerHuman(bus, text)
  try {
    const answer = await bus.submitEnvelope(text, human?.token)
    return codeOf(answer) === 'recipient-unknown' ? { ok: true } : answer
  } finally {
    if (human !== undefined) await bus.unregister(human)
  }
}

/** A human speaks from a session of their own. */
async function registerHuman(bus: Bus, text: string): Promise<Registered | undefined> {
  const from = /"from"\s*:\s*"(human\.[a-z_]+)"/.exec(text)?.[1]
  if (from === undefined || !bus.hasSessions) return undefined
  return bus.register({ instrument: 'human', session_id: 'conformance', tool: 'human', entities: [from] })
}

async function askAnswer(bus: Bus, question: JsonObject): Promise<Answer> {
  if (!bus.hasEnvelopes || !isJsonObject(question['task'])) return UNSUPPORTED
  const task: JsonObject = { ...question['task'], to: bus.entity }
  const { subscription, refusal } = await bus.openEntity(requireText(task, 'from'))
  if (subscription === undefined) return refusal
  try {
    const sent = await bus.submitEnvelope(JSON.stringify(task))
    if (sent['ok'] !== true) return sent
    const isAnswer = ({ reply_to: id }: JsonObject): boolean => id === task['id']
    const deadlineMs = Date.now() + MAX_TASK_MS
    for (;;) {
      const envelope = subscription.events.map(({ data }) => readEnvelope(data)).find(isAnswer)
      if (envelope !== undefined) return { ok: true, envelope }
      const leftMs = deadlineMs - Date.now()
      if (leftMs <= 0) return { ok: true }
      await subscription.untilCount(subscription.events.length + 1, leftMs)
    }
  } finally {
    subscription.close()
  }
}

function readEnvelope(data: string): JsonObject {
  try {
    return parseObject(data)
  } catch {
    return {}
  }
}
