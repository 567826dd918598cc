/**
 * The broker: who gets what, in which order, within which bounds.
 *
 * `submit` is the whole pipeline, readable from top to bottom: a frame that has been validated is checked
 * against its caller and its scope, looked up in the dedup window, charged, and put into the turn. At the
 * end of the loop turn all of the turn's frames are appended, expanded, emitted and answered together.
 *
 * @see memo §7, AC-132…AC-138, AC-171
 */
import { AgentdError, daemonIsClosing, unreachable } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { expiresAtMs } from '../protocol/frame.ts'
import type { SubmissionReply } from '../protocol/replies.ts'
import { formatScope } from '../protocol/scope.ts'
import { requireRecipientScope, type Submission } from '../protocol/submission.ts'
import { Audiences, type Audience } from './audience.ts'
import { Background } from './background.ts'
import { authoriseScope, requireIdentity, type Caller } from './caller.ts'
import { Counters } from './counters.ts'
import { DedupWindow, digestOf, type Entry } from './dedup.ts'
import { Delivery } from './delivery.ts'
import { Inbox } from './inbox.ts'
import type { Processes } from './leases.ts'
import type { Inheritance, Ledger } from './ledger.ts'
import type { BrokerLimits } from './limits.ts'
import { OpenQueries } from './open-queries.ts'
import { Quota } from './quota.ts'
import { Receipts } from './receipts.ts'
import type { Forgetting, RetainedFrame, Ring } from './ring.ts'
import { ScopeIndex } from './scope-index.ts'
import type { Session } from './session.ts'
import { Sessions } from './sessions.ts'
import { Streams } from './streams.ts'
import { Turn, type Settle } from './turn.ts'

/** What a broker is built from; all of it explicit, so that nothing is found by accident. */
export interface BrokerParts {
  readonly principal: string
  readonly limits: BrokerLimits
  readonly ring: Ring
  readonly ledger: Ledger
  readonly inheritance: Inheritance
  readonly clock: Clock
  readonly processes: Processes
  /** Runs a step at the end of the current loop turn. */
  readonly defer: (step: () => void) => void
}

export class Broker {
  readonly principal: string
  readonly ring: Ring
  readonly sessions: Sessions
  readonly streams: Streams
  readonly inbox: Inbox
  readonly receipts: Receipts
  readonly counters = new Counters()
  readonly background: Background
  readonly queries = new OpenQueries()
  readonly #parts: BrokerParts
  #isClosed = false
  readonly #index = new ScopeIndex()
  readonly #audiences = new Audiences(this.#index)
  readonly #dedup: DedupWindow<SubmissionReply>
  readonly #quota: Quota
  readonly #turn: Turn

  constructor(parts: BrokerParts) {
    const { principal, ring, ledger, clock, limits, processes } = parts
    this.#parts = parts
    this.principal = principal
    this.ring = ring
    this.#dedup = new DedupWindow(clock)
    this.#turn = new Turn({
      ring,
      audiences: this.#audiences,
      dedup: this.#dedup,
      counters: this.counters,
      defer: parts.defer,
    })
    this.#quota = new Quota(limits, clock)
    this.sessions = new Sessions({
      clock,
      ring,
      ledger,
      processes,
      limits,
      principal,
      observer: {
        changed: (session) => this.#reindex(session),
        ended: (session, reason) => this.streams.closeAll(session, reason),
      },
    })
    this.background = new Background(clock, parts.defer)
    const { background, counters, sessions } = this
    this.streams = new Streams({ ...parts, background, sessions, counters })
    this.inbox = new Inbox(ring, ledger, clock)
    this.receipts = new Receipts(ring, ledger, clock)
    ring.onReset = (reason, previousEpoch) => {
      this.sessions.beginAnew()
      this.streams.restart(reason, previousEpoch)
    }
    this.#inherit(parts.inheritance)
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
  submit(submission: Submission, caller: Caller, settle: Settle): void {
    const { frame, text } = submission
    // Accepted now, it would reach nobody and be gone with the process.
    if (this.#isClosed) throw daemonIsClosing()
    requireIdentity(frame, caller)
    const scope = requireRecipientScope(submission)
    authoriseScope(scope, frame, this.owns)
    const scopeText = formatScope(scope)
    const frameId = frame.frame_id.toLowerCase()
    const digest = digestOf(scopeText, text)
    const repeat = this.#dedup.check(frameId, digest)
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
    const accepted = this.#accept(submission, { scope, scopeText, frameId, digest, session: caller.session })
    this.#requireFanOut(this.#audiences.of(accepted))
    const entry = this.#dedup.remember(frameId, digest)
    this.#turn.add({ frame: accepted, sender: caller.session, entry, settle })
    if (frame.kind === 'agent_query')
      this.queries.remember(frame.payload.query_id, frame.payload.response_scope)
  }

  /** Forgets retained frames for good, wherever they wait. @returns how many there were */
  forget(which: Forgetting): number {
    const forgotten = this.ring.forget(which)
    if (forgotten > 0) for (const session of this.sessions.all()) session.mailbox?.dropForgotten()
    return forgotten
  }

  /** Watches every accepted frame without being a recipient, until the returned function is called. */
  observe(observer: (retained: RetainedFrame) => void): () => void {
    return this.#turn.observe(observer)
  }

  /** Commits what the turn holds, says goodbye to every stream, and stops every timer. */
  close(): void {
    this.#turn.commit()
    this.#isClosed = true
    this.streams.shutdown()
    this.sessions.stop()
    this.background.stop()
    this.ring.close()
  }

  #accept(
    { frame, text }: Submission,
    at: Pick<RetainedFrame, 'scope' | 'scopeText' | 'frameId' | 'digest'> & { session: Session | undefined },
  ): RetainedFrame {
    return {
      seq: 0,
      frameId: at.frameId,
      kind: frame.kind,
      senderHandle: frame.sender_handle,
      tool: at.session?.tool,
      scope: at.scope,
      scopeText: at.scopeText,
      digest: at.digest,
      text,
      senderAddress: at.session?.address,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs: expiresAtMs(frame),
      delivery: new Delivery(),
    }
  }

  #answerAgain(first: Entry<SubmissionReply>, settle: Settle): void {
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

  /** Takes over what the last daemon left: who was there, what waits, which ids were used. */
  #inherit(inheritance: Inheritance): void {
    this.sessions.restore(inheritance)
    for (const { frameId, digest, seq, recipientCount, queuedCount } of inheritance.remembered) {
      const counts = { recipient_count: recipientCount, queued_count: queuedCount }
      const entry = this.#dedup.remember(frameId, digest)
      entry.result = { frame_id: frameId, event_id: this.ring.eventId(seq), ...counts, ack: this.ring.ack }
    }
    for (const [queryId, responseScope] of inheritance.queries) this.queries.remember(queryId, responseScope)
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
