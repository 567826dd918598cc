/**
 * The broker: who gets what, in which order, within which bounds.
 *
 * `submit` is the whole pipeline, readable from top to bottom: a frame that has been validated is checked
 * against its caller and its scope, looked up in the dedup window, charged, and put into the turn. At the
 * end of the loop turn all of the turn's frames are appended, expanded, emitted and answered together.
 *
 * @see memo §7, AC-132…AC-138, AC-171
 */
import { AgentdError, unreachable } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { expiresAtMs } from '../protocol/frame.ts'
import type { SubmissionReply } from '../protocol/replies.ts'
import { formatScope, type Scope } from '../protocol/scope.ts'
import { requireRecipientScope, type Submission } from '../protocol/submission.ts'
import { Audiences, type Audience } from './audience.ts'
import { authoriseScope, requireIdentity, type Caller } from './caller.ts'
import { Counters } from './counters.ts'
import { DedupWindow, type Entry } from './dedup.ts'
import { Delivery } from './delivery.ts'
import { FanOut } from './fan-out.ts'
import { Inbox } from './inbox.ts'
import type { BrokerLimits } from './limits.ts'
import type { MemoryRing } from './memory-ring.ts'
import { Quota } from './quota.ts'
import { Receipts } from './receipts.ts'
import type { RetainedFrame } from './ring.ts'
import { ScopeIndex } from './scope-index.ts'
import type { Session } from './session.ts'
import { Sessions, type Processes } from './sessions.ts'
import { Streams } from './streams.ts'

/** What a broker is built from; all of it explicit, so that nothing is found by accident. */
export interface BrokerParts {
  readonly principal: string
  readonly limits: BrokerLimits
  readonly ring: MemoryRing
  readonly clock: Clock
  readonly processes: Processes
  /** Runs a step at the end of the current loop turn. */
  readonly defer: (step: () => void) => void
}

/** An accepted frame on its way through the turn. */
interface Pending {
  readonly frame: RetainedFrame
  readonly sender: Session | undefined
  readonly entry: Entry<SubmissionReply>
  readonly settle: (reply: SubmissionReply) => void
}

/** Response scopes remembered, so that an answer finds its asker; the oldest queries are forgotten first. */
const MAX_OPEN_QUERIES = 4_096

export class Broker {
  readonly principal: string
  readonly ring: MemoryRing
  readonly sessions: Sessions
  readonly streams: Streams
  readonly inbox: Inbox
  readonly receipts: Receipts
  readonly counters = new Counters()
  readonly #parts: BrokerParts
  readonly #index = new ScopeIndex()
  readonly #audiences = new Audiences(this.#index)
  readonly #fanOut = new FanOut()
  readonly #dedup: DedupWindow<SubmissionReply>
  readonly #quota: Quota
  readonly #responseScopes = new Map<string, string>()
  readonly #observers = new Set<(retained: RetainedFrame) => void>()
  /** Frames accepted in this turn; committed together at its end. */
  #turn: Pending[] = []

  constructor(parts: BrokerParts) {
    const { principal, ring, clock, limits, processes } = parts
    this.#parts = parts
    this.principal = principal
    this.ring = ring
    this.#dedup = new DedupWindow(clock)
    this.#quota = new Quota(limits.submissionsPerSecond, limits.submissionBurst, clock)
    this.sessions = new Sessions({
      clock,
      ring,
      processes,
      limits,
      principal,
      observer: {
        changed: (session) => this.#reindex(session),
        ended: (session, reason) => this.streams.closeAll(session, reason),
      },
    })
    this.streams = new Streams({ ...parts, sessions: this.sessions, counters: this.counters })
    this.inbox = new Inbox(ring, clock)
    this.receipts = new Receipts(ring, clock)
  }

  /** Whether a handle is the principal's own. */
  readonly owns = (handle: string): boolean => this.sessions.owns(handle)

  /** The wall time a `created_at` has to be plausible against; undefined when any will do. */
  get plausibleAroundMs(): number | undefined {
    return this.#parts.limits.strictTime ? this.#parts.clock.nowMs() : undefined
  }

  /**
   * Takes a validated frame through the pipeline.
   *
   * @param settle - called with the answer at the end of the turn, when the frame is in the ring and emitted
   * @throws AgentdError at once when the frame is refused; nothing has happened then (AC-171)
   */
  submit(submission: Submission, caller: Caller, settle: (reply: SubmissionReply) => void): void {
    const { frame, text } = submission
    requireIdentity(frame, caller)
    const scope = requireRecipientScope(submission)
    authoriseScope(scope, frame, this.owns)
    const scopeText = formatScope(scope)
    const frameId = frame.frame_id.toLowerCase()
    const content = `${scopeText} ${text}`
    const repeat = this.#dedup.check(frameId, content)
    switch (repeat.kind) {
      case 'again':
        return this.#answerAgain(repeat.first, settle)
      case 'conflict':
        throw reusedFrameId()
      case 'first':
        break
      default:
        return unreachable(repeat)
    }
    if (this.#parts.limits.limitRates) this.#quota.charge(caller.session ?? this)
    const accepted = this.#accept(submission, { scope, scopeText, frameId, session: caller.session })
    this.#requireFanOut(this.#audiences.of(accepted))
    const entry = this.#dedup.remember(frameId, content)
    this.#turn.push({ frame: accepted, sender: caller.session, entry, settle })
    if (this.#turn.length === 1) this.#parts.defer(() => this.#commit())
    if (frame.kind === 'agent_query')
      this.#rememberQuery(frame.payload.query_id, frame.payload.response_scope)
  }

  /** Where answers to a query go; undefined once it has been forgotten. */
  readonly responseScopeOf = (queryId: string): string | undefined =>
    this.#responseScopes.get(queryId.toLowerCase())

  /** Watches every accepted frame without being a recipient, until the returned function is called. */
  observe(observer: (retained: RetainedFrame) => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /** Commits what the turn holds, says goodbye to every stream, and stops every timer. */
  close(): void {
    this.#commit()
    this.streams.shutdown()
    this.sessions.stop()
  }

  #accept(
    { frame, text }: Submission,
    at: { scope: Scope; scopeText: string; frameId: string; session: Session | undefined },
  ): RetainedFrame {
    return {
      seq: 0,
      frameId: at.frameId,
      kind: frame.kind,
      senderHandle: frame.sender_handle,
      tool: at.session?.tool,
      scope: at.scope,
      scopeText: at.scopeText,
      text,
      senderAddress: at.session?.address,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs: expiresAtMs(frame),
      delivery: new Delivery(),
    }
  }

  /** The end of a turn: append, expand, emit, answer. */
  #commit(): void {
    const turn = this.#turn
    if (turn.length === 0) return
    this.#turn = []
    for (const { frame } of turn) this.ring.append(frame)
    for (const { frame, sender } of turn) this.#emit(frame, sender)
    this.#fanOut.flush()
    for (const pending of turn) this.#answer(pending)
  }

  #emit(retained: RetainedFrame, sender: Session | undefined): void {
    const audience = this.#audiences.of(retained)
    const absent =
      sender?.mailbox === undefined ? audience.absent : audience.absent.filter((one) => one !== sender)
    const queuedTo =
      absent === audience.absent ? audience.absentAddresses : absent.map(({ address }) => address)
    retained.delivery.record(
      audience.addresses,
      queuedTo,
      audience.subscriptions.length,
      retained.acceptedAtMs,
    )
    this.#fanOut.emit(retained, this.ring.eventId(retained.seq), audience)
    for (const session of absent) session.mailbox?.push(retained.seq)
    this.counters.accepted(audience.subscriptions.length, absent.length)
    for (const observer of this.#observers) observer(retained)
  }

  #answer(pending: Pending): void {
    const { frameId, seq, delivery } = pending.frame
    const reply = {
      frame_id: frameId,
      event_id: this.ring.eventId(seq),
      recipient_count: delivery.recipientCount,
      queued_count: delivery.queuedCount,
      ack: this.ring.ack,
    }
    pending.entry.result = reply
    pending.settle(reply)
    for (const settle of pending.entry.waiting ?? []) settle({ ...reply, duplicate: true })
    pending.entry.waiting = undefined
  }

  #answerAgain(first: Entry<SubmissionReply>, settle: (reply: SubmissionReply) => void): void {
    this.counters.duplicate()
    if (first.result !== undefined) return settle({ ...first.result, duplicate: true })
    first.waiting ??= []
    first.waiting.push(settle)
  }

  #requireFanOut(audience: Audience): void {
    const { fanOut } = this.#parts.limits
    if (audience.subscriptions.length + audience.absent.length <= fanOut) return
    throw new AgentdError(
      'fanout-too-large',
      `The scope reaches more than ${fanOut} subscriptions; narrow it.`,
      {
        field: 'recipient_scope',
      },
    )
  }

  #rememberQuery(queryId: string, responseScope: string): void {
    this.#responseScopes.set(queryId.toLowerCase(), responseScope)
    for (const oldest of this.#responseScopes.keys()) {
      if (this.#responseScopes.size <= MAX_OPEN_QUERIES) break
      this.#responseScopes.delete(oldest)
    }
  }

  /** A session is in the index exactly while a scope can reach it: by a stream or by a mailbox. */
  #reindex(session: Session): void {
    const present = this.sessions.find(session.address) === session
    const reachable = session.subscriptions.size > 0 || session.mailbox !== undefined
    if (present && reachable) this.#index.add(session)
    else this.#index.remove(session)
    this.#audiences.forget()
  }
}

function reusedFrameId(): AgentdError {
  return new AgentdError('field-invalid', '"frame_id" was used for another frame; every frame has its own.', {
    field: 'frame_id',
  })
}
