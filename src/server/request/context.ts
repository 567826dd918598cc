/**
 * What a handler works with: one request that found its route and its caller.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Broker } from '../../broker/broker.ts'
import type { LiveNeeds } from '../../broker/needs/live-needs.ts'
import type { Caller } from '../../broker/session/caller.ts'
import type { Session } from '../../broker/session/session.ts'
import type { Clock } from '../../core/clock.ts'
import type { Debug } from '../../core/debug.ts'
import { AgentdError, daemonIsClosing } from '../../core/errors.ts'
import type { Logger } from '../../core/log.ts'
import { decodeJson } from '../../core/text/json.ts'
import { MAX_BODY_OCTETS } from '../../core/limits.ts'
import type { McpSurroundings } from '../../protocol/routes/mcp-routes.ts'
import { frameTooLarge } from '../../protocol/frame/submission.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'
import type { z } from 'zod'
import type { LogLine } from '../../aee/conformance/conformance.ts'
import type { Asker } from '../../broker/ring/asker.ts'
import type { Admission } from './admission.ts'
import type { RouteAnswer } from './answer.ts'
import { readBody, type BodyBound } from './body.ts'
import type { HookPort } from '../ports/hook-port.ts'
import type { LinksPort } from '../ports/link-port.ts'
import type { TextPort } from '../ports/text-port.ts'
import type { MemoryBudget, MemoryCharge } from './memory-budget.ts'
import { readQuery } from './query.ts'
import type { Match } from './router.ts'

/** What the daemon tells about itself that the broker does not know. */
export interface DaemonFacts {
  readonly version: string
  /** Where it listens. */
  readonly socketPath: string
  readonly instanceId: string
  readonly startedAtMs: number
  /** Whether the kernel is asked who connects; otherwise the modes of directory and socket stand alone. */
  readonly checksPeers: boolean
  /** Sentences about what is not as it should be; with any, health is `degraded`. */
  readonly details: () => readonly string[]
}

/** Who writes down what is to be known of envelopes later. */
export interface EnvelopeRecorder {
  /** A line that was sent to be logged and nothing else (AEE-C19). */
  logLine(line: LogLine): void
  /** An envelope was refused; of what it was, only the size is told. */
  refused(error: AgentdError, sizeBytes: number): void
}

/** One connection over which tools are served. */
export interface McpConnectionRequest {
  readonly input: Readable
  readonly output: Writable
  /** Told what an unfinished line holds, in octets. @throws AgentdError `busy` */
  readonly holds: (octets: number) => void
  readonly closing: AbortSignal
  readonly surroundings: McpSurroundings
  /** Which tools; absent, agentd's own. */
  readonly verbs: 'memo' | undefined
  /** The declared handle that its sessions go by; absent, the principal's. */
  readonly as: string | undefined
  /** The process at the other end, as the kernel says. */
  readonly peerPid: number | undefined
}

/** The right to one connection. */
export interface McpPlace {
  /** Serves until the input ends, or either side goes. Never rejects. */
  readonly serve: (connection: McpConnectionRequest) => Promise<void>
  /** Gives the place back; repeated, it does nothing. */
  readonly release: () => void
}

/** Who serves the tools of agent runtimes (OP-08). */
export interface McpService {
  /** Takes a place, and loads what serves. @throws AgentdError `busy` when there is none */
  reserve(): Promise<McpPlace>
}

/** What every request shares. */
export interface ServerParts {
  readonly broker: Broker
  readonly clock: Clock
  readonly log: Logger
  /** Told of each request that is over; undefined where nobody looks. */
  readonly debug: Debug | undefined
  readonly facts: DaemonFacts
  readonly admission: Admission
  /** Of what waits in memory, over all connections. */
  readonly memory: MemoryBudget
  /** The process at the other end of a connection; undefined where the kernel is not asked, or does not say. */
  readonly peerPidOf: (socket: Socket) => number | undefined
  readonly records: EnvelopeRecorder
  readonly mcp: McpService
  /** Who answers hooks; loaded when the first of them comes. */
  readonly hooks: () => Promise<HookPort>
  /** What needs the person; loaded when somebody first asks for it. */
  readonly needs: () => Promise<LiveNeeds>
  /** Where the texts of handovers are that fit into no frame. */
  readonly texts: TextPort
  /** The links to other nodes; loaded where there is one. */
  readonly links: LinksPort
  /** Whether a token is mandatory (config `auth`); asked for every request, because it may be reloaded. */
  readonly requiresToken: () => boolean
  /** Whether this is the person's key, which stands for a token then. */
  readonly isPersonKey: (shown: string) => boolean
  /** Ends the daemon, once what was answered in this turn has been written. */
  readonly stop: () => void
  /** Aborted when the daemon is on its way out. */
  readonly closing: AbortSignal
  /** Runs a step at the end of the current loop turn, after the broker's. */
  readonly defer: (step: () => void) => void
}

/** One request. */
export interface RequestContext extends ServerParts {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly match: Match
  readonly search: string
  readonly caller: Caller
  /** What this request holds of the memory budget, until its answer is over. */
  readonly charge: MemoryCharge
  /** Of the body, without parameters; empty for a route that takes none. */
  readonly mediaType: string
  /** The bearer token as it came. */
  readonly token: string | undefined
}

export type Handler = (context: RequestContext) => RouteAnswer | Promise<RouteAnswer>

/** A body of any route but those that take frames and envelopes. */
export const SMALL_BODY: BodyBound = {
  maxOctets: MAX_BODY_OCTETS,
  field: 'frame',
  tooLarge: frameTooLarge,
}

/** The JSON body, as the route's schema admits it. */
export async function bodyOf<T>(
  context: RequestContext,
  schema: z.ZodType<T>,
  bound: BodyBound = SMALL_BODY,
): Promise<T> {
  const bytes = await readBody(context, bound)
  return requireShape(schema, decodeJson(bytes, 'body'), 'body')
}

/** The query, as the route's schema and its rules admit it. */
export function queryOf<T>({ match, search }: RequestContext, schema: z.ZodType<T>): T {
  return readQuery(schema, search, match.route.rules)
}

/** @throws AgentdError `unauthenticated` for a caller without a token */
export function requireSession({ caller }: RequestContext): Session {
  if (caller.session !== undefined) return caller.session
  throw new AgentdError(
    'unauthenticated',
    'This path is for a session; send its token as "Authorization: Bearer …".',
  )
}

/**
 * For what is the person's to do, and no session's.
 *
 * @param sentence - what that is, without its full stop
 * @throws AgentdError `scope-unauthorised` for a token
 */
export function requirePrincipal({ caller }: RequestContext, sentence: string): void {
  if (caller.session === undefined) return
  throw new AgentdError('scope-unauthorised', `${sentence}; leave the token out.`)
}

/**
 * A long poll: held until `start` calls back, the sender goes, or the daemon does.
 *
 * @param start - begins the wait and returns how it is given up
 * @throws AgentdError `closing`
 */
export function held(
  { closing, response }: RequestContext,
  start: (answer: (answer: RouteAnswer) => void) => () => void,
): Promise<RouteAnswer> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(daemonIsClosing())
    const giveUp = start((answer) => {
      closing.removeEventListener('abort', leave)
      resolve(answer)
    })
    closing.addEventListener('abort', leave)
    response.once('close', () => {
      closing.removeEventListener('abort', leave)
      giveUp()
    })
  })
}

/** Who asks, to whom the broker looks something up for. */
export function askerOf({ request, response, charge }: RequestContext): Asker {
  return {
    connection: request.socket,
    get isGone() {
      return response.destroyed || request.socket.destroyed
    },
    holds: (octets) => charge.hold(octets),
  }
}

/** A path parameter; the router has seen to it that it is there. */
export function paramOf(context: RequestContext, name: string): string {
  return context.match.params.get(name) ?? ''
}

/**
 * A place in the sequence to page on from; one of another epoch or from the future is a mistake here.
 *
 * @throws AgentdError `field-invalid`, field `after` unless another one is named
 */
export function requirePlace(broker: Broker, eventId: string, field = 'after'): number {
  const seq = broker.placeOf(eventId)
  if (seq !== undefined) return seq
  throw new AgentdError('field-invalid', `"${field}" is not an event id of this daemon.`, { field })
}
