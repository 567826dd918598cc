/**
 * The way to the daemon: the requests of `/v1/link/*` over its socket, with the token that opens them and nothing else.
 *
 * The daemon is this user's own and the one that started this process, so its answers are read, not checked.
 *
 * @see docs/http.md §13; FED-07
 */
import { request, type Agent, type IncomingMessage } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { objectOf, parseMembers, textMember, type JsonObject } from '../../core/text/json-object.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { exchange, type HttpAnswer } from '../../client/http/exchange.ts'
import { ownSocketAgent } from '../../client/http/own-socket-agent.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { DaemonAway, DaemonRefusal } from './faults.ts'

/** A batch is committed before it is answered, behind whatever the disk has to do. */
const ANSWER_MS = 60_000

/** Every answer is a few lines but the state, which has a mark for each life of each lane. */
const MAX_ANSWER_OCTETS = 4_194_304

/** A connection that was kept may be closing just now; everything here may be said twice. */
const MAX_REPEATS = 3

export interface DoorOptions {
  readonly socketPath: string
  readonly token: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

export class Door {
  readonly #options: DoorOptions
  readonly #agent: Agent

  constructor(options: DoorOptions) {
    this.#options = options
    this.#agent = ownSocketAgent({ keepAlive: true, maxSockets: 8, maxFreeSockets: 4 })
  }

  /** @throws DaemonAway, DaemonRefusal */
  get(path: string): Promise<JsonObject> {
    return this.#ask('GET', path, undefined, 'application/json')
  }

  /** @throws DaemonAway, DaemonRefusal */
  post(path: string, body: object): Promise<JsonObject> {
    return this.#ask('POST', path, JSON.stringify(body), 'application/json')
  }

  /** @param lines - without a line feed at the end @throws DaemonAway, DaemonRefusal */
  postLines(path: string, lines: string): Promise<JsonObject> {
    return this.#ask('POST', path, lines, 'application/x-ndjson')
  }

  /** An answer that goes on. @throws DaemonAway, DaemonRefusal */
  async open(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#begin(path, signal)
    if (response.statusCode === 200) return response
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(Buffer.from(chunk))
    throw refusalOf(response.statusCode ?? 0, Buffer.concat(chunks))
  }

  close(): void {
    this.#agent.destroy()
  }

  async #ask(method: string, path: string, body: string | undefined, media: string): Promise<JsonObject> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return readAnswer(await this.#exchange(method, path, body, media))
      } catch (error) {
        if (error instanceof DaemonRefusal || this.#options.signal.aborted) throw error
        if (repeats >= MAX_REPEATS || !wasClosing(error)) throw awayOf(error)
      }
    }
  }

  #exchange(method: string, path: string, body: string | undefined, media: string): Promise<HttpAnswer> {
    const { socketPath, token, clock, signal } = this.#options
    const content = body !== undefined && { 'content-type': media, 'content-length': Buffer.byteLength(body) }
    const headers = { host: 'agentd', authorization: `Bearer ${token}`, ...content }
    return exchange({
      request: { socketPath, agent: this.#agent, method, path, headers },
      body,
      signal,
      clock,
      deadlineMs: ANSWER_MS,
      maxOctets: MAX_ANSWER_OCTETS,
    })
  }

  #begin(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { socketPath, token } = this.#options
    const headers = { host: 'agentd', authorization: `Bearer ${token}` }
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath, agent: ownSocketAgent(), path, headers, signal })
      sent.on('error', (error) => reject(awayOf(error)))
      sent.on('response', resolve)
      sent.end()
    })
  }
}

function readAnswer({ status, body }: HttpAnswer): JsonObject {
  if (status === 204) return {}
  const members = parseMembers(body.toString())
  if (status === 200 && members !== undefined) return members
  throw refusalOf(status, body)
}

function refusalOf(status: number, body: Buffer): DaemonAway | DaemonRefusal {
  const members = objectOf(parseMembers(body.toString()))
  const [code, message] = [textMember(members, 'code') ?? 'unknown', textMember(members, 'message') ?? '']
  // It is going, or cannot just now.
  if (status >= 500 || status === 429) return new DaemonAway(`The daemon cannot now: ${code}.`)
  return new DaemonRefusal(status, code, message)
}

/** The socket of somebody else's is no daemon that one waits for. */
function awayOf(error: unknown): Error {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof HostRefusal) return cause
  return new DaemonAway('The daemon does not answer.', { cause: error })
}

function wasClosing(error: unknown): boolean {
  const code = systemErrorCode(error instanceof Error ? error.cause : undefined)
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'EAGAIN'
}
