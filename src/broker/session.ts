/**
 * One session: its name, what it said about itself, its streams, its mailbox.
 */
import type { Clock } from '../core/clock.ts'
import type { Mailbox } from './mailbox.ts'
import type { Subscription } from './subscription.ts'

/** What a session said about itself at registration. */
export interface SessionFacts {
  /** `~alice/cc-opus-4-6@s1` */
  readonly address: string
  readonly handle: string
  readonly instrument: string
  readonly sessionId: string
  /** Tool class, for the filter axis `tool` (ACQ-29). */
  readonly tool: string
  readonly draftedWith: string
  readonly pid?: number | undefined
  readonly title?: string | undefined
  readonly cwd?: string | undefined
  readonly repository?: string | undefined
  readonly worktree?: string | undefined
  readonly branch?: string | undefined
  readonly entities?: readonly string[] | undefined
}

export class Session {
  facts: SessionFacts
  readonly startedAtMs: number
  /** Wall time of the last sign of life, for people. */
  lastSeenAtMs: number
  /** Monotonic time the lease runs from. */
  leasedAtMs: number
  /** Open streams; a session may have several (ACQ-38). */
  readonly subscriptions = new Set<Subscription>()
  mailbox: Mailbox | undefined
  /** Digest of the bearer token; undefined for a visitor, which has none. */
  tokenHash: string | undefined
  /** Tells the registering process from a later one of the same id. */
  pidStartTime: string | undefined
  /** Set when its token was revoked; a request that is still being sent speaks for nobody any more. */
  isOver = false
  /** Everything up to here has been called seen through `up_to`. */
  seenUpToSeq = 0

  constructor(facts: SessionFacts, clock: Clock) {
    this.facts = facts
    this.startedAtMs = clock.nowMs()
    this.lastSeenAtMs = this.startedAtMs
    this.leasedAtMs = clock.monotonicMs()
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

  /** An unregistered stream: on the roster while it is open, and nowhere else. */
  get isVisitor(): boolean {
    return this.tokenHash === undefined
  }

  touch(clock: Clock): void {
    this.lastSeenAtMs = clock.nowMs()
    this.touchLease(clock)
  }

  touchLease(clock: Clock): void {
    this.leasedAtMs = clock.monotonicMs()
  }
}
