/**
 * Whoever says something: frames of all kinds, composed here or by the daemon.
 */
import { newUuid } from '../core/ids.ts'
import type { Frame } from '../protocol/frame/frame.ts'
import type { Kind } from '../protocol/frame/kinds.ts'
import { SubmissionReply, VerbReply } from '../protocol/http/frame-replies.ts'
import type { VerbName } from '../protocol/verb/verbs.ts'
import type { Connection } from './http/connection.ts'
import { withSignal, type CallOptions } from './http/call-options.ts'
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
  UnlockOptions,
} from './outgoing.ts'
import type { QueryReference } from './envelopes/participant-options.ts'
import { readLeases } from './reading/leases.ts'
import { namesPronoun, resolveScope, withoutPronoun } from './reading/pronoun.ts'
import { findScope, withScope } from './reading/recipient.ts'
import * as results from './reply/results.ts'

/** A lease and an extension when nobody says otherwise, in milliseconds. */
const DEFAULT_LEASE_MS = 300_000

/** The words for frames. */
export abstract class Speaker extends Correspondent {
  /** The handle this participant speaks as and listens to. */
  readonly handle: string
  protected readonly identity: ParticipantIdentity
  readonly #pipe: LinePipe<SubmissionReply>

  protected constructor(connection: Connection, identity: ParticipantIdentity) {
    super(connection)
    this.handle = identity.author.senderHandle
    this.identity = identity
    this.#pipe = new LinePipe(connection, { route: 'submitFrame', reply: SubmissionReply })
  }

  /** Composes a frame of any kind and sends it. */
  send<K extends Kind>(message: Message<K>): Promise<results.SubmissionResult> {
    return this.#compose({ kind: message.kind, payload: { ...message.payload } }, message)
  }

  /** Sends a complete frame as it is. */
  async submit(
    frame: Frame,
    scope?: string,
    { signal }: CallOptions = {},
  ): Promise<results.SubmissionResult> {
    // What says for itself where it goes keeps its place among what is sent meanwhile.
    const isSaid = scope === undefined || !namesPronoun({ scope })
    const place = isSaid ? scope : await resolveScope(this.connection, scope, { signal })
    return this.#submit(encodeSubmission(frame, place), signal)
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
    const { previousSessionId = this.identity.sessionId, nextSessionId, pointerRefs } = options
    const ids = { previous_session_id: previousSessionId, next_session_id: nextSessionId }
    const payload = { ...ids, handover_body: body, pointer_refs: pointerRefs }
    return this.#compose({ kind: 'agent_handover', payload }, options)
  }

  /** Announces that one is at work on something, and looks who else is: `heldBy` of the lease says so. */
  async lock(resource: string, options: LockOptions = {}): Promise<Lease> {
    const { ttlMs = DEFAULT_LEASE_MS, intent, signal } = options
    const place = await this.#place(options)
    const leaseId = newUuid()
    const payload = { resource, lease_id: leaseId, ttl_ms: ttlMs, intent }
    // The announcement is stale when the lease has run out.
    const request = await this.#compose({ kind: 'agent_lock_request', payload }, { ...place, ttlMs })
    // Looked for only now: of two that ask at the same moment, each sees the other.
    const leases = await readLeases(this.connection, {
      handle: this.handle,
      address: this.identity.address,
      signal,
    })
    const heldBy = leases.filter((one) => one.resource === resource && one.leaseId !== leaseId && !one.isOwn)
    const follow = { ...place, ttlMs: undefined, signal: undefined }
    return new Lease(
      { leaseId, resource, request, heldBy },
      {
        release: (more) => this.unlock(leaseId, { ...follow, resource, ...more }),
        extend: (additionalMs, more) => this.extendLease(leaseId, additionalMs, { ...follow, ...more }),
      },
    )
  }

  /** Says that a lease is free again. */
  unlock(leaseId: string, options: UnlockOptions = {}): Promise<results.SubmissionResult> {
    const payload = { lease_id: leaseId, resource: options.resource }
    return this.#compose({ kind: 'agent_lock_release', payload }, options)
  }

  /**
   * Has a lease go on.
   *
   * @param additionalMs - what the lease gains, in milliseconds; at most an hour
   */
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
    const { signal } = options
    if (scope === undefined) return this.verb('agent_respond', { query_id: queryId, text }, { signal })
    const payload = {
      query_id: queryId,
      responder_session_id: this.identity.sessionId,
      response_text: text,
      responded_to_frame_id: isFrame ? query.frame_id : undefined,
    }
    const place = options.to === undefined ? { scope } : {}
    return this.#compose({ kind: 'agent_response', payload }, { ...place, ...options })
  }

  /** Lets the daemon compose the frame. The arguments are those of the verb of this name, as the command has them. */
  async verb(
    name: VerbName,
    args: Readonly<Record<string, unknown>>,
    { signal }: CallOptions = {},
  ): Promise<results.VerbResult> {
    const scope = args['recipient_scope']
    const isSaid = typeof scope !== 'string' || !namesPronoun({ scope })
    const body = isSaid
      ? args
      : { ...args, recipient_scope: await resolveScope(this.connection, scope, { signal }) }
    const call = { route: 'callVerb', path: { verb: name }, body, signal } as const
    return results.toVerbResult(await this.connection.call(call, VerbReply))
  }

  /**
   * The address of a session by what it is called: its name, or a beginning of it or of its id. A scope stays as it is,
   * but for the pronoun `~org`, which stands for the one organisation that one is a member of.
   *
   * @throws AgentdError `recipient-unknown`, or `field-invalid` for what may be several; field `to` or `scope`
   */
  scopeOf(to: string, options: CallOptions = {}): Promise<string> {
    return findScope(this.connection, to, {
      handles: new Set([this.identity.author.actedBy, this.handle]),
      ...options,
    })
  }

  protected override async release(): Promise<void> {
    await Promise.all([super.release(), this.#pipe.close()])
  }

  async #compose(content: LooseContent, options: SendOptions): Promise<results.SubmissionResult> {
    if (options.to !== undefined || namesPronoun(options))
      return this.#compose(content, await this.#place(options))
    const { clock } = this.connection.parts
    const { author } = this.identity
    const { frame, warnings } = composeMessage({ ...options, ...content }, author, clock.nowMs())
    return this.#submit(encodeSubmission(frame, options.scope), options.signal, warnings)
  }

  /** @param warnings - what was changed here before it was sent */
  async #submit(
    line: string,
    signal: AbortSignal | undefined,
    warnings?: Parameters<typeof results.toSubmissionResult>[1],
  ): Promise<results.SubmissionResult> {
    const reply = await withSignal(signal, () => this.#pipe.send(line))
    return results.toSubmissionResult(reply, warnings)
  }

  async #place<Options extends SendOptions>(options: Options): Promise<Options> {
    const { signal } = options
    const placed = await withScope(options, (to) => this.scopeOf(to, { signal }))
    return namesPronoun(placed) ? withoutPronoun(this.connection, placed, { signal }) : placed
  }
}
