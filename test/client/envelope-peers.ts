/**
 * Envelopes, and the daemon's part in a conversation of them, for tests against a scripted daemon.
 */
import { composeEnvelope, type EnvelopeDraft } from '../../src/client/envelopes/outgoing-envelope.ts'
import { parseEnvelope, type Envelope } from '../../src/aee/envelope/envelope.ts'
import { encodeEnvelopeEvent, encodePreamble } from '../../src/protocol/sse/encoder.ts'
import type { Arrival, FakeDaemon } from '../support/fake-daemon.ts'
import { START_MS } from './manual-clock.ts'

export const STREAM = 'GET /v1/handles/~alice/stream'
export const PIPE = 'POST /v1/envelopes'

/** A complete valid envelope: a task of `agent.asker` to `agent.doer`, unless said otherwise. */
export function makeEnvelope(changes: Partial<EnvelopeDraft> = {}): Envelope {
  const draft: EnvelopeDraft = {
    type: 'task',
    from: 'agent.asker',
    to: 'agent.doer',
    intent: 'ops.backup.check',
    payload: {},
    ...changes,
  }
  return composeEnvelope(draft, START_MS)
}

/** What `agent.doer` says to a task. */
export function replyTo(
  task: Envelope,
  type: 'result' | 'error' | 'stream' | 'event',
  changes: Partial<EnvelopeDraft> = {},
): Envelope {
  const { from: to, to: from, intent, corr, id } = task
  return makeEnvelope({ type, from, to, intent, corr, replyTo: id, ...changes })
}

export function envelopeEvent(
  eventId: string,
  envelope: Envelope | string,
  remarks: { effectivePriority?: string; isLate?: boolean } = {},
): string {
  const json = typeof envelope === 'string' ? envelope : JSON.stringify(envelope)
  const { effectivePriority, isLate = false } = remarks
  return encodeEnvelopeEvent(eventId, json, { effectivePriority, isLate })
}

/** Takes the pipe of envelopes and begins to answer it. */
export async function takeEnvelopePipe(daemon: FakeDaemon): Promise<Arrival> {
  const pipe = await daemon.next(PIPE)
  pipe.begin('application/x-ndjson')
  pipe.request.on('end', () => pipe.response.end())
  return pipe
}

/** The next envelope of a pipe. */
export async function readSent(pipe: Arrival): Promise<Envelope> {
  return parseEnvelope(JSON.parse(await pipe.line()))
}

/** One answer line. */
export function sentLine({ id }: Envelope, changes: Record<string, unknown> = {}): string {
  const reply = {
    id,
    event_id: 'e1-1',
    recipient_count: 1,
    queued_count: 0,
    ack: 'process',
    effective_priority: 'normal',
    warnings: [],
    ...changes,
  }
  return `${JSON.stringify(reply)}\n`
}

/** Takes the next stream and opens it. */
export async function takeStream(daemon: FakeDaemon, text = ''): Promise<Arrival> {
  const stream = await daemon.next(STREAM)
  stream.beginStream(encodePreamble('e1-0') + text)
  return stream
}

/** Resolves when the client has let go of a connection. */
export function hungUp(arrival: Arrival): Promise<unknown> {
  return new Promise((resolve) => arrival.socket.once('close', resolve))
}

/** A promise, and the function that keeps it. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  const target = new EventTarget()
  const opened = new Promise<void>((resolve) => target.addEventListener('open', () => resolve()))
  return { open: () => void target.dispatchEvent(new Event('open')), opened }
}
