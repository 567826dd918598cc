/**
 * The broker: who gets what, in which order, within which bounds.
 *
 * The façade over frames, envelopes, sessions, streams, mailboxes and receipts, which share one ring and one
 * turn of the loop. It puts them together and hands out ports; nobody outside reaches what stands behind them.
 */
import type { DecodedEnvelope } from '../aee/envelope/envelope.ts'
import { readEventId } from '../protocol/address/event-id.ts'
import type { EnvelopeReply } from '../protocol/http/envelope-replies.ts'
import type { SubmissionReply } from '../protocol/http/frame-replies.ts'
import type { ActivityRequest, DrainRequest, Via } from '../protocol/http/requests.ts'
import type { Submission } from '../protocol/frame/submission.ts'
import { Observers } from '../core/collections/observers.ts'
import { Audiences } from './audience/audience.ts'
import { OpenQueries } from './audience/open-queries.ts'
import { principalAlone, type Authority } from './authority/authority.ts'
import { Background } from './ring/background.ts'
import type { BrokerParts } from './broker-parts.ts'
import { endUndeclared, type Caller } from './session/caller.ts'
import { Counters } from './ring/counters.ts'
import { Entities } from './audience/entities.ts'
import { Envelopes } from './envelopes/envelopes.ts'
import { Frames } from './submit/frames.ts'
import { Ingest } from './ingest/ingest.ts'
import type { IngestBatch, Ingested } from './ingest/ingest-batch.ts'
import { OutgoingReports } from './ingest/outgoing-reports.ts'
import { activityAfter } from './session/facts.ts'
import { Lanes } from './mail/lanes.ts'
import { readHistory, type HistoryRequest, type RetainedPage } from './ring/history.ts'
import { handOut } from './inbox/hand-out.ts'
import { InboxReader, type Drain } from './inbox/inbox.ts'
import { Heirs } from './kinship/heirs.ts'
import { Lifelines } from './kinship/lifelines.ts'
import type * as Ports from './ports.ts'
import type { Origins } from './origins/origins.ts'
import { Quota } from './quota/quota.ts'
import { RingShares } from './quota/ring-shares.ts'
import { NOBODY_ELSE } from './remote/remote.ts'
import { OtherNodes } from './remote/other-nodes.ts'
import { DedupWarmup } from './submit/dedup-warmup.ts'
import { ReceiptLookup } from './inbox/receipts.ts'
import type { Retained } from './ring/retained.ts'
import type { Deletion } from './ring/ring.ts'
import type { Session } from './session/session.ts'
import { Sessions } from './session/sessions.ts'
import { Streams } from './streams.ts'
import type { Respond } from './submit/pending-submission.ts'
import { ThreadList } from './ring/thread-list.ts'
import { Threads } from './ring/thread.ts'
import { CommitBatch, type CommitObserver } from './submit/commit-batch.ts'
import { Upkeep } from './upkeep.ts'
import { Watchers } from './watch.ts'

export class Broker {
  readonly principal: string
  readonly authority: Authority
  readonly ring: Ports.RingView
  /** The nodes it is linked with, as far as they tell. */
  readonly others: Ports.Others
  readonly sessions: Ports.SessionRegistry
  readonly streams: Ports.StreamOpener
  readonly watchers: Ports.WatchOpener
  readonly inbox: Ports.Inboxes
  readonly receipts: Ports.Receipts
  readonly threads: Ports.WorkflowReader
  readonly threadList: Ports.WorkflowLister
  readonly counters: Ports.Figures
  /** What is known of where arrived frames came from. */
  readonly origins: Origins
  /** Told when something retained was forgotten or lost. */
  readonly forgetting = new Observers<[]>()
  /** Told of each item that a mailbox hands over, and how (AEE-C13). */
  readonly handOvers = new Observers<[retained: Retained, via: Via]>()
  readonly #parts: BrokerParts
  readonly #sessions: Sessions
  readonly #streams: Streams
  readonly #watchers: Watchers
  readonly #inbox: InboxReader
  readonly #receipts: ReceiptLookup
  readonly #background: Background
  readonly #frames: Frames
  readonly #envelopes: Envelopes
  readonly #ingest: Ingest
  readonly #reports: OutgoingReports
  readonly #batch: CommitBatch
  readonly #quota: Quota
  readonly #upkeep: Upkeep
  readonly #warmup: DedupWarmup

  constructor(parts: BrokerParts) {
    const { principal, ring, ledger, clock, limits, defer, inheritance } = parts
    const { authority = principalAlone(principal), remote = NOBODY_ELSE } = parts
    this.#parts = parts
    this.principal = principal
    this.authority = authority
    this.ring = ring
    this.origins = ring.origins
    const queries = new OpenQueries()
    const others = (this.others = new OtherNodes(remote, authority, queries))
    const counters = new Counters()
    const entities = new Entities(ring)
    const heirs = new Heirs<Session>()
    const lifelines = new Lifelines<Session>(parts)
    const audiences = new Audiences({ entities, limits, heirs, lifelines, authority, queries })
    const lanes = new Lanes()
    const sessions = new Sessions({ ...parts, authority, lanes, heirs, lifelines, observer: audiences })
    const { mail } = sessions
    const tellHoles = (): void => [this.#streams, this.#watchers].forEach((readers) => readers.tellHoles())
    const sweepMail = (): void => mail.sweep()
    const batch = new CommitBatch({ ring, audiences, lanes, others, sweepMail, tellHoles, counters, defer })
    const background = new Background(clock, defer)
    const shares = new RingShares(ring, ring.health().retention, parts)
    const quota = new Quota(limits, clock, shares)
    const common = { ring, clock, limits, background, counters }
    const streams = new Streams({ ...common, sessions, entities, groups: authority })
    this.inbox = this.#inbox = new InboxReader(ring, clock, authority)
    const watchers = new Watchers({ ...common, sessions, batch, defer })
    sessions.observeChanges(watchers)
    this.#reports = new OutgoingReports({ principal, ring, authority, defer })
    const book = watchers.overhear(this.#reports.beside(ledger))
    const receiptParts = { ...common, ledger: book, sessions, authority, others }
    this.receipts = this.#receipts = new ReceiptLookup(receiptParts)
    const way = { ring, clock, limits, audiences, batch, quota, counters, others, receipts: this.#receipts }
    this.#frames = new Frames({ ...way, queries, authority, handles: sessions, roster: sessions })
    this.#envelopes = new Envelopes({ ...parts, ...way, entities, leases: sessions })
    this.threads = new Threads(ring, background)
    this.threadList = new ThreadList(ring, background)
    this.#warmup = new DedupWarmup(inheritance.recent, this.#frames)
    const arriving = { queries, frames: this.#frames.arriving, envelopes: this.#envelopes.arriving }
    const { forgetting } = this
    const { workflows } = this.#envelopes
    const kept = { ring, background, sessions, streams, watchers, shares, workflows, forgetting }
    this.#upkeep = new Upkeep({ ...kept, others, clock, warmup: this.#warmup })
    this.#ingest = new Ingest({ ...way, ...arriving, principal, authority, background, upkeep: this.#upkeep })
    this.#batch = batch
    this.#quota = quota
    this.#background = background
    this.counters = counters
    this.sessions = this.#sessions = sessions
    this.streams = this.#streams = streams
    this.watchers = this.#watchers = watchers
    ring.onReset = (reason, previousEpoch) => this.#upkeep.beginAnew(reason, previousEpoch)
    sessions.restore(inheritance)
    endUndeclared(sessions, authority)
  }

  /** Questions that may still be answered. */
  get queries(): OpenQueries {
    this.#warmup.finish()
    return this.#frames.queries
  }

  /** The place that an event id names; undefined for one that is not of this sequence, or not given out yet. */
  placeOf(eventId: string): number | undefined {
    const id = readEventId(eventId)
    const { epoch, lastSeq } = this.ring
    return id !== undefined && id.epoch === epoch && id.seq <= lastSeq ? id.seq : undefined
  }

  /** The wall time a `created_at` has to be plausible against; undefined when any will do. */
  get plausibleAroundMs(): number | undefined {
    return this.#parts.limits.strictTime ? this.#parts.clock.nowMs() : undefined
  }

  /**
   * Takes a validated frame.
   *
   * @param respond - called with the answer at the end of the turn, when the frame is in the ring and emitted
   * @throws AgentdError at once when the frame is refused; nothing has happened then (AC-171)
   */
  submit(submission: Submission, caller: Caller, respond: Respond<SubmissionReply>): void {
    this.#batch.requireOpen()
    this.#warmup.finish()
    this.#frames.submit(submission, caller, respond)
  }

  /** As {@link submit}, of an envelope. */
  submitEnvelope(decoded: DecodedEnvelope, caller: Caller, respond: Respond<EnvelopeReply>): void {
    this.#batch.requireOpen()
    // What has to make room for it is still to be remembered.
    this.#warmup.finish()
    this.#envelopes.submit(decoded, caller, respond)
  }

  /** Applies what another node accepted. @throws AgentdError `closing`, `busy`, `store-full`: none of it is lost by that */
  ingest(batch: IngestBatch): Promise<readonly Ingested[]> {
    this.#batch.requireOpen()
    this.#warmup.finish()
    return this.#ingest.take(batch)
  }

  /** Charges a caller for something that is not routed. @throws AgentdError `rate-limited` */
  charge(caller: Caller): void {
    this.#quota.charge(caller)
  }

  /** Notes what a session says it does. Nothing is sent, retained or written down of it (W-4). */
  setActivity(session: Session, said: ActivityRequest): void {
    const before = session.activity
    session.activity = activityAfter(before, said, this.#parts.clock.nowMs())
    if (session.activity !== before) this.#sessions.tellChanged(session)
  }

  /** Hands over what waits, and records that the session has it, but of a peek. @param admits - the rest goes on waiting */
  drain(session: Session, request: DrainRequest, admits?: (retained: Retained) => boolean): Drain {
    const parts = { receipts: this.#receipts, inbox: this.#inbox, handOvers: this.handOvers }
    return handOut(parts, session, { request, admits })
  }

  /** A page of retained frames. @throws AgentdError `closing` */
  readHistory(request: HistoryRequest): Promise<RetainedPage> {
    return readHistory(this.#parts.ring, request, this.#background)
  }

  /**
   * Forgets what is retained for good, wherever it waits, in steps with other work in between.
   *
   * @param everywhere - ids of what of it the person's other machines forget too (FED-33)
   * @returns how much there was
   * @throws AgentdError `closing` when the daemon goes meanwhile; what is forgotten by then stays so
   */
  forget(which: Deletion, everywhere: readonly string[] = []): Promise<number> {
    return this.#upkeep.forget(which, everywhere)
  }

  /** Works out in the background what somebody would have to wait for otherwise. Called when nobody waits. */
  warmUp(): Promise<void> {
    return this.#upkeep.warmUp()
  }

  /** Watches everything accepted without being a recipient, until the returned function is called. */
  observe(observer: CommitObserver): () => void {
    return this.#batch.observe(observer)
  }

  /** Commits what the turn holds, says goodbye to every stream, and stops every timer. */
  close(): void {
    this.#batch.close()
    this.#reports.flush()
    this.#streams.shutdown()
    this.#watchers.shutdown()
    this.#sessions.stop()
    this.#background.stop()
    this.#parts.ring.close()
  }
}
