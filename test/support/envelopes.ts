/**
 * Envelopes as a stranger makes them: nothing here comes from `src`.
 */
import { randomUUID } from 'node:crypto'
import { openStream, request, type Reply, type SseReader } from './http.ts'

/** An envelope with all fourteen members; those that are changed to undefined are left out. */
export interface AnyEnvelope {
  readonly id: string
  readonly corr: string
  readonly [name: string]: unknown
}

/** A valid envelope of its own: a task to a channel, made now. */
export function validEnvelope(changes: Readonly<Record<string, unknown>> = {}): AnyEnvelope {
  const members = {
    v: '1',
    id: randomUUID(),
    ts: new Date().toISOString(),
    type: 'task',
    from: 'agent.sender',
    to: 'bus.ops',
    intent: 'ops.backup.check',
    corr: randomUUID(),
    reply_to: null,
    trace: null,
    priority: 'normal',
    requires: null,
    payload: { cluster: 'node.lan' },
    sig: null,
    ...changes,
  }
  const kept = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  // A test that takes `id` or `corr` away does not ask for them either.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return kept as { [name: string]: unknown } & AnyEnvelope
}

/** Sends an envelope; text and bytes go out as they are. */
export function sendEnvelope(socket: string, envelope: object | string, token?: string): Promise<Reply> {
  const isRaw = typeof envelope === 'string' || Buffer.isBuffer(envelope)
  return request(socket, '/v1/envelopes', {
    body: isRaw ? envelope : JSON.stringify(envelope),
    headers: { 'content-type': 'application/json' },
    ...(token !== undefined && { token }),
  })
}

/** A stream that hears for some entities, besides those of its session. */
export function listenFor(
  socket: string,
  entities: string,
  { token, query = '', headers }: { token?: string; query?: string; headers?: Record<string, string> } = {},
): Promise<SseReader> {
  const target = `/v1/handles/~alice/stream?entities=${encodeURIComponent(entities)}${query}`
  return openStream(socket, target, { ...(token !== undefined && { token }), ...(headers && { headers }) })
}

/** The next envelope of a stream, as the text that came. */
export async function nextEnvelope(stream: SseReader): Promise<string> {
  return (await stream.next('aee_envelope')).data
}
