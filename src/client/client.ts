/**
 * The door: finds the daemon of this user and speaks for its principal.
 *
 * @see docs/http.md §§1, 2, 4
 */
import { newSessionId } from '../core/ids.ts'
import { readEnvironment, resolveSocketPath } from '../host/config/paths.ts'
import { SHELL_SESSION_ID } from '../protocol/board/handovers.ts'
import { SHELL_INSTRUMENT } from '../protocol/frame/compose.ts'
import { VISITOR_INSTRUMENT, formatAddress } from '../protocol/address/handle.ts'
import type { Kind } from '../protocol/frame/kinds.ts'
import { HealthReply, StopReply } from '../protocol/http/daemon-replies.ts'
import { PID_START_HEADER, PREDECESSOR_HEADER } from '../protocol/http/headers.ts'
import { ForgetReply } from '../protocol/http/frame-replies.ts'
import { SelfReply, SessionReply } from '../protocol/http/session-replies.ts'
import { withSignal, type CallOptions } from './http/call-options.ts'
import { Connection, type ClientParts } from './http/connection.ts'
import { readNeeds, readSummary } from './reading/needs.ts'
import { Participant } from './participant.ts'
import type { Replies } from './question.ts'
import type { Forgettable, ForgetOptions } from './envelopes/participant-options.ts'
import { camelCased } from './reply/camel-cased.ts'
import type { PersonNeeds, Summary } from './reply/need-results.ts'
import { AgentdSession, type SessionFacts, type SessionOptions } from './session.ts'
import type { AgentdStream } from './stream/stream.ts'
import type { StreamOptions, VisitorOptions } from './stream/options.ts'

/** Which daemon, and how long it is waited for. */
export interface SocketOptions {
  /** The socket; absent: where this user's daemon listens, as the command finds it. */
  readonly socket?: string | undefined
  /** Gives up connecting, with the signal's reason; of no meaning afterwards. */
  readonly signal?: AbortSignal | undefined
  /** How long the daemon may take for its first answer, in milliseconds; absent, as long as for any other. */
  readonly answerMs?: number | undefined
  /** Another handle of yours to speak for, such as `~alice-work`; you have declared it. Absent, the principal. */
  readonly as?: string | undefined
}

/**
 * As `connect` of the library, with a clock and a way to the daemon of one's own. Nothing is started.
 *
 * @throws AgentdUnreachable when nobody answers, HostRefusal when the socket is not this user's alone (HD-20), UsageError
 *   when its path is too long, or the signal's reason
 */
export async function connectWith(parts: ClientParts, options: SocketOptions = {}): Promise<AgentdClient> {
  const { path } = resolveSocketPath(readEnvironment(), options.socket)
  const connection = new Connection(path, { ...parts, actsAs: options.as })
  try {
    const { signal, answerMs } = options
    const health = await connection.call({ route: 'getHealth', signal, answerMs }, HealthReply)
    return new AgentdClient(connection, options.as ?? health.principal)
  } catch (error) {
    connection.close()
    throw error
  }
}

function forgetQuery({
  eventId,
  frameId,
  upTo,
  corr,
  sender,
  kind,
  before,
  everywhere,
}: ForgetOptions): Readonly<Record<string, string | undefined>> {
  const where = everywhere === true ? 'true' : undefined
  return { event_id: eventId, frame_id: frameId, up_to: upTo, corr, sender, kind, before, everywhere: where }
}

/** Speaks for the principal: no registration, no token. */
export class AgentdClient extends Participant {
  readonly #sessions = new Set<AgentdSession>()
  #closed: Promise<void> | undefined

  /** Made by `connect`. */
  constructor(connection: Connection, principal: string) {
    const author = {
      senderHandle: principal,
      actedBy: principal,
      draftedWith: SHELL_INSTRUMENT,
      tool: undefined,
    }
    super(connection, { author, sessionId: SHELL_SESSION_ID })
  }

  /** The principal's handle. */
  get principal(): string {
    return this.handle
  }

  /**
   * Registers a session, or takes one over whose holder is dead.
   *
   * @throws AgentdError `session-exists` while its holder lives, or the session it is to carry on does and nothing shows
   *   that it may
   */
  async session(options: SessionOptions): Promise<AgentdSession> {
    const {
      sessionId,
      repositoryId,
      draftedWith = `~${options.instrument}`,
      successorOf,
      predecessorToken,
      pid = this.connection.parts.pid,
      signal,
      ...rest
    } = options
    const ids = { session_id: sessionId, drafted_with: draftedWith, successor_of: successorOf }
    const body = { ...rest, ...ids, repository_id: repositoryId, pid: pid ?? undefined }
    const pidStart = typeof pid === 'number' ? this.connection.parts.startTimeOf?.(pid) : undefined
    const headers = {
      ...(predecessorToken !== undefined && { [PREDECESSOR_HEADER]: predecessorToken }),
      ...(pidStart !== undefined && { [PID_START_HEADER]: pidStart }),
    }
    const reply = await this.connection.call({ route: 'openSession', body, headers, signal }, SessionReply)
    return this.#adopt(reply.token, { ...camelCased(reply), draftedWith })
  }

  /**
   * Goes on as a session that another process has registered.
   *
   * @throws AgentdError `unauthenticated` when it has ended
   */
  async attach(token: string, { signal }: CallOptions = {}): Promise<AgentdSession> {
    const reply = await this.connection.withToken(token).call({ route: 'getSelf', signal }, SelfReply)
    return this.#adopt(token, camelCased(reply))
  }

  /** Listens as a visitor. The stream connects at once and comes back by itself until it is ended. */
  override stream(options: StreamOptions & VisitorOptions = {}): AgentdStream {
    const { instrument = VISITOR_INSTRUMENT, sessionId = newSessionId(), tool } = options
    return this.openStream(options, { instrument, session_id: sessionId, tool })
  }

  /** Forgets retained frames for good; only the principal itself may. @returns how many there were */
  async forget(which: ForgetOptions): Promise<number> {
    const query = forgetQuery(which)
    const { forgotten } = await this.connection.call(
      { route: 'forgetFrames', query, signal: which.signal },
      ForgetReply,
    )
    return forgotten
  }

  /** Counts what {@link AgentdClient.forget} would forget now, and forgets nothing. */
  async countForgettable(which: ForgetOptions): Promise<Forgettable> {
    const query = { ...forgetQuery(which), dry_run: 'true' }
    const reply = await this.connection.call(
      { route: 'forgetFrames', query, signal: which.signal },
      ForgetReply,
    )
    return { count: reply.would_forget ?? 0, upTo: reply.up_to ?? null, elsewhere: reply.elsewhere }
  }

  /** What needs the person: questions, decisions, approvals, and sessions that wait at a prompt of their own. */
  needs(options: CallOptions = {}): Promise<PersonNeeds> {
    return readNeeds(this.connection, options)
  }

  /** How many are here, how many wait, and how much needs the person. */
  summary(options: CallOptions = {}): Promise<Summary> {
    return readSummary(this.connection, options)
  }

  /**
   * Asks the daemon to end; only the principal itself may. It goes on for as long as its readers need to be told.
   *
   * @returns its process id, for a look whether it has gone
   */
  async stop({ signal }: CallOptions = {}): Promise<number> {
    return (await this.connection.call({ route: 'stopDaemon', signal }, StopReply)).pid
  }

  /**
   * Ends another session, whoever registered it; only the principal itself may.
   *
   * @param address - such as `~alice/cc@s1`
   * @throws AgentdError `not-found` when there is none
   */
  async endSession(address: string, { signal }: CallOptions = {}): Promise<void> {
    await this.connection.perform({ route: 'endSession', path: { address }, signal })
  }

  /** Closes what is open on this side. Sessions go on at the daemon until they are closed or expire. */
  close({ signal }: CallOptions = {}): Promise<void> {
    this.#closed ??= this.#closeOnce()
    const closed = this.#closed
    return withSignal(signal, () => closed)
  }

  protected override openReplies(kinds: readonly Kind[], options: StreamOptions): Replies {
    const sessionId = newSessionId()
    const streams = kinds.map((kind) => this.stream({ ...options, sessionId, filter: `kind:${kind}` }))
    return { streams, address: formatAddress(this.handle, VISITOR_INSTRUMENT, sessionId) }
  }

  #adopt(token: string, reply: SessionFacts & { readonly principal?: string | undefined }): AgentdSession {
    const { name, address, handle, instrument, sessionId, tool, draftedWith, expiresAt, alsoOn } = reply
    const facts = { name, address, handle, instrument, sessionId, tool, draftedWith, expiresAt, alsoOn }
    const onDetach = (detached: AgentdSession): void => void this.#sessions.delete(detached)
    const { principal = this.principal } = reply
    const session = new AgentdSession(this.connection, { token, facts, principal, onDetach })
    this.#sessions.add(session)
    return session
  }

  async #closeOnce(): Promise<void> {
    await Promise.all([this.release(), ...[...this.#sessions].map((session) => session.detach())])
    this.connection.close()
  }
}
