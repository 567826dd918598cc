/**
 * One session: its name, what it said about itself, its streams, its mailbox.
 */
import { agentEntity } from '../../aee/envelope/entity.ts'
import type { Clock } from '../../core/clock.ts'
import type { SessionRecord } from './ledger.ts'
import type { Standing } from '../mail/holding.ts'
import type { Mailbox } from './mailbox.ts'
import type { Activity, RegisteredFacts } from './facts.ts'
import { lifelineOf, type KnownProcess, type Lifeline } from '../kinship/lifeline.ts'
import type { Predecessor } from '../kinship/predecessors.ts'
import type { Subscription } from '../stream/subscription.ts'

/** One array, so that having none is always the same. */
const NO_ENTITIES: readonly string[] = []

export class Session {
  facts: RegisteredFacts
  readonly startedAtMs: number
  /** Wall time of the last sign of life, for people. */
  lastSeenAtMs: number
  /** Monotonic time the lease runs from; a process that runs renews it. */
  leasedAtMs: number
  /** Monotonic time of the last sign of life; of a session that outlived a daemon it may be negative. */
  heardAtMs: number
  /** Open streams; a session may have several (ACQ-38). */
  readonly subscriptions = new Set<Subscription>()
  mailbox: Mailbox | undefined
  /** Whom it carries on, a bounded set: what it sees of their mail, the senders know under those (HD-02). */
  predecessors: readonly Predecessor[] = []
  /** The entities of those: it hears for them where nobody else does (OP-27). */
  carriedEntities = NO_ENTITIES
  /** What people call it (docs/http.md §4); empty until the directory has given it one. */
  name = ''
  /** How many had come to the daemon when it came, itself counted: its place on the roster. */
  arrival = 0
  /** Digest of the bearer token; undefined for a visitor, which has none. */
  tokenHash: string | undefined
  /** The process that its life may hang on; undefined for none that counts (HD-04). */
  lifeline: Lifeline | undefined
  /** The process that registered it, as the kernel said; undefined where it did not (HD-01). */
  registrant: KnownProcess | undefined
  /** Set when its token was revoked; a request that is still being sent speaks for nobody any more. */
  isOver = false
  /** What it says it does; undefined before it has said so to this daemon (W-4). */
  activity: Activity | undefined
  /** Wall time of its last frame or envelope; undefined for none since the daemon started. */
  lastSentAtMs: number | undefined
  /** Everything up to here has been called seen through `up_to`. */
  seenUpToSeq = 0

  /** What {@link entities} was made from last, and what it came to. */
  #withOwn: { readonly entities: readonly string[]; readonly all: readonly string[] } = {
    entities: NO_ENTITIES,
    all: NO_ENTITIES,
  }

  /** @param startedAtMs - for a session that outlived a daemon: when it really began */
  constructor(facts: RegisteredFacts, clock: Clock, startedAtMs = clock.nowMs()) {
    this.facts = facts
    this.startedAtMs = startedAtMs
    this.lastSeenAtMs = clock.nowMs()
    this.leasedAtMs = clock.monotonicMs()
    this.heardAtMs = this.leasedAtMs
  }

  /** A session that outlived a daemon, as it was written down. */
  static restored(record: SessionRecord, clock: Clock, mailbox: Mailbox | undefined): Session {
    const session = new Session(record.facts, clock, record.startedAtMs)
    session.lastSeenAtMs = record.lastSeenAtMs
    session.heardAtMs -= Math.max(0, clock.nowMs() - record.lastSeenAtMs)
    session.tokenHash = record.tokenHash
    session.lifeline = lifelineOf(record)
    session.registrant = record.registrant
    session.seenUpToSeq = record.seenUpToSeq
    session.predecessors = record.predecessors
    session.carriedEntities = record.carriedEntities ?? NO_ENTITIES
    session.name = record.name ?? ''
    session.mailbox = mailbox
    return session
  }

  get address(): string {
    return this.facts.address
  }

  get handle(): string {
    return this.facts.handle
  }

  get instrument(): string {
    return this.facts.instrument
  }

  get sessionId(): string {
    return this.facts.sessionId
  }

  get tool(): string {
    return this.facts.tool
  }

  /** Who it speaks and hears for besides itself (docs/http.md §9); the same list while nothing of it changes. */
  get entities(): readonly string[] {
    const { agentEntity: own, facts } = this
    const { entities = NO_ENTITIES } = facts
    if (own === undefined || entities.includes(own)) return entities
    if (this.#withOwn.entities !== entities || this.#withOwn.all[0] !== own)
      this.#withOwn = { entities, all: [own, ...entities] }
    return this.#withOwn.all
  }

  /** What it is called as an entity; undefined for one that has not registered as an agent. */
  get agentEntity(): string | undefined {
    return this.facts.isAgent === true && this.name !== '' ? agentEntity(this.name) : undefined
  }

  /** Whether it holds a stream that stands in front of its mailbox (docs/http.md §7). */
  get isListening(): boolean {
    for (const { isAside } of this.subscriptions) if (!isAside) return true
    return false
  }

  /** What its mailbox stands in for just now. */
  get standing(): Standing {
    const canHear = [...this.subscriptions].some(
      ({ filter, entities }) =>
        filter.every(({ axis }) => axis !== 'kind') || entities.some((name) => this.entities.includes(name)),
    )
    return { frames: !this.isListening, entities: canHear ? NO_ENTITIES : this.entities }
  }

  /** An unregistered stream: on the roster while it is open, and nowhere else. */
  get isVisitor(): boolean {
    return this.tokenHash === undefined
  }

  /** What is written down of it; undefined for a visitor, of which nothing is. */
  get record(): SessionRecord | undefined {
    const { tokenHash } = this
    if (tokenHash === undefined) return undefined
    const { name, facts, lifeline, registrant, startedAtMs, lastSeenAtMs, seenUpToSeq } = this
    const { predecessors, carriedEntities } = this
    return {
      name,
      facts,
      tokenHash,
      pidStartTime: lifeline?.startTime,
      isPidProven: lifeline?.isProven,
      endsWithPid: lifeline?.endsSession,
      registrant,
      startedAtMs,
      lastSeenAtMs,
      hasMailbox: this.mailbox !== undefined,
      seenUpToSeq,
      predecessors,
      carriedEntities: carriedEntities.length === 0 ? undefined : carriedEntities,
    }
  }

  /** The sequence began anew: places remembered from before name nothing any more. */
  forgetPlaces(): void {
    this.seenUpToSeq = 0
    this.predecessors = this.predecessors.map((one) => ({ ...one, upToSeq: 0 }))
  }

  /** It is over: its readers are told why. */
  endStreams(reason: 'replaced' | 'expired'): void {
    for (const subscription of this.subscriptions) subscription.bye(reason)
  }

  touch(clock: Clock): void {
    this.lastSeenAtMs = clock.nowMs()
    this.touchLease(clock)
    this.heardAtMs = this.leasedAtMs
  }

  touchLease(clock: Clock): void {
    this.leasedAtMs = clock.monotonicMs()
  }
}
