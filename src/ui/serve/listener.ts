/**
 * The one listener of TCP: on 127.0.0.1, at a port the kernel picks, for this user's browsers alone.
 *
 * Who connects is asked of the kernel before an octet is read. What comes after that goes through the same checks in the same
 * order, whatever it is; the first fault answers, and nothing reaches the daemon before all of them have passed.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-13, SEAT-14, R-37
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { messageOf } from '../../core/thrown.ts'
import type { Logger } from '../../core/log.ts'
import { rawAnswer, refusedAnswer, writeSeatAnswer } from './entry/answer.ts'
import { readJsonBody } from './entry/body.ts'
import { headFault, isOpening, valuesOf, type RequestHead } from './entry/guard.ts'
import { readForm } from './entry/opening.ts'
import { refusal, type SeatRefusal } from './entry/refusal.ts'
import { isOpen, matchRoute } from './entry/routes.ts'
import type { PageFiles } from './files.ts'
import type { Idle } from './idle.ts'
import type { Seat, Seats } from './keys/seats.ts'
import type { OwnRoutes } from './own-routes.ts'
import type { Upstream } from './upstream/upstream.ts'

/** Never a name: `localhost` may be `::1`, where somebody else can listen. */
export const SEAT_HOST = '127.0.0.1'

/** Connections at a time; a browser opens six. */
export const MAX_CONNECTIONS = 64

/** Octets of a head. */
const MAX_HEAD_OCTETS = 8 * 1024

/** How long a head may take, a whole request, and a connection that rests, in milliseconds. */
const HEAD_MS = 5_000
const REQUEST_MS = 10_000
const REST_MS = 30_000

/** How often Node looks whether one of them is over: by itself only every half a minute. */
const LOOK_EVERY_MS = 1_000

/** What a browser shows: 256 bits in base64url. */
const BEARER = /^Bearer ([\w-]{43})$/

/** Whether whoever has connected may; asked before anything is read. */
export type IsAllowedPeer = (socket: Socket) => boolean

/** What a listener is made from. */
export interface ListenerParts {
  readonly isAllowedPeer: IsAllowedPeer
  readonly files: Pick<PageFiles, 'get'>
  readonly seats: Seats
  readonly own: OwnRoutes
  readonly upstream: Upstream
  readonly idle: Idle
  readonly log: Logger
}

/** A listener that listens. */
export interface SeatListener {
  readonly port: number
  /** Gives the port back and cuts every connection. */
  close(): Promise<void>
}

/** Binds it and serves. */
export async function startListener(parts: ListenerParts): Promise<SeatListener> {
  const server = createServer({
    maxHeaderSize: MAX_HEAD_OCTETS,
    headersTimeout: HEAD_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: REST_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    // Node would answer in words of its own; the first check answers as everywhere.
    requireHostHeader: false,
  })
  server.maxConnections = MAX_CONNECTIONS
  admitOnly(server, parts.isAllowedPeer)
  server.listen({ host: SEAT_HOST, port: 0 })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  serve(server, parts, `${SEAT_HOST}:${port}`)
  return {
    port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** In front of Node's own listener: nothing is read from whom it does not get. */
function admitOnly(server: Server, isAllowedPeer: IsAllowedPeer): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (!isAllowedPeer(socket)) return socket.destroy()
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
    return undefined
  })
}

function serve(server: Server, parts: ListenerParts, authority: string): void {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.once('close', parts.idle.begin())
    handle({ request, response, authority }, parts).catch((error: unknown) => {
      parts.log.error('request-failed', { message: messageOf(error) })
      response.destroy()
    })
  }
  server.on('request', answer)
  // Whoever waits for a word before sending a body waits until its head has passed.
  server.on('checkContinue', answer)
  server.on('checkExpectation', answer)
  server.on('upgrade', (_request: IncomingMessage, socket: Socket) => socket.destroy())
  server.on('connect', (_request: IncomingMessage, socket: Socket) => socket.destroy())
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writable && socket.bytesWritten === 0) socket.end(unreadable(error))
    else socket.destroy()
  })
}

/** A request, and where it is answered. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly authority: string
}

async function handle(exchange: Exchange, parts: ListenerParts): Promise<void> {
  const { request, response } = exchange
  const head = { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders }
  const fault = headFault(head, exchange.authority)
  if (fault !== undefined) return writeSeatAnswer(response, refusedAnswer(fault))
  const file = isReading(head) ? parts.files.get(head.target) : undefined
  if (file !== undefined) return writeSeatAnswer(response, file)
  const seat = findSeat(head, parts.seats)
  if (seat === undefined && !isOpen(head.target)) return writeSeatAnswer(response, refusedAnswer(signedOut()))
  const refused = await act({ ...exchange, head, seat }, parts)
  if (refused !== undefined) writeSeatAnswer(response, refusedAnswer(refused))
}

/** A request whose head has passed. `seat` is undefined only for what needs no token. */
interface Admitted extends Exchange {
  readonly head: RequestHead
  readonly seat: Seat | undefined
}

async function act(
  { request, response, head, seat }: Admitted,
  parts: ListenerParts,
): Promise<SeatRefusal | undefined> {
  const match = matchRoute(head.method, head.target)
  if (match.kind === 'refused') return match
  const isForm = isOpening(head)
  const read = isForm ? readForm : readJsonBody
  const body = head.method === 'POST' ? await read(request, response) : undefined
  if (body?.kind === 'refused') return body
  if (match.kind === 'own') {
    const answer = await parts.own.answer({ match, seat, body, isForm })
    writeSeatAnswer(response, answer.kind === 'refused' ? refusedAnswer(answer) : answer)
    return undefined
  }
  if (seat === undefined) return signedOut()
  const [lastEventId] = valuesOf(head, 'last-event-id')
  return parts.upstream.forward({ match, body, seat, lastEventId }, response)
}

function isReading({ method }: RequestHead): boolean {
  return method === 'GET' || method === 'HEAD'
}

function findSeat(head: RequestHead, seats: Seats): Seat | undefined {
  const [shown = '', ...others] = valuesOf(head, 'authorization')
  const token = others.length === 0 ? BEARER.exec(shown)?.[1] : undefined
  return token === undefined ? undefined : seats.find(token)
}

function signedOut(): SeatRefusal {
  return refusal('signed-out', 'This page is not signed in; "agentd ui" makes a link that does it.')
}

/** What is no request, or too much of one, or too slow. */
function unreadable({ code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW')
    return rawAnswer(
      '431 Request Header Fields Too Large',
      refusal(
        'field-invalid',
        `The request head is over ${MAX_HEAD_OCTETS} octets. Cookies of other servers at ${SEAT_HOST} may fill it; delete them.`,
      ),
    )
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return rawAnswer('408 Request Timeout', refusal('field-invalid', 'The request did not come in time.'))
  return rawAnswer('400 Bad Request', refusal('field-invalid', 'This is not HTTP/1.1.'))
}
