/**
 * Whoever speaks and listens: the principal itself, or one of its sessions. Both do it with the same words.
 */
import { newUuid } from '../core/ids.ts'
import type { Frame } from '../protocol/frame/frame.ts'
import type { Kind } from '../protocol/frame/kinds.ts'
import { HealthReply } from '../protocol/http/daemon-replies.ts'
import { SubmissionReply, VerbReply } from '../protocol/http/frame-replies.ts'
import type { VerbName } from '../protocol/verb/verbs.ts'
import { ask } from './ask.ts'
import type { Connection } from './http/connection.ts'
import { Correspondent } from './envelopes/correspondent.ts'
import { Lease } from './lease.ts'
import { LinePipe } from './pipe/line-pipe.ts'
import { composeMessage, encodeSubmission } from './outgoing.ts'
import type {
  AdviseOptions,
  BroadcastOptions,
  HandoverOptions,
  LockOptions,
  LooseContent,
  Message,
  ParticipantIdentity,
  SendOptions,
} from './outgoing.ts'
import type { HistoryOptions, QueryReference, ReceiptOptions } from './envelopes/participant-options.ts'
import { readHistory, readReceipts } from './reading/past.ts'
import { findScope, withScope } from './reading/recipient.ts'
import type { AskOptions, AskResult, Asker, Replies } from './question.ts'
import { camelCased } from './reply/camel-cased.ts'
import type { TakeOver } from './reply/handover-results.ts'
import * as results from './reply/results.ts'
import { readRoster, readRosterPage, type RosterOptions } from './reading/roster.ts'
import { AgentdStream } from './stream/stream.ts'
import type { StreamOptions } from './stream/options.ts'
import { AgentdWatch } from './stream/watch.ts'
import type { WatchOptions } from './stream/watch-items.ts'
import { takeOver, type TakeOverOptions } from './takeover.ts'

/** A lease and an extension when nobody says otherwise, in milliseconds. */
const DEFAULT_LEASE_MS = 300_000

/**
 * The words that the principal and its sessions share.
 *
 * Every method throws AgentdError for a refusal by the daemon, AgentdUnreachable when nobody answers, and
 * AgentdUnknownAnswer for what only a newer daemon understands.
 */
export abstract class Participant extends Correspondent implements AsyncDisposable {
  /** The handle this participant speaks as and listens to. */
  readonly handle: string
  readonly #identity: ParticipantIdentity
  readonly #pipe: LinePipe<SubmissionReply>
  readonly #streams = new Set<AgentdStream | AgentdWatch>()

  protected constructor(connection: Connection, identity: ParticipantIdentity) {
    super(connection)
    this.handle = identity.author.senderHandle
    this.#identity = identity
    this.#pipe = new LinePipe(connection, { route: 'submitFrame', reply: SubmissionReply })
  }

  get socketPath(): string {
    return this.connection.socketPath
  }

  /** Composes a frame of any kind and sends it. */
  send<K extends Kind>(message: Message<K>): Promise<results.SubmissionResult> {
    return this.#compose({ kind: message.kind, payload: { ...message.payload } }, message)
  }

  /** Sends a complete frame as it is. */
  async submit(frame: Frame, scope?: string): Promise<results.SubmissionResult> {
    return results.toSubmissionResult(await this.#pipe.send(encodeSubmission(frame, scope)))
  }

  /** Says what one is doing. */
  advise(text: string, options: AdviseOptions = {}): Promise<results.SubmissionResult> {
    const { fileRefs, worktree, branch } = options
    const payload = { advisory_text: text, file_refs: fileRefs, worktree, branch }
    return this.#compose({ kind: 'agent_advisory', payload }, options)
  }

  /** Says what has happened. */
  broadcast(text: string, options: BroadcastOptions = {}): Promise<results.SubmissionResult> {
    const { eventClass = 'other', refs } = options
    const payload = { broadcast_text: text, event_class: eventClass, refs }
    return this.#compose({ kind: 'agent_broadcast', payload }, options)
  }

  /** Leaves work to a later session. */
  handover(body: string, options: HandoverOptions = {}): Promise<results.SubmissionResult> {
    const { previousSessionId = this.#identity.sessionId, nextSessionId, pointerRefs } = options
    const ids = { previous_session_id: previousSessionId, next_session_id: nextSessionId }
    const payload = { ...ids, handover_body: body, pointer_refs: pointerRefs }
    return this.#compose({ kind: 'agent_handover', payload }, options)
  }

  /** Takes over what another session has handed over: the whole of it, and claimed with a frame that says so. */
  takeOver(options: TakeOverOptions = {}): Promise<TakeOver> {
    return takeOver(this, { connection: this.connection, sessionId: this.#identity.sessionId }, options)
  }

  /** Announces that one is at work on something. */
  async lock(resource: string, options: LockOptions = {}): Promise<Lease> {
    const { ttlMs = DEFAULT_LEASE_MS, intent } = options
    const place = await this.#place(options)
    const leaseId = newUuid()
    const payload = { resource, lease_id: leaseId, ttl_ms: ttlMs, intent }
    // The announcement is stale when the lease has run out.
    const request = await this.#compose({ kind: 'agent_lock_request', payload }, { ...place, ttlMs })
    const follow = { ...place, ttlMs: undefined }
    return new Lease(leaseId, resource, request, {
      release: () => this.unlock(leaseId, follow),
      extend: (additionalMs) => this.extendLease(leaseId, additionalMs, follow),
    })
  }

  unlock(leaseId: string, options: SendOptions = {}): Promise<results.SubmissionResult> {
    return this.#compose({ kind: 'agent_lock_release', payload: { lease_id: leaseId } }, options)
  }

  /** @param additionalMs - what the lease gains, in milliseconds; at most an hour (AC-068) */
  extendLease(
    leaseId: string,
    additionalMs = DEFAULT_LEASE_MS,
    options: SendOptions = {},
  ): Promise<results.SubmissionResult> {
    const payload = { lease_id: leaseId, additional_ttl_ms: additionalMs }
    return this.#compose({ kind: 'agent_lease_extend', payload }, options)
  }

  /** Answers a query. Where the scope of answers is not known here, the daemon looks it up. */
  async respond(
    query: QueryReference,
    text: string,
    options: SendOptions = {},
  ): Promise<results.SubmissionResult> {
    const isFrame = 'frame_id' in query
    const queryId = isFrame ? query.payload.query_id : query.queryId
    const scope = isFrame ? query.payload.response_scope : query.scope
    if (scope === undefined) return this.verb('agent_respond', { query_id: queryId, text })
    const payload = {
      query_id: queryId,
      responder_session_id: this.#identity.sessionId,
      response_text: text,
      responded_to_frame_id: isFrame ? query.frame_id : undefined,
    }
    const place = options.to === undefined ? { scope } : {}
    return this.#compose({ kind: 'agent_response', payload }, { ...place, ...options })
  }

  /** Asks, and collects answers. */
  ask(text: string, options: AskOptions = {}): Promise<AskResult> {
    const asker: Asker = {
      clock: this.connection.parts.clock,
      openReplies: (kinds, streamOptions) => this.openReplies(kinds, streamOptions),
      send: (message) => this.send(message),
      receipts: (frameId) => this.receipts(frameId),
    }
    return ask(asker, text, options)
  }

  /** Who is there: the sessions a scope of this handle would expand to. */
  roster(handle = this.handle): Promise<readonly results.RosterSession[]> {
    return readRoster(this.connection, handle)
  }

  /**
   * The address of a session by what it is called: its name, or a beginning of it or of its id. A scope stays as it is.
   *
   * @throws AgentdError `recipient-unknown`, or `field-invalid` for what may be several; field `to`
   */
  scopeOf(to: string): Promise<string> {
    return findScope(this.connection, to, new Set([this.#identity.author.actedBy, this.handle]))
  }

  /** As {@link roster}, a page of it, and how many there are. */
  rosterPage(options: RosterOptions = {}): Promise<results.RosterPage> {
    return readRosterPage(this.connection, { ...options, handle: options.handle ?? this.handle })
  }

  /** Retained frames, oldest first. */
  history(options: HistoryOptions = {}): Promise<results.HistoryPage> {
    return readHistory(this.connection, options)
  }

  /** What became of a frame at each recipient. */
  receipts(frameId: string, options: ReceiptOptions = {}): Promise<results.Receipts> {
    return readReceipts(this.connection, frameId, options)
  }

  /** Everything that passes, without being a recipient of it. */
  watch(options: WatchOptions = {}): AgentdWatch {
    return this.#hold((onEnd) => new AgentdWatch(this.connection, options, onEnd))
  }

  async health(): Promise<results.Health> {
    return camelCased(await this.connection.call({ route: 'getHealth' }, HealthReply))
  }

  /** Lets the daemon compose the frame. Arguments are those of docs/http.md §8. */
  async verb(name: VerbName, args: Readonly<Record<string, unknown>>): Promise<results.VerbResult> {
    const call = { route: 'callVerb', path: { verb: name }, body: args } as const
    return results.toVerbResult(await this.connection.call(call, VerbReply))
  }

  abstract close(): Promise<void>

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** A subscription for each of some kinds, and the address that names exactly them. */
  protected abstract openReplies(kinds: readonly Kind[], options: StreamOptions): Replies

  protected openStream(
    options: StreamOptions,
    query: Readonly<Record<string, string | undefined>>,
  ): AgentdStream {
    const { handle = this.handle } = options
    return this.#hold((onEnd) => new AgentdStream(this.connection, { handle, query, onEnd }, options))
  }

  protected override async release(): Promise<void> {
    await Promise.all([
      super.release(),
      this.#pipe.close(),
      ...[...this.#streams].map((stream) => stream.return()),
    ])
  }

  async #compose(content: LooseContent, options: SendOptions): Promise<results.SubmissionResult> {
    if (options.to !== undefined) return this.#compose(content, await this.#place(options))
    const { clock } = this.connection.parts
    const { author } = this.#identity
    const { frame, warnings } = composeMessage({ ...options, ...content }, author, clock.nowMs())
    return results.toSubmissionResult(await this.#pipe.send(encodeSubmission(frame, options.scope)), warnings)
  }

  #hold<Stream extends AgentdStream | AgentdWatch>(open: (onEnd: () => void) => Stream): Stream {
    const stream: Stream = open(() => this.#streams.delete(stream))
    this.#streams.add(stream)
    return stream
  }

  #place<Options extends SendOptions>(options: Options): Promise<Options> {
    return withScope(options, (to) => this.scopeOf(to))
  }
}
