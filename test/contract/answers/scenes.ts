/**
 * A day on a bus: every operation is asked for each answer that it documents, and every event of a stream comes by.
 */
import { validEnvelope } from '../../support/envelopes.ts'
import { validFrame, validPayload } from '../../support/frames.ts'
import { payloadOf } from '../../runtimes/support/fixtures.ts'
import type { TestDaemon } from '../../support/daemon.ts'
import type { AnswerJournal } from './journal.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const PLAIN = { accept: 'text/plain' }
export const HANDLE = { path: { handle: '~alice' } }

/** Who is there. */
export interface Cast {
  /** Reads its mailbox. */
  readonly reader: string
  /** Its address. */
  readonly address: string
  /** Sends. */
  readonly sender: string
  /** The address of that one. */
  readonly other: string
  readonly person: string
}

const READER = {
  instrument: 'cc-opus-4-6',
  session_id: 's1',
  tool: 'cc',
  title: 'api refactor '.repeat(19),
  cwd: '/home/alice/api',
  repository: '/home/alice/api/.git',
  worktree: '/home/alice/api',
  branch: 'refactor',
  mailbox: true,
  agent: true,
  entities: ['agent.worker'],
  delivery: { busy: 'hook', idle: 'none', headless: 'none' },
}

/** Sessions come, say what they do, and are looked at. */
export async function registrations(journal: AnswerJournal): Promise<Cast> {
  const { body: made } = await journal.get('openSession', { json: READER })
  const { token } = made
  await journal.get('openSession', { json: { ...READER, pid: process.pid }, token })
  const near = { ...READER, session_id: 's2', title: 'sender', agent: false, entities: ['agent.sender'] }
  const { body: other } = await journal.get('openSession', { json: near })
  const seat = { instrument: 'human-term', tool: 'human', entities: ['human.alice'], mailbox: true }
  const { body: person } = await journal.get('openSession', { json: seat })
  const waiting = { state: 'waiting', reason: 'permission', text: 'may I?' }
  await journal.get('setActivity', { json: waiting, token: other.token })
  await journal.get('getSelf', { token })
  await journal.get('getRoster', HANDLE)
  await journal.get('getRoster', { ...HANDLE, query: { near: 'self', limit: '1' }, token })
  await journal.get('getSession', { path: { handle: '~alice', session: 'cc-opus-4-6@s1' } })
  return {
    reader: token,
    address: made.address,
    sender: other.token,
    other: other.address,
    person: person.token,
  }
}

/** Frames in every way there is to send them, and what is told of them. */
export async function frames(
  journal: AnswerJournal,
  { reader, address, sender, other }: Cast,
): Promise<void> {
  const frame = validFrame('agent_query', { drafted_with: '~cc-opus-4-6' })
  const wrapper = { recipient_scope: '~alice/*', frame }
  const { body: sent } = await journal.get('submitFrame', { json: wrapper, token: sender })
  await journal.get('submitFrame', { json: wrapper, token: sender })
  await journal.get('submitFrame', { json: { recipient_scope: '~alice/cc-opus-4-5*', frame: validFrame() } })
  const odd = validFrame('agent_query', {
    payload: { ...validPayload('agent_query'), response_scope: '~bob/*' },
  })
  await journal.get('submitFrame', { json: odd })
  const lines = [{ frame: validFrame() }, { frame: { ...validFrame(), kind: 'gossip' } }]
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  await journal.get('submitFrame', { body, headers: NDJSON })
  const { frame_id } = frame
  await journal.get('getReceipts', { path: { frame_id } })
  await journal.get('getReceipts', { path: { frame_id }, query: { wait: 'seen', timeout_ms: '0' } })
  await journal.get('getHistory', { query: { limit: '2' } })
  await journal.get('getHistory', { query: { sender: other, filter: 'kind:agent_query' } })
  await journal.get('getHistory', { query: { limit: '1', after: sent.event_id } })
  await journal.get('getEvent', { path: { event_id: sent.event_id } })
  await journal.get('waitInbox', { query: { timeout_ms: '0' }, token: reader })
  await journal.get('drainInbox', { json: { state: 'handed', max_items: 2 }, token: reader })
  await journal.get('drainInbox', { json: { handed: 'returned', peek: true }, token: reader })
  await journal.get('drainInbox', { json: { format: 'text' }, token: reader })
  await journal.get('markSeen', { json: { up_to: sent.event_id }, token: reader })
  await journal.get('getReceipts', { path: { frame_id } })
  await journal.get('getEvent', { path: { event_id: sent.event_id } })
  await journal.get('getRoster', { ...HANDLE, query: { limit: '1' } })
  const scope = { text: 'to one', recipient_scope: address }
  await journal.get('callVerb', { path: { verb: 'agent_advise' }, json: scope })
  const missed = { text: 'to nobody', recipient_scope: '~alice/cc-opus-4-6@s3' }
  await journal.get('callVerb', { path: { verb: 'agent_advise' }, json: missed })
  await journal.get('getSelf', { token: sender })
}

/** A session goes on as another one, and gets what is sent to the former address. */
export async function succession(journal: AnswerJournal): Promise<void> {
  const first = { instrument: 'former', session_id: 'f1', mailbox: true }
  const { body: former } = await journal.get('openSession', { json: first })
  const next = { instrument: 'latter', session_id: 'l1', mailbox: true, successor_of: 'former@f1' }
  await journal.get('openSession', { json: next, headers: { 'agentd-predecessor': former.token } })
  const { body } = await journal.get('callVerb', {
    path: { verb: 'agent_advise' },
    json: { text: 'still you?', recipient_scope: former.address },
  })
  await journal.get('getReceipts', { path: { frame_id: body.frame_id } })
}

/** Verbs that make frames, in both forms of an answer, and those that read. */
export async function verbs(journal: AnswerJournal, { reader }: Cast): Promise<void> {
  const call = (verb: string, json: object, headers = {}) =>
    journal.get('callVerb', { path: { verb }, json, headers })
  await call('agent_query', { text: 'who?' })
  await call('agent_lock_acquire', { resource: 'src/auth.ts' })
  await call('agent_diagnose', { symptom: 'DB_PASSWORD=hunter2hunter2 is refused', severity: 'blocked' })
  await call('agent_decide', validPayload('agent_binding_moment'))
  await call('agent_advise', { text: 'editing' }, PLAIN)
  await call('agent_roster', { limit: 1 })
  await call('agent_subscribe', { filter: 'kind:agent_query' })
  await journal.get('callVerb', { path: { verb: 'agent_subscribe' }, json: {}, token: reader })
  const { body } = await call('agent_handover', { body: 'long '.repeat(20_000), keep: true })
  const path = { frame_id: body.frame_id }
  await journal.get('getFrameText', { path })
  await journal.get('getFrameText', { path, headers: PLAIN })
}

/** Envelopes, workflows, and lines of a log. */
export async function envelopes(journal: AnswerJournal, { reader, sender, person }: Cast): Promise<void> {
  const task = validEnvelope({ to: 'agent.worker', priority: 'high' })
  const { body: taken } = await journal.get('submitEnvelope', { json: task, token: sender })
  await journal.get('submitEnvelope', { json: task, token: sender })
  const reply = { from: 'agent.worker', to: 'agent.sender', corr: task.corr, reply_to: task.id }
  const result = validEnvelope({ ...reply, type: 'result' })
  await journal.get('submitEnvelope', { json: result, token: reader })
  await journal.get('submitEnvelope', {
    json: validEnvelope({ ...reply, type: 'error', payload: { code: 'late', message: 'once more' } }),
    token: reader,
  })
  const refutation = {
    to: 'service.agentd',
    intent: 'aee.context.refute',
    payload: { id: result.id, reason: 'it is not so' },
  }
  await journal.get('submitEnvelope', { json: validEnvelope(refutation), token: sender })
  const toPerson = validEnvelope({ to: 'human.alice' })
  await journal.get('submitEnvelope', { json: toPerson, token: sender })
  await journal.get('getEnvelopeReceipts', { path: { id: toPerson.id } })
  const body = `${JSON.stringify(validEnvelope({ from: 'agent.free' }))}\n{}\n`
  await journal.get('submitEnvelope', { body, headers: NDJSON })
  await journal.get('getEnvelope', { path: { id: task.id } })
  await journal.get('getThreads', { query: { limit: '2' } })
  await journal.get('getThread', { path: { corr: task.corr } })
  await journal.get('getThread', { path: { corr: task.corr }, query: { limit: '1' } })
  await journal.get('drainInbox', { json: {}, token: reader })
  await journal.get('getEnvelopeReceipts', { path: { id: task.id } })
  await journal.get('getEvent', { path: { event_id: taken.event_id } })
  await journal.get('drainInbox', { json: { format: 'text' }, token: person })
  await journal.get('getEvents', { query: { limit: '1000' } })
  await journal.get('getEvents', { query: { limit: '1' } })
  const line = { v: '1', id: 'log-line-1', type: 'event', from: 'agent.a', intent: 'ops.x.y' }
  await journal.get('submitLog', { json: line })
  await journal.get('submitLog', { body: `${JSON.stringify(line)}\n{}\n`, headers: NDJSON })
  await journal.get('getNeeds')
  await journal.get('getSummary')
}

/** A runtime's hooks, one of them woken, and its tools. */
export async function runtimes(journal: AnswerJournal, { dir }: TestDaemon): Promise<void> {
  const runtime = { path: { runtime: 'claude-code' } }
  const pid = Buffer.from(JSON.stringify({ env: {}, pid: process.pid })).toString('base64url')
  const event = (name: string) =>
    journal.get('answerHook', {
      ...runtime,
      json: payloadOf('claude-code', name, { session_id: 'r-1', cwd: dir.path }),
      headers: { 'agentd-surroundings': pid },
    })
  await event('session-start')
  await event('turn-end')
  const { body: known } = await journal.get('getHook', { ...runtime, query: { session: 'r-1' } })
  await journal.get('getHook', { path: { runtime: 'codex' } })
  // One of two may wait: the other is told that there is nothing to wait for.
  const waits = [1, 2].map(() => journal.get('waitHook', { ...runtime, query: { session: 'r-1' } }))
  await Promise.race(waits)
  const question = { text: 'which port?', recipient_scope: known.session.address }
  await journal.get('callVerb', { path: { verb: 'agent_query' }, json: question })
  await Promise.all(waits)
  await event('prompt')
  const hello = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'claude-code', version: '1' },
    },
  }
  await journal.say('openMcp', hello)
}

/** The daemon about itself. */
export async function documents(journal: AnswerJournal): Promise<void> {
  for (const name of ['getHealth', 'getServerCard', 'getMetrics', 'getOpenApi']) await journal.get(name)
  for (const name of ['frame', 'aee-v1', 'health-reply']) await journal.get('getSchema', { path: { name } })
}
