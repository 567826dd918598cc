/**
 * A registered session: an address others can name, a token, and perhaps a mailbox.
 *
 * @see docs/http.md §§4, 7
 */
import { AgentdError } from '../core/errors.ts'
import type { Kind } from '../protocol/frame/kinds.ts'
import { SeenReply } from '../protocol/http/inbox-replies.ts'
import type { Via } from '../protocol/http/requests.ts'
import type { ActivityState, Delivery, WaitingReason } from '../protocol/http/session-replies.ts'
import { withSignal, type CallOptions } from './http/call-options.ts'
import type { Connection } from './http/connection.ts'
import { EntityService } from './service/entity-service.ts'
import { AgentdUnreachable } from './http/errors.ts'
import { Inbox } from './inbox.ts'
import { Participant } from './participant.ts'
import type { Replies } from './question.ts'
import type { AgentdStream } from './stream/stream.ts'
import type { StreamOptions } from './stream/options.ts'
import type { ServeOptions, TaskHandlers } from './service/task-handler.ts'

/** What a session says about itself. Only `instrument` is required. */
export interface SessionOptions extends CallOptions {
  /** What speaks in it, the body of a handle such as `cc-opus-4-6`. */
  readonly instrument: string
  /** Its id; default: a new ULID. */
  readonly sessionId?: string | undefined
  /** Its tool class, such as `cc`; default `other`. */
  readonly tool?: string | undefined
  /** The handle it speaks as; default: the principal. */
  readonly handle?: string | undefined
  /** The handle of its instrument; default: `~` and the instrument. */
  readonly draftedWith?: string | undefined
  /** What it is at work on, at most 256 octets. */
  readonly title?: string | undefined
  /** The directory it works in. */
  readonly cwd?: string | undefined
  /** The git common directory: one for all worktrees. */
  readonly repository?: string | undefined
  /** What that is called on every machine: `git:` with host and path of where it comes from. */
  readonly repositoryId?: string | undefined
  /** The worktree it works in. */
  readonly worktree?: string | undefined
  /** The branch it works on. */
  readonly branch?: string | undefined
  /** A process whose life is the session's. Default: the one that registers it; null for none. */
  readonly pid?: number | null | undefined
  /** Keep what comes while the session holds no stream. */
  readonly mailbox?: boolean | undefined
  /** It is an agent: `agent.` and its name is one of its entities, and the daemon answers for it whether it is there. */
  readonly agent?: boolean | undefined
  /** AEE entities it speaks and hears for, such as `agent.reviewer`; `human.*` only as tool `human`. */
  readonly entities?: readonly string[] | undefined
  /** How it can be reached: in a turn, between two, and without a person; names such as `hook` or `mcp`. */
  readonly delivery?: Delivery | undefined
  /** `<instrument>@<session-id>` whose mailbox this session takes over. */
  readonly successorOf?: string | undefined
  /** The token of that session, which it takes while it lives, unless the same process registered it. */
  readonly predecessorToken?: string | undefined
}

/** What a session does. */
export interface ActivityOptions extends CallOptions {
  /** `waiting` is at a prompt of its own, where only its person can go on. */
  readonly state: ActivityState
  /** What it waits for there. */
  readonly reason?: WaitingReason | null | undefined
  /** More of it, in words, at most 256 octets. */
  readonly text?: string | null | undefined
}

/** What the daemon says a session is. */
export interface SessionFacts {
  /** What people call it: `api-refactor`, `cc-otter`; undefined from a daemon that gives no names. */
  readonly name: string | undefined
  /** Its address, such as `~alice/cc@s1`. */
  readonly address: string
  /** The handle it speaks as. */
  readonly handle: string
  /** The instrument that speaks in it, such as `cc`. */
  readonly instrument: string
  /** Its id. */
  readonly sessionId: string
  /** Its tool class, such as `cc`, or `other`. */
  readonly tool: string
  /** The handle of its instrument, which stands in its frames. */
  readonly draftedWith: string
  /** When it ends unless it is heard of before, RFC 3339; of no meaning while its process shows that it lives. */
  readonly expiresAt: string
  /** Other nodes that have a session of the same address, which all get what is for it; undefined where none has. */
  readonly alsoOn?: readonly string[] | undefined
}

/** What has been seen: everything up to an event, or single events. */
export type SeenOptions = (
  | {
      /** The event up to which everything has been seen. */
      readonly upTo: string
      /** Not with `upTo`. */
      readonly eventIds?: undefined
    }
  | {
      /** The events that have been seen. */
      readonly eventIds: readonly string[]
      /** Not with `eventIds`. */
      readonly upTo?: undefined
    }
) &
  CallOptions & {
    /** How they came to their reader; default `stream`. */
    readonly via?: Via | undefined
    /**
     * `dropped` says that they were left out, and shown to nobody; `handed` that they were written to whoever shows them,
     * which the next drain proves or takes back (`handed` there; only with `eventIds`). Default `seen`.
     */
    readonly state?: 'seen' | 'dropped' | 'handed' | undefined
  }

/** What a session is made from. */
export interface SessionParts {
  readonly token: string
  readonly facts: SessionFacts
  /** Whom the session acts for (AC-178). */
  readonly principal: string
  /** Called once, when the object is done with. */
  readonly onDetach: (session: AgentdSession) => void
}

/** Made by `session()` or `attach()` of a client. */
export class AgentdSession extends Participant {
  /** Its address, such as `~alice/cc-opus-4-6@s1`. */
  readonly address: string
  /** The bearer token; a secret. Whoever has it can `attach`. */
  readonly token: string
  /** What the daemon said of it when it was registered. */
  readonly facts: SessionFacts
  /** Its mailbox. */
  readonly inbox: Inbox
  readonly #onDetach: (session: AgentdSession) => void
  readonly #services = new Set<EntityService>()
  #detached: Promise<void> | undefined

  /** @param connection - the client's; the session's own carries its token */
  constructor(connection: Connection, parts: SessionParts) {
    const { token, facts, principal, onDetach } = parts
    const { handle, draftedWith, tool, sessionId } = facts
    const author = { senderHandle: handle, actedBy: principal, draftedWith, tool }
    super(connection.withToken(token), { author, sessionId, address: facts.address })
    this.address = facts.address
    this.token = token
    this.facts = facts
    this.inbox = new Inbox(this.connection)
    this.#onDetach = onDetach
  }

  /** Listens. The stream connects at once and comes back by itself until it is ended. */
  override stream(options: StreamOptions = {}): AgentdStream {
    return this.openStream(options, {})
  }

  /**
   * Does the tasks that are sent to one of the session's entities, from now on, and answers them. The stream it
   * holds for that stands beside the session's mailbox: frames go on waiting there.
   *
   * @param handlers - intent → what does its tasks; `aee.status.ping` and `aee.capability.list` need none
   * @throws UsageError for a channel
   */
  serve(entity: string, handlers: TaskHandlers, options: ServeOptions = {}): EntityService {
    const { sign } = options
    const service = new EntityService(
      { entity, handlers, options },
      {
        clock: this.connection.parts.clock,
        open: (streamOptions) => this.stream(streamOptions),
        send: (draft) => this.sendEnvelope(draft, { sign }),
        thread: (corr) => this.thread(corr),
        seen: (eventIds) => this.seen({ eventIds }),
        onEnd: (ended) => void this.#services.delete(ended),
      },
    )
    this.#services.add(service)
    return service
  }

  /**
   * Says that frames read from a stream were seen; their senders' receipts tell so.
   *
   * @returns how many frames that was news about
   */
  async seen(options: SeenOptions): Promise<number> {
    const { upTo, eventIds, via, state, signal } = options
    const body = { up_to: upTo, event_ids: eventIds, via, state }
    const { seen } = await this.connection.call({ route: 'markSeen', body, signal }, SeenReply)
    return seen
  }

  /** Says what the session does. It stands on the roster until the next word or the end of the daemon; nobody is told. */
  async setActivity({ state, reason, text, signal }: ActivityOptions): Promise<void> {
    await this.connection.perform({ route: 'setActivity', body: { state, reason, text }, signal })
  }

  /** Ends the session for everybody. That it has ended already is no error. */
  async close({ signal }: CallOptions = {}): Promise<void> {
    await this.detach({ signal })
    try {
      await this.connection.perform({ route: 'closeSession', signal })
    } catch (error) {
      const isGone = error instanceof AgentdError && error.code === 'unauthenticated'
      if (!isGone && !(error instanceof AgentdUnreachable)) throw error
    }
  }

  /** Lets go of the session without ending it: another process can `attach` with its token. */
  detach({ signal }: CallOptions = {}): Promise<void> {
    this.#detached ??= this.#detachOnce()
    const detached = this.#detached
    return withSignal(signal, () => detached)
  }

  async #detachOnce(): Promise<void> {
    // Tasks at work are answered while there is a way to answer them.
    await Promise.all([...this.#services].map((service) => service.close()))
    await this.release()
    this.#onDetach(this)
  }

  protected override openReplies(kinds: readonly Kind[], options: StreamOptions): Replies {
    const streams = kinds.map((kind) => this.stream({ ...options, filter: `kind:${kind}` }))
    return { streams, address: this.address }
  }
}
