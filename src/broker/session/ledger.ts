/**
 * What has to outlive the daemon besides frames: sessions, what waits in mailboxes, what was seen.
 *
 * @see; docs/http.md §§4, 7
 */
import type { Priority } from '../../aee/envelope/envelope.ts'
import type { RecipientOutcome } from '../ring/delivery.ts'
import type { RegisteredFacts } from './facts.ts'

/** A registered session as it is written down. Its token is only ever a digest. */
export interface SessionRecord {
  readonly facts: RegisteredFacts
  readonly tokenHash: string
  readonly pidStartTime: string | undefined
  readonly startedAtMs: number
  readonly lastSeenAtMs: number
  readonly hasMailbox: boolean
  readonly seenUpToSeq: number
  /** Addresses whose mail it took over, newest first. */
  readonly heirOf: readonly string[]
}

/** What a mailbox lost to retention before it was read, and the place before the first of that. */
export interface MailboxLoss {
  readonly lost: number
  readonly beforeSeq: number
}

/** A remembered submission, to be told from a new one after a restart. */
export interface RememberedFrame {
  readonly frameId: string
  readonly digest: string
  readonly seq: number
  readonly recipientCount: number
  readonly queuedCount: number
}

/** Everything a new daemon takes over from the last one. */
export interface Inheritance {
  readonly sessions: readonly SessionRecord[]
  /** Address → places that wait, in order. */
  readonly mailboxes: ReadonlyMap<string, readonly number[]>
  /** Address → what was lost and has not been told yet. */
  readonly losses: ReadonlyMap<string, MailboxLoss>
  /** Place → priority, of the envelopes that wait somewhere and are not normal. */
  readonly priorities: ReadonlyMap<number, Priority>
  /** Read when it is needed: tens of thousands of frames may be recent. */
  readonly recent: RecentPast
}

/** Some of what was accepted lately, oldest first. */
export interface RecentPage {
  /** Frames that belong into the dedup window. */
  readonly remembered: readonly RememberedFrame[]
  /** Query id → response scope. */
  readonly queries: readonly (readonly [string, string])[]
}

/** What was accepted lately before this daemon's time, in pages, oldest first. */
export interface RecentPast {
  /**
   * Each page once; undefined after the last.
   *
   * @throws AgentdError when the disk refuses; the next call tries the same page again
   */
  nextPage(): RecentPage | undefined
}

/** Where that is written down. What a mailbox gets, and what it loses, is written with the frames themselves. */
export interface Ledger {
  sessionSaved(record: SessionRecord): void
  /** @param leavesMail - what waits for the address is kept for whoever carries on */
  sessionEnded(address: string, leavesMail: boolean): void
  mailboxMoved(from: string, to: string): void
  mailboxRemoved(address: string, seqs: Iterable<number>): void
  /** The session was told what its mailbox had lost. */
  lossTold(address: string): void
  concluded(seqs: readonly number[], address: string, outcome: RecipientOutcome): void
}

/** Writes nothing down: the ledger of a daemon that keeps everything in memory. */
export const forgetfulLedger: Ledger = {
  sessionSaved() {},
  sessionEnded() {},
  mailboxMoved() {},
  mailboxRemoved() {},
  lossTold() {},
  concluded() {},
}

/** What a daemon without a past begins with. */
export const NOTHING_INHERITED: Inheritance = {
  sessions: [],
  mailboxes: new Map(),
  losses: new Map(),
  priorities: new Map(),
  recent: { nextPage: () => undefined },
}
