/**
 * Requests of a page, made to the daemon: over its socket, in words of this process' own, and no more often than they were
 * asked for.
 *
 * @see SEAT-03, SEAT-19; docs/http.md
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { AgentdError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/log.ts'
import { MAX_WAIT_MS } from '../../../core/limits.ts'
import { messageOf } from '../../../core/thrown.ts'
import { AgentdUnknownAnswer, AgentdUnreachable, HostRefusal } from '../../../client/index.ts'
import type { Connection } from '../../../client/http/connection.ts'
import { MEDIA_JSON, MEDIA_SSE } from '../../../protocol/http/media.ts'
import { SEAT_HEADERS } from '../entry/answer.ts'
import type { JsonBody } from '../entry/body.ts'
import { daemonGone, refusal, refusalOf, type SeatRefusal } from '../entry/refusal.ts'
import type { DaemonMatch } from '../entry/routes.ts'
import type { Seat } from '../keys/seats.ts'
import { asPerson, envelopeFault } from './human.ts'
import type { Pages } from './pages.ts'
import type { Presence } from './presence.ts'
import { keysRefused, type Signed, type Signing } from './signing.ts'

/** How long the daemon may take to begin its answer, besides what it is asked to wait, in milliseconds. */
const ANSWER_MS = 30_000

const UNAUTHENTICATED = 401

/** The field in which the daemon says its version. */
const VERSION_FIELD = 'agentd-version'

/** Fields of the daemon's answer that a page gets. */
const PASSED = ['content-type', 'content-length', 'retry-after', 'allow', VERSION_FIELD] as const

/** The field that says whether the answer to an approval was signed here: `true` or `false` (SEAT-05). */
const SIGNED_FIELD = 'agentd-signed'

/** What it is made from. */
export interface UpstreamParts {
  /** Speaks for the person. */
  readonly connection: Connection
  readonly principal: string
  readonly presence: Presence
  readonly pages: Pages
  /** Hears which version the daemon is. */
  readonly files: { heard(version: string): void }
  readonly signing: Signing
  readonly log: Logger
}

/** A request that may be made. */
export interface Errand {
  readonly match: DaemonMatch
  readonly body: JsonBody | undefined
  /** Where a stream goes on from, as the browser says. */
  readonly lastEventId: string | undefined
  readonly seat: Seat
}

/** The same, with the body as the daemon is to have it. */
interface Saying extends Errand {
  readonly bytes: Buffer | undefined
}

/** What the daemon began to say, and with which token it was asked. */
interface Begun {
  readonly answer: IncomingMessage
  readonly token: string | undefined
}

export class Upstream {
  readonly #parts: UpstreamParts

  constructor(parts: UpstreamParts) {
    this.#parts = parts
  }

  /** Asks, and writes the answer as it comes. @returns what there is to say instead */
  async forward(errand: Errand, response: ServerResponse): Promise<SeatRefusal | undefined> {
    const fault = this.#faultOf(errand)
    if (fault !== undefined) return fault
    try {
      const said = this.#say(errand)
      const answer = await this.#ask({ ...errand, bytes: said?.bytes }, response)
      if (answer === undefined) return undefined
      if (isStream(answer)) return this.#stream(answer, errand, response)
      pass(answer, response, said?.isSigned)
      return undefined
    } catch (error) {
      return refusedBy(error, this.#parts.log)
    }
  }

  /** Who speaks from here is the person, and says so (SEAT-05). */
  #faultOf({ match, body }: Errand): SeatRefusal | undefined {
    if (match.route !== 'submitEnvelope' || body === undefined) return undefined
    return envelopeFault(body, this.#parts.principal)
  }

  /** The body as the daemon is to have it. */
  #say({ match, body }: Errand): Signed | undefined {
    if (body === undefined) return undefined
    if (match.route === 'submitEnvelope') return this.#parts.signing.sign(body)
    return { bytes: match.route === 'callVerb' ? asPerson(body) : body.bytes }
  }

  /** A token that the daemon does not know was refused with nothing done, so it is asked once more, with another one. */
  async #ask(errand: Saying, response: ServerResponse): Promise<IncomingMessage | undefined> {
    const first = await this.#begin(errand, response)
    if (first?.token === undefined || first.answer.statusCode !== UNAUTHENTICATED) return first?.answer
    first.answer.resume()
    await this.#parts.presence.lost(first.token)
    return (await this.#begin(errand, response))?.answer
  }

  /** @returns undefined when the browser has gone meanwhile */
  async #begin(
    { match, bytes: body, lastEventId }: Saying,
    response: ServerResponse,
  ): Promise<Begun | undefined> {
    const { connection, presence } = this.#parts
    const token = match.as === 'session' ? await presence.token() : undefined
    if (response.destroyed) return undefined
    const asked = token === undefined ? connection : connection.withToken(token)
    const { route, path } = match
    // Of this process' own: which page goes when there are too many.
    const { take: _, ...query } = match.query
    const request = asked.open(
      { route, path, query },
      {
        ...(body !== undefined && { 'content-type': MEDIA_JSON, 'content-length': String(body.length) }),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    )
    const gone = (): void => void request.destroy()
    response.once('close', gone)
    const late = connection.parts.clock.after(ANSWER_MS + heldMs(query), gone)
    try {
      return await new Promise<Begun>((resolve, reject) => {
        request.once('response', (answer) => resolve({ answer, token }))
        request.once('error', reject)
        request.once('close', () => reject(new Error('the connection closed before there was an answer')))
        request.end(body)
      })
    } catch (error) {
      if (response.destroyed) return undefined
      throw connection.unreachable(error)
    } finally {
      late.cancel()
      request.on('error', () => {})
    }
  }

  #stream(
    answer: IncomingMessage,
    { seat, match }: Errand,
    response: ServerResponse,
  ): SeatRefusal | undefined {
    const { pages, presence, files } = this.#parts
    files.heard(String(answer.headers[VERSION_FIELD] ?? ''))
    if (!pages.hasRoom && match.query['take'] === '1') pages.takeOver()
    if (!pages.hasRoom) {
      answer.destroy()
      return tooManyPages()
    }
    const leave = presence.enter()
    response.once('close', leave)
    response.writeHead(200, headersOf(answer))
    response.flushHeaders()
    pages.join({ seat, response, upstream: answer })
    return undefined
  }
}

/** Why it was not done: the daemon's words, or this machine's; what nobody thought of is written down. */
export function refusedBy(error: unknown, log: Logger): SeatRefusal {
  if (error instanceof AgentdError) return refusalOf(error)
  if (error instanceof HostRefusal) return keysRefused(error)
  if (!(error instanceof AgentdUnreachable || error instanceof AgentdUnknownAnswer))
    log.error('upstream', { why: messageOf(error) })
  return daemonGone()
}

/** As many pages are connected as may be. */
export function tooManyPages(): SeatRefusal {
  return refusal('too-many-pages', 'The page is open in four tabs; close one, or use it here.', {
    retryAfterMs: 5_000,
  })
}

/** A long poll answers late because it was asked to. */
function heldMs(query: DaemonMatch['query']): number {
  const ms = Number(query['timeout_ms'] ?? 0)
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_WAIT_MS) : 0
}

function isStream(answer: IncomingMessage): boolean {
  return answer.statusCode === 200 && (answer.headers['content-type'] ?? '').startsWith(MEDIA_SSE)
}

function pass(answer: IncomingMessage, response: ServerResponse, isSigned: boolean | undefined): void {
  const own = isSigned === undefined ? {} : { [SIGNED_FIELD]: String(isSigned) }
  response.writeHead(answer.statusCode ?? 502, { ...headersOf(answer), ...own })
  answer.once('error', () => response.destroy())
  answer.once('close', () => {
    // Cut off: what came is not the whole of it, and must not look so.
    if (!answer.complete) response.destroy()
  })
  answer.pipe(response)
}

function headersOf({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const passed = PASSED.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), ...SEAT_HEADERS }
}
