/**
 * The way to one daemon: its socket, who asks, and how a request is made, bounded and repeated.
 *
 * @see docs/http.md §§1–3
 */
import { request, type Agent, type AgentOptions, type ClientRequest, type RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import type { z } from 'zod'
import { systemErrorCode } from '../../core/thrown.ts'
import type { Clock } from '../../core/clock.ts'
import { MAX_HISTORY_ITEMS, MAX_SUBMISSION_OCTETS } from '../../core/limits.ts'
import { encodeJson } from '../../core/text/json.ts'
import { AS_HEADER, KEY_HEADER } from '../../protocol/http/headers.ts'
import { MEDIA_JSON } from '../../protocol/http/media.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { ROUTES, type RouteName } from '../../protocol/routes/routes.ts'
import { howAbsent } from './absence.ts'
import { Backoff, pause } from './backoff.ts'
import { AgentdUnknownAnswer, AgentdUnreachable, BoundPassed, ExchangeFailed } from './errors.ts'
import { exchange, type HttpAnswer } from './exchange.ts'
import { readReplyBody, readRefusal } from './refusal.ts'
import { dialledAgent, ownSocketAgent } from './own-socket-agent.ts'

/** What the library takes from its surroundings; tests bring their own. */
export interface ClientParts {
  readonly clock: Clock
  /** Evenly spread in [0, 1). */
  readonly random: () => number
  /** The person's key, which stands for a token where one is mandatory; read when it is first needed. */
  readonly readPersonKey?: (() => string | undefined) | undefined
  /** The process whose life a session's is, unless it names another; absent, none. */
  readonly pid?: number | undefined
  /** When a process began, as the daemon compares it; absent where that is not cheap to tell. */
  readonly startTimeOf?: ((pid: number) => string | undefined) | undefined
  /** Opens a connection inside the daemon's own process, instead of one to its socket. */
  readonly dial?: (() => Duplex) | undefined
  /** The declared handle that requests without a token speak for; absent, the principal. */
  readonly actsAs?: string | undefined
}

type Query = Readonly<Record<string, string | number | undefined>>

/** One request of the route table. */
export interface Call {
  readonly route: RouteName
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Query
  /** Sent as JSON. */
  readonly body?: object
  /** Header fields beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** How long the daemon may hold the answer back, when it is a long poll. */
  readonly holdMs?: number | undefined
  /** How long the answer may take besides that, where it is not as long as for every call. */
  readonly answerMs?: number | undefined
}

/** How long a daemon that is not asked to wait may take; a stopped one never answers at all. */
const CALL_MS = 30_000

/** The largest honest answer: a full history page of the largest frames. */
export const MAX_ANSWER_OCTETS = MAX_HISTORY_ITEMS * MAX_SUBMISSION_OCTETS

/** Waits between two tries of one call; ten of them last about four seconds. */
const CALL_BACKOFF = { baseMs: 20, capMs: 1_000 }

/**
 * How often a call is repeated after each system error. On a Unix socket a full backlog answers EAGAIN at
 * once, so that one means "busy", not "absent"; the two others need a safe request as well.
 */
const MAX_REPEATS: Readonly<Record<string, number>> = { EAGAIN: 10, ECONNREFUSED: 5, ECONNRESET: 5, EPIPE: 5 }

/** There is no TLS: to find out what its server would be called, Node compiles the longest expression it has. */
const WITHOUT_TLS = { servername: '' }

/** Kept connections; long polls and streams bring their own. */
const AGENT_OPTIONS = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2 }

export class Connection {
  readonly socketPath: string
  readonly parts: ClientParts
  /** Who asks: a session's bearer token, or undefined for the principal. */
  readonly token: string | undefined
  readonly #agent: Agent
  /** Set when it is first needed and there; it stays the same for as long as the state directory does. */
  #personKey: string | undefined
  /** Keeps nothing: a connection for each request. */
  readonly #oneShots: Agent

  constructor(
    socketPath: string,
    parts: ClientParts,
    token?: string,
    agent: Agent = agentOf(parts, AGENT_OPTIONS),
  ) {
    this.socketPath = socketPath
    this.parts = parts
    this.token = token
    this.#agent = agent
    this.#oneShots = agentOf(parts)
  }

  /** The same way, asked by a session; the kept connections are shared. */
  withToken(token: string): Connection {
    return new Connection(this.socketPath, this.parts, token, this.#agent)
  }

  /**
   * Makes a call and reads its answer.
   *
   * @throws AgentdError for a refusal, AgentdUnknownAnswer for what is outside the contract,
   *   AgentdUnreachable when nobody answers, HostRefusal when the socket is not this user's alone (HD-20), or the
   *   signal's reason
   */
  async call<T>(call: Call, reply: z.ZodType<T>): Promise<T> {
    const answer = await this.perform(call)
    const parsed = reply.safeParse(readReplyBody(answer.body))
    if (parsed.success) return parsed.data
    throw new AgentdUnknownAnswer(answer.status, `The peer answered ${call.route} outside the contract.`, {
      cause: parsed.error,
    })
  }

  /** As {@link call}, for an answer that is not looked into. */
  async perform(call: Call): Promise<HttpAnswer> {
    const backoff = new Backoff(CALL_BACKOFF, this.parts.random)
    for (;;) {
      try {
        const answer = await this.#exchange(call)
        if (answer.status >= 200 && answer.status < 300) return answer
        throw readRefusal(answer.status, answer.headers, answer.body)
      } catch (error) {
        if (!mayRepeat(error, call, backoff.failures)) throw this.#explain(error)
      }
      await pause(this.parts.clock, backoff.nextMs(), call.signal)
    }
  }

  /** A request on a connection of its own, for an exchange that goes on; nothing is written yet. */
  open(call: Call, headers: Readonly<Record<string, string>>): ClientRequest {
    return request({
      ...this.#options(call),
      agent: this.#oneShots,
      headers: { ...this.#headers(call), ...headers },
    })
  }

  /** Why nobody answers, as the error callers meet. */
  unreachable(cause: unknown): AgentdUnreachable {
    const code = systemErrorCode(cause instanceof ExchangeFailed ? cause.cause : cause)
    const how = cause instanceof Error ? cause.message : 'the connection was lost'
    return new AgentdUnreachable(this.socketPath, howAbsent(code, how), cause)
  }

  /** Closes the kept connections. */
  close(): void {
    this.#agent.destroy()
  }

  #exchange(call: Call): Promise<HttpAnswer> {
    const body = call.body === undefined ? undefined : encodeJson(call.body, 'body')
    const headers = {
      ...this.#headers(call),
      ...call.headers,
      ...(body !== undefined && { 'content-type': MEDIA_JSON, 'content-length': Buffer.byteLength(body) }),
    }
    // A kept connection may be closing just now. Only what can be repeated is risked on one, and a long poll
    // would keep it from everybody else.
    const agent = isSafe(call) && call.holdMs === undefined ? this.#agent : this.#oneShots
    return exchange({
      request: { ...this.#options(call), agent, headers },
      body,
      signal: call.signal,
      clock: this.parts.clock,
      deadlineMs: (call.answerMs ?? CALL_MS) + (call.holdMs ?? 0),
      maxOctets: MAX_ANSWER_OCTETS,
    })
  }

  #options(call: Call): RequestOptions {
    const { method, path } = ROUTES[call.route]
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(call.path?.[name] ?? ''),
    )
    const whole = `${filled}${formatQuery(call.query ?? {})}`
    return { ...WITHOUT_TLS, socketPath: this.socketPath, method, path: whole }
  }

  #headers({ route }: Call): Record<string, string> {
    const host = { host: 'agentd' }
    if (this.token !== undefined) return { ...host, authorization: `Bearer ${this.token}` }
    if (ROUTES[route].auth === 'open') return host
    const key = this.#findPersonKey()
    const { actsAs } = this.parts
    return {
      ...host,
      ...(key !== undefined && { [KEY_HEADER]: key }),
      ...(actsAs !== undefined && { [AS_HEADER]: actsAs }),
    }
  }

  #findPersonKey(): string | undefined {
    this.#personKey ??= this.parts.readPersonKey?.()
    return this.#personKey
  }

  #explain(error: unknown): unknown {
    if (error instanceof ExchangeFailed && error.cause instanceof HostRefusal) return error.cause
    return error instanceof ExchangeFailed || error instanceof BoundPassed ? this.unreachable(error) : error
  }
}

/** Who opens connections. @param options - none: nothing is kept */
function agentOf({ dial }: ClientParts, options?: AgentOptions): Agent {
  return dial === undefined ? ownSocketAgent(options) : dialledAgent(dial, options)
}

/** Whether the daemon may be asked twice without doing anything twice. */
function isSafe(call: Call): boolean {
  return ROUTES[call.route].method === 'GET'
}

function mayRepeat(error: unknown, call: Call, failures: number): boolean {
  if (!(error instanceof ExchangeFailed)) return false
  const code = systemErrorCode(error.cause) ?? ''
  const bound = MAX_REPEATS[code] ?? 0
  // At its descriptor limit the daemon's kernel accepts and closes without a word; so does a kept connection.
  const wasHeard = code === 'ECONNRESET' || code === 'EPIPE'
  return failures < bound && (!wasHeard || isSafe(call))
}

function formatQuery(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}
