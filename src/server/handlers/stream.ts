/** The per-handle stream (docs/http.md §6). */
import type { IncomingMessage } from 'node:http'
import { isEntity } from '../../aee/envelope/entity.ts'
import { sourceOf } from '../../broker/quota/source.ts'
import { requireEntities } from '../../broker/session/facts.ts'
import type { Session } from '../../broker/session/session.ts'
import type { Following } from '../../broker/stream/following.ts'
import type { Sink } from '../../broker/stream/sink.ts'
import { AgentdError } from '../../core/errors.ts'
import { newSessionId } from '../../core/ids.ts'
import { VISITOR_INSTRUMENT } from '../../protocol/address/handle.ts'
import { parseFilter } from '../../protocol/frame/filter.ts'
import { MAX_ENTITIES } from '../../core/limits.ts'
import { OWN_SESSION, brokenRule } from '../../protocol/http/query-rules.ts'
import { StreamQuery } from '../../protocol/http/requests.ts'
import { MEDIA_SSE } from '../../protocol/http/media.ts'
import { TAKEN, type RouteAnswer } from '../request/answer.ts'
import { queryOf, type RequestContext } from '../request/context.ts'
import { textHeader } from '../request/http-message.ts'
import { SocketSink, memoSink } from '../request/sink.ts'
import { requireOwnHandle } from './roster.ts'

/** Every refusal comes before the first byte of the stream (ACQ-36). */
export function openStream(context: RequestContext): RouteAnswer {
  const { broker, caller, request } = context
  const handle = requireOwnHandle(context)
  const query = queryOf(context, StreamQuery)
  const filter = parseFilter(query.filter)
  const entities = readEntities(query.entities, caller.session?.tool ?? query.tool)
  broker.streams.requireRoom()
  broker.streams.requireShare(caller)
  const session = sessionOf(context, handle, query)
  const cursor = cursorOf(request, query.after)
  const connection = takeConnection(context)
  const isFramesOnly = query.profile === 'memo'
  const sink = isFramesOnly ? memoSink(connection) : connection
  const isAside = query.aside === 'true'
  const start = { cursor, replay: query.replay, entities, isAside, isFramesOnly, source: sourceOf(caller) }
  const subscription = broker.streams.open(session, filter, start, sink)
  return readUntilClosed(context, subscription)
}

/** The cursor a reader gives; the header wins. */
export function cursorOf(request: IncomingMessage, after: string | undefined): string | undefined {
  // An empty one says nothing.
  return textHeader(request, 'last-event-id') || after
}

/** Tells who follows when its reader has taken everything, and when that is gone. */
export function readUntilClosed(
  { request }: RequestContext,
  following: Pick<Following, 'drained' | 'closed'>,
): RouteAnswer {
  const { socket } = request
  socket.on('drain', () => following.drained())
  socket.once('close', () => following.closed())
  // Who left before it began is not heard of again.
  if (socket.destroyed) following.closed()
  return TAKEN
}

/**
 * The entities a stream names for itself.
 *
 * @throws AgentdError `field-invalid` or `sender-identity-mismatch`, field `entities`
 */
function readEntities(text: string | undefined, tool: string | undefined): readonly string[] {
  const names = text === undefined || text === '' ? [] : [...new Set(text.split(','))]
  const field = 'entities'
  if (names.length > MAX_ENTITIES) {
    throw new AgentdError('field-invalid', `A stream names at most ${MAX_ENTITIES} entities.`, { field })
  }
  if (!names.every(isEntity)) {
    throw new AgentdError('field-invalid', '"entities" is a list of names, joined by commas.', { field })
  }
  requireEntities(names, tool ?? '', () => field)
  return names
}

/** The token's session, or a visitor that stands on the roster while the stream is open. */
function sessionOf({ broker, caller }: RequestContext, handle: string, query: StreamQuery): Session {
  const { session } = caller
  if (session === undefined) {
    const { instrument = VISITOR_INSTRUMENT, session_id = newSessionId(), tool = 'other' } = query
    return broker.sessions.visit({ handle, instrument, sessionId: session_id, tool })
  }
  if (session.handle !== handle) {
    throw new AgentdError('scope-unauthorised', `This session's stream is that of ${session.handle}.`, {
      field: 'handle',
    })
  }
  const claims = { instrument: session.instrument, session_id: session.sessionId, tool: session.tool }
  for (const [field, own] of Object.entries(claims)) {
    const claimed: unknown = Reflect.get(query, field)
    if (claimed !== undefined && claimed !== own) throw brokenRule(OWN_SESSION, field)
  }
  return session
}

/**
 * Sends the head of an unchunked response and leaves the socket to the sink: chunking would cost a second
 * write per event and a header per frame.
 */
export function takeConnection(
  { request, response }: RequestContext,
  mediaType = `${MEDIA_SSE}; charset=utf-8`,
): Sink {
  response.removeHeader('transfer-encoding')
  response.writeHead(200, {
    'content-type': mediaType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  response.flushHeaders()
  return new SocketSink(request.socket)
}
