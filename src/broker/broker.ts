/**
 * The broker: who gets what, in which order, within which bounds.
 *
 * The façade over frames, envelopes, sessions, streams, mailboxes and receipts, which share one ring and one
 * turn of the loop.
 */
import { AgentdError, daemonIsClosing } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import type { DecodedEnvelope } from '../aee/envelope/envelope.ts'
import type { EnvelopeReply, SubmissionReply } from '../protocol/http/replies.ts'
import type { Submission } from '../protocol/frame/submission.ts'
import { Audiences, type AudienceFacts } from './audience/audience.ts'
import { Background } from './ring/background.ts'
import type { Caller } from './session/caller.ts'
import { Counters } from './ring/counters.ts'
import { Entities } from './audience/entities.ts'
import type { EnvelopePolicy } from './envelopes/policy.ts'
import { Envelopes } from './envelopes/envelopes.ts'
import { Frames } from './submit/frames.ts'
import { InboxReader } from './inbox/inbox.ts'
import type { Processes } from './session/leases.ts'
import type { Inheritance, Ledger } from './session/ledger.ts'
import type { BrokerLimits } from './quota/limits.ts'
import type { OpenQueries } from './submit/open-queries.ts'
import { Quota } from './quota/quota.ts'
import { DedupWarmup } from './submit/dedup-warmup.ts'
import { ReceiptLookup } from './inbox/receipts.ts'
import type { Retained } from './ring/retained.ts'
import type { Deletion, Ring } from './ring/ring.ts'
import { ScopeIndex } from './audience/scope-index.ts'
import { DaemonEntity } from './envelopes/service.ts'
import type { Session } from './session/session.ts'
import { Sessions } from './session/sessions.ts'
import { Streams } from './streams.ts'
import type { Settle } from './submit/pending-submission.ts'
import { Threads } from './ring/thread.ts'
import { CommitBatch } from './submit/commit-batch.ts'

/** What a broker is built from; all of it explicit, so that nothing is found by accident. */
export interface BrokerParts {
  readonly principal: string
  readonly limits: BrokerLimits
  readonly ring: Ring
  readonly ledger: Ledger
  readonly inheritance: Inheritance
  readonly clock: Clock
  readonly processes: Processes
  readonly policy: EnvelopePolicy
  /** Runs a step at the end of the current loop turn. */
  readonly defer: (step: () => void) => void
}

export class Broker {
  readonly principal: string
  readonly ring: Ring
  readonly sessions: Sessions
  readonly streams: Streams
  readonly inbox: InboxReader
  readonly receipts: ReceiptLookup
  readonly counters = new Counters()
  readonly background: Background
  readonly threads: Threads
  readonly #parts: BrokerParts
  #isClosed = false
  readonly #index = new ScopeIndex()
  readonly #entities: Entities
  readonly #audiences: Audiences
  readonly #frames: Frames
  readonly #envelopes: Envelopes
  readonly #turn: CommitBatch
  readonly #quota: Quota
  readonly #recollection: DedupWarmup

  constructor(parts: BrokerParts) {
    const { principal, ring, ledger, clock, limits, processes, defer } = parts
    this.#parts = parts
    this.principal = principal
    this.ring = ring
    this.#entities = new Entities(() => ring.entities())
    this.#audiences = new Audiences(this.#index, this.#entities)
    this.#turn = new CommitBatch({ ring, audiences: this.#audiences, counters: this.counters, defer })
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
    this.background = new Background(clock, defer)
    this.threads = new Threads(ring, this.background)
    const { background, counters, sessions } = this
    this.streams = new Streams({ ...parts, background, sessions, counters, entities: this.#entities })
    this.inbox = new InboxReader(ring, ledger, clock)
    this.receipts = new ReceiptLookup(ring, ledger, clock)
    this.#quota = new Quota(limits, clock)
    this.#frames = this.#createFrames(this.#quota)
    this.#envelopes = this.#createEnvelopes(this.#quota)
    ring.onReset = (reason, previousEpoch) => this.#beginAnew(reason, previousEpoch)
    this.#recollection = new DedupWarmup(parts.inheritance.recent, this.#frames.inherit)
    this.sessions.restore(parts.inheritance)
  }

  /** Whether a handle is the principal's own. */
  readonly owns = (handle: string): boolean => this.sessions.owns(handle)

  /** The questions that may still be answered. */
  get queries(): OpenQueries {
    this.#recollection.finish()
    return this.#frames.queries
  }

  /** The wall time a `created_at` has to be plausible against; undefined when any will do. */
  get plausibleAroundMs(): number | undefined {
    return this.#parts.limits.strictTime ? this.#parts.clock.nowMs() : undefined
  }

  /**
   * Takes a validated frame.
   *
   * @param settle - called with the answer at the end of the turn, when the frame is in the ring and emitted
   * @throws AgentdError at once when the frame is refused; nothing has happened then (AC-171)
   */
  submit(submission: Submission, caller: Caller, settle: Settle<SubmissionReply>): void {
    this.#requireOpen()
    this.#recollection.finish()
    this.#frames.submit(submission, caller, settle)
  }

  /** As {@link submit}, of an envelope. */
  submitEnvelope(decoded: DecodedEnvelope, caller: Caller, settle: Settle<EnvelopeReply>): void {
    this.#requireOpen()
    // What has to make room for it is still to be remembered.
    this.#recollection.finish()
    this.#envelopes.submit(decoded, caller, settle)
  }

  /** Charges a caller for something that is not routed. @throws AgentdError `rate-limited` */
  charge({ session }: Caller): void {
    if (this.#parts.limits.limitRates) this.#quota.charge(session ?? this)
  }

  /** Forgets what is retained for good, wherever it waits. @returns how much there was */
  forget(which: Deletion): number {
    // A forgotten frame's id stays used.
    this.#recollection.finish()
    // What was trimmed before is lost; what is forgotten now is not.
    for (const session of this.sessions.all()) session.mailbox?.prune()
    const forgotten = this.ring.forget(which)
    if (forgotten > 0) for (const session of this.sessions.all()) session.mailbox?.dropForgotten()
    return forgotten
  }

  /** Looks back in the background, before the first submission has to; called when nobody waits for the start. */
  recollect(): Promise<void> {
    return this.#recollection.goOn(this.background)
  }

  /** Watches everything accepted without being a recipient, until the returned function is called. */
  observe(observer: (retained: Retained) => void): () => void {
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

  /** Accepted now, it would reach nobody and be gone with the process. */
  #requireOpen(): void {
    if (this.#isClosed) throw daemonIsClosing()
  }

  #createFrames(quota: Quota): Frames {
    const { clock, limits, ring } = this.#parts
    const onDuplicate = (): void => this.counters.duplicateFrame()
    const requireFanOut = (retained: Retained): void => this.#requireFanOut(retained, 'recipient_scope')
    const [turn, owns] = [this.#turn, this.owns]
    return new Frames({ ring, clock, limits, turn, quota, principal: this, owns, onDuplicate, requireFanOut })
  }

  #createEnvelopes(quota: Quota): Envelopes {
    const { clock, limits, policy, ring } = this.#parts
    const entities = this.#entities
    const asPrincipal: Caller = { principal: this.principal, session: undefined }
    const service = new DaemonEntity({
      ring,
      entities,
      clock,
      policy,
      send: (answer) => this.#isClosed || this.#envelopes.answer(answer, asPrincipal),
    })
    return new Envelopes({
      ring,
      clock,
      limits,
      policy,
      entities,
      isAlive: (session) => this.sessions.leases.isAlive(session),
      turn: this.#turn,
      quota,
      principal: this,
      onDuplicate: () => this.counters.duplicateEnvelope(),
      requireFanOut: (facts) => this.#requireFanOut(facts, 'to'),
      onService: (envelope, retained) => void service.take(envelope, retained),
    })
  }

  #requireFanOut(facts: AudienceFacts, field: string): void {
    const { fanOut } = this.#parts.limits
    const { subscriptions, absent } = this.#audiences.of(facts)
    if (subscriptions.length + absent.length <= fanOut) return
    throw new AgentdError('fanout-too-large', `This reaches more than ${fanOut} subscriptions; narrow it.`, {
      field,
    })
  }

  /** The ring began anew: what was remembered of places and tasks says nothing any more. */
  #beginAnew(reason: 'corrupt', previousEpoch: string): void {
    this.sessions.beginAnew()
    this.#envelopes.workflows.clear()
    this.streams.restart(reason, previousEpoch)
  }

  /** A session is in the index exactly while a scope can reach it: by a stream or by a mailbox. */
  #reindex(session: Session): void {
    const present = this.sessions.find(session.address) === session
    const reachable = session.subscriptions.size > 0 || session.mailbox !== undefined
    if (present && reachable) this.#index.add(session)
    else this.#index.remove(session)
    this.#entities.update(session, present)
    this.#audiences.forget()
  }
}
