/**
 * Envelopes made before the clock starts, each with an id of its own, and how long a daemon takes to accept them.
 */
import { randomUUID } from 'node:crypto'
import { newestPlace, openLines } from './agentd.mjs'
import { MARKER } from './frames.mjs'
import { sendFrames } from './load.mjs'
import { readCpuSeconds } from './machine.mjs'

/** Octets of an envelope without its signature: those of the line that carries the bench's frame. */
const ENVELOPE_OCTETS = 698

/** Envelopes of one workflow, unless it is all that there is. */
const WORKFLOW = 4

/** Once in each answer, in `queued_count`: one that warns has objects inside, so a brace is not. */
const ANSWER_MARKER = 'q'

/** Everybody knows a channel, so nobody has to be registered. */
const TO = 'bus.bench'

export const FROM = 'agent.bench'

/** A task to a channel, filled up to its size. */
export function makeEnvelope(corr) {
  const envelope = {
    v: '1',
    id: randomUUID(),
    ts: new Date().toISOString(),
    type: 'task',
    from: FROM,
    to: TO,
    intent: 'ops.bench.check',
    corr,
    reply_to: null,
    trace: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' },
    priority: 'normal',
    requires: { timeout_ms: 60_000 },
    payload: { note: '' },
    sig: null,
  }
  const bare = JSON.stringify(envelope).length + MARKER.length
  envelope.payload.note = `${' and so on'.repeat(ENVELOPE_OCTETS).slice(0, ENVELOPE_OCTETS - bare)}${MARKER}`
  return envelope
}

/** So many of them, in workflows of four. */
export function makeEnvelopes(count) {
  let corr = ''
  return Array.from({ length: count }, (_, i) => {
    if (i % WORKFLOW === 0) corr = randomUUID()
    return makeEnvelope(corr)
  })
}

/** So many of one workflow: a task and its result, by turns. */
export function makeThread(corr, count) {
  let task
  return Array.from({ length: count }, (_, i) => {
    const envelope = makeEnvelope(corr)
    if (i % 2 === 1) return { ...envelope, type: 'result', reply_to: task.id }
    task = envelope
    return envelope
  })
}

/** @returns a function from a count to one chunk of an HTTP body with the next so many lines */
function chunksOf(envelopes) {
  const lines = envelopes.map((envelope) => Buffer.from(`${JSON.stringify(envelope)}\n`))
  const bytes = Buffer.concat(lines)
  let next = 0
  let at = 0
  return (count) => {
    const length = lines.slice(next, next + count).reduce((sum, line) => sum + line.length, 0)
    const body = bytes.subarray(at, at + length)
    next += count
    at += length
    return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
  }
}

/**
 * Sends them all at full speed within a window, until every one is answered.
 *
 * @returns `{perSecond, cpuMicros}` as of `measureThroughput`
 * @throws Error when one was not accepted: a refusal is an answer as well
 */
export async function measureEnvelopes(daemon, envelopes, window) {
  const { length: count } = envelopes
  // What is sent is encoded before the clock starts.
  const prepared = chunksOf(envelopes)
  const contender = {
    ...daemon,
    answerMarker: ANSWER_MARKER,
    batches: () => prepared,
    openPublisher: () => openLines(daemon.socketPath, '/v1/envelopes'),
  }
  const before = await newestPlace(daemon)
  const startedMs = performance.now()
  const cpu = readCpuSeconds(daemon.pid)
  await sendFrames(contender, { count, window })
  const seconds = (performance.now() - startedMs) / 1_000
  const cpuSeconds = cpu === undefined ? undefined : readCpuSeconds(daemon.pid) - cpu
  const accepted = (await newestPlace(daemon)) - before
  if (accepted !== count) throw new Error(`${accepted} of ${count} envelopes were accepted`)
  return {
    perSecond: count / seconds,
    cpuMicros: cpuSeconds === undefined ? null : (cpuSeconds / count) * 1e6,
  }
}
