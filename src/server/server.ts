/**
 * HTTP/1.1 over a listener that somebody else has bound: from a request to a route, a caller, a handler, and
 * an answer.
 *
 * @see docs/http.md; bounds R-35
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { messageOf } from '../core/thrown.ts'
import { AgentdError, daemonIsClosing } from '../core/errors.ts'
import { NoQuery } from '../protocol/http/requests.ts'
import { findCaller } from './request/caller.ts'
import type { Handler, ServerParts } from './request/context.ts'
import { HANDLERS } from './handler-table.ts'
import { IdleConnections } from './idle-connections.ts'
import { rawProblem, writeAnswer, writeProblem, writeProblemLater } from './request/problem.ts'
import { RequestTrace } from './request/request-trace.ts'
import type { MemoryCharge } from './request/memory-budget.ts'
import { RequestQueue } from './request-queue.ts'
import { findRoute } from './request/router.ts'
import { messageFault } from './request/http-message.ts'
import {
  ChunkBound,
  ChunkedMessage,
  LEAST_CHUNK_OCTETS,
  MAX_SMALL_CHUNKS,
  SmallChunks,
} from './request/chunked-message.ts'
import { requireMediaType } from './request/body.ts'
import { readQuery } from './request/query.ts'

/** Octets the head of a request may have. */
const MAX_HEADER_OCTETS = 8 * 1024

/** When it is worth while to ask a daemon again that has been updated, in milliseconds: it may have been restarted. */
const UPDATED_RETRY_MS = 1_000

/** What Node's server is to leave to this one. */
const OPTIONS: ServerOptions<typeof ChunkedMessage> = {
  IncomingMessage: ChunkedMessage,
  maxHeaderSize: MAX_HEADER_OCTETS,
  // Node's own timers look every so often; `IdleConnections` arms one where one is needed.
  connectionsCheckingInterval: 2 ** 31 - 1,
  requestTimeout: 0,
  headersTimeout: 0,
  keepAliveTimeout: 0,
  // Node would answer without a code; `handle` answers as everywhere (AC-159).
  requireHostHeader: false,
}

/** The server; the caller binds it. */
export function createAgentdServer(parts: ServerParts): Server {
  const { version } = parts.facts
  // Every held request and every line session listens to it; connections are bounded, and so are those.
  setMaxListeners(0, parts.closing)
  const idle = new IdleConnections(parts.clock)
  const server = createServer(OPTIONS)
  // Node would drop what is over its limit without a word, an `Authorization` too; `handle` refuses it.
  server.maxHeadersCount = 0
  // In front of Node's own listener, so that who is turned away is never served.
  const serve = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (!parts.admission.admit(socket, version)) return
    idle.arrived(socket)
    for (const listener of serve) Reflect.apply(listener, server, [socket])
  })
  const queue = new RequestQueue(parts.memory, (request, response) => void answer(parts, request, response))
  const chunks = new ChunkBound(parts.clock)
  server.on('request', (request, response) => {
    idle.busy(request.socket, response)
    chunks.watch(request, (error) => server.emit('clientError', error, request.socket))
    queue.take(request, response)
  })
  // An expectation nobody knows may be overlooked (RFC 9110, 10.1.1); Node would answer it without a code.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writable && !idle.isAnswering(socket)) socket.end(garbageProblem(version, error))
    else socket.destroy()
    // Its sender has not come to an end, and what it sent is not to be read until there; the answer is on its way.
    if (error instanceof SmallChunks) socket.destroy()
  })
  server.on('connect', (_request, socket: Socket) => {
    // Node has let go of the socket; an error nobody listens to would end the daemon.
    socket.on('error', () => socket.destroy())
    const statusLine = '405 Method Not Allowed'
    socket.end(
      rawProblem(version, { statusLine, code: 'method-not-allowed', message: 'This is not a proxy.' }),
    )
  })
  return server
}

async function answer(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('agentd-version', parts.facts.version)
  const charge = parts.memory.open()
  response.once('close', () => charge.release())
  const trace = parts.debug && new RequestTrace({ debug: parts.debug, clock: parts.clock, request, response })
  try {
    writeAnswer(response, await handle(parts, { request, response, trace, charge }), charge)
  } catch (thrown) {
    trace?.failed(thrown)
    const error = asUpdated(thrown) ?? thrown
    if (!(error instanceof AgentdError)) {
      parts.log.error('request-failed', { message: messageOf(error) })
      response.destroy()
      // A defect is not an answer: it goes to the top, where the daemon drains and exits.
      throw error
    }
    if (response.headersSent) response.destroy()
    else if (error.code === 'rate-limited') writeProblemLater(response, error)
    else writeProblem(response, error)
  }
}

/** What is loaded on demand may have been replaced under the daemon, which then only knows what it has loaded. */
function asUpdated(error: unknown): AgentdError | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return undefined
  const message =
    'agentd has been updated while this daemon ran; "agentd stop" ends it, and the next command starts the new one.'
  return new AgentdError('busy', message, { cause: error, retryAfterMs: UPDATED_RETRY_MS })
}

/** A request with its answer. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly trace: RequestTrace | undefined
  readonly charge: MemoryCharge
}

/** Route, then caller, then query, then media type, then the handler: the first fault answers. */
function handle(parts: ServerParts, { request, response, trace, charge }: Exchange): ReturnType<Handler> {
  if (parts.closing.aborted) throw daemonIsClosing()
  const fault = messageFault(request)
  if (fault !== undefined) {
    response.setHeader('connection', 'close')
    throw fault
  }
  const url = originForm(request.url ?? '/')
  const mark = url.indexOf('?')
  const search = mark === -1 ? '' : url.slice(mark + 1)
  const path = mark === -1 ? url : url.slice(0, mark)
  const match = findRoute(request.method ?? 'GET', path, () => parts.links.isLinked)
  trace?.matched(match)
  const { caller, token } = findCaller(parts.broker, request, {
    route: match.route,
    requireToken: parts.requiresToken(),
    isPersonKey: parts.isPersonKey,
    peerPid: parts.peerPidOf(request.socket),
  })
  trace?.calledBy(caller)
  // A route with a query reads it in its handler, typed; the others must not be given one.
  if (match.route.query === NoQuery && search !== '') readQuery(NoQuery, search)
  const mediaType = match.route.takes.length === 0 ? '' : requireMediaType(request, match.route)
  return HANDLERS[match.name]({
    request,
    response,
    charge,
    match,
    search,
    caller,
    token,
    mediaType,
    // Last: members that stand behind a spread are added one by one, at ten times the price of all of this.
    ...parts,
  })
}

/** A request may name its target with scheme and host (RFC 9112, 3.2.2); the path is what counts. */
function originForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
}

/** What is not HTTP, or too much of it, before there is a request to answer. */
function garbageProblem(version: string, error: NodeJS.ErrnoException): string {
  if (error instanceof SmallChunks) return smallChunksProblem(version)
  const overflow = error.code === 'HPE_HEADER_OVERFLOW'
  return rawProblem(version, {
    statusLine: '400 Bad Request',
    code: 'field-invalid',
    message: overflow ? `The request head is over ${MAX_HEADER_OCTETS} octets.` : 'This is not HTTP/1.1.',
    field: overflow ? 'headers' : 'request',
  })
}

function smallChunksProblem(version: string): string {
  return rawProblem(version, {
    statusLine: '400 Bad Request',
    code: 'field-invalid',
    message: `More than ${MAX_SMALL_CHUNKS} chunks of a body carry at least ${LEAST_CHUNK_OCTETS} octets each on the average.`,
    field: 'transfer-encoding',
  })
}
