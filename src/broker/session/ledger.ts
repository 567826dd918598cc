/**
 * What has to outlive the daemon besides frames: sessions, what waits in mailboxes, what was seen.
 *
 * @see; docs/http.md §§4, 7
 */
import type { HoldingRecord } from '../mail/holding.ts'
import type { LaneRun } from '../mail/lanes.ts'
import type { Run, Runs } from '../mail/runs.ts'
import type { RecipientOutcome, RecipientStep } from '../ring/delivery.ts'
import type { Origin } from '../ring/retained.ts'
import type { RegisteredFacts } from './facts.ts'
import type { KnownProcess } from '../kinship/lifeline.ts'
import type { Predecessor } from '../kinship/predecessors.ts'

/** A registered session as it is written down. Its token is only ever a digest. */
export interface SessionRecord {
  /** What people call it; absent in what an earlier version wrote. */
  readonly name?: string | undefined
  readonly facts: RegisteredFacts
  readonly tokenHash: string
  readonly pidStartTime: string | undefined
  /** Whether the kernel showed that process as a forebear of the one that registered; absent, it was not asked. */
  readonly isPidProven?: boolean | undefined
  /** Whether it ends with that process; absent, where that is proven. */
  readonly endsWithPid?: boolean | undefined
  readonly registrant?: KnownProcess | undefined
  readonly startedAtMs: number
  readonly lastSeenAtMs: number
  readonly hasMailbox: boolean
  readonly seenUpToSeq: number
  /** Whose mail it took over, newest first, `MAX_PREDECESSORS` at the most. */
  readonly predecessors: readonly Predecessor[]
  /** Absent for none. */
  readonly carriedEntities?: readonly string[] | undefined
}

/** A session that left. */
export interface Departed {
  readonly address: string
  readonly name: string
}

/** A mailbox as it is written down, whatever waits in it (HD-03). */
export interface MailboxRecord extends HoldingRecord {
  /** What retention took before it was read, and has not been told yet. */
  readonly lost: number
  /** The last place that was handed over, or told as lost. */
  readonly cursor: number
  /** The number of the first hole that it has not been told of (FED-28). */
  readonly holes: number
}

/** A mailbox as a new daemon finds it. */
export interface InheritedMailbox {
  readonly record: MailboxRecord
  /** What it has taken out of turn. */
  readonly taken: Runs
}

/** A mailbox that took over what another one held: everything that is written down of it. */
export interface WholeMailbox {
  readonly record: MailboxRecord
  readonly taken: readonly Run[]
  /** What stands in its own lane. */
  readonly own: readonly LaneRun[]
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
  /** Who left, the first in front; `MAX_DEPARTED_NAMES` at the most. */
  readonly departed: readonly Departed[]
  /** Address → its mailbox. */
  readonly mailboxes: ReadonlyMap<string, InheritedMailbox>
  /** What stands in the lanes, in order within each lane and priority. */
  readonly lanes: Iterable<LaneRun>
  /** Read when it is needed: tens of thousands of frames may be recent. */
  readonly recent: RecentPast
}

/** A question, as far as an answer needs it. */
export interface RememberedQuery {
  readonly queryId: string
  readonly responseScope: string
  readonly scopeText: string
  /** Who asked: the session, where it was one, and the node, where that is another. */
  readonly senderHandle: string
  readonly senderAddress: string | undefined
  readonly origin: Origin | undefined
}

/** Some of what was accepted lately, oldest first. */
export interface RecentPage {
  /** Frames that belong into the dedup window. */
  readonly remembered: readonly RememberedFrame[]
  /** Questions that may still be answered. */
  readonly queries: readonly RememberedQuery[]
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

/** Where that is written down. What mailboxes get is written with the frames themselves. */
export interface Ledger {
  sessionSaved(record: SessionRecord): void
  /**
   * Its name is kept for whoever comes back to the address.
   *
   * @param leavesMail - what waits for the address is kept for whoever carries on
   */
  sessionEnded(session: Departed, leavesMail: boolean): void
  /** @param taken - runs it took out of turn since it was last written down */
  mailboxSaved(address: string, record: MailboxRecord, taken: readonly Run[]): void
  /** One mailbox took over another, which is gone. */
  mailboxMoved(from: string, to: string, whole: WholeMailbox): void
  mailboxDropped(address: string): void
  /** Every mailbox has counted what lies before a place; nobody looks there any more. */
  mailSwept(records: ReadonlyMap<string, MailboxRecord>, beforeSeq: number): void
  concluded(seqs: readonly number[], address: string, outcome: RecipientOutcome): void
}

/** Writes nothing down: the ledger of a daemon that keeps everything in memory. */
export const forgetfulLedger: Ledger = {
  sessionSaved() {},
  sessionEnded() {},
  mailboxSaved() {},
  mailboxMoved() {},
  mailboxDropped() {},
  mailSwept() {},
  concluded() {},
}

/** What a daemon without a past begins with. */
export const NOTHING_INHERITED: Inheritance = {
  sessions: [],
  departed: [],
  mailboxes: new Map(),
  lanes: [],
  recent: { nextPage: () => undefined },
}

/** What one recipient's end of a frame takes in memory, in bytes. */
export const OUTCOME_BYTES = 160

/** Writes nothing down either, but has the ring charged with what is kept for recipients (HD-03). */
export function memoryLedger(ring: { charge(seq: number, bytes: number): void }): Ledger {
  return {
    ...forgetfulLedger,
    concluded: (seqs) => {
      for (const seq of seqs) ring.charge(seq, OUTCOME_BYTES)
    },
  }
}

/** Who keeps receipts: an end is written down; what comes before one is in memory only (OP-09). */
export interface ReceiptBook extends Pick<Ledger, 'concluded'> {
  /** At one recipient: handed over, or waiting again. */
  stepped(seqs: readonly number[], address: string, step: RecipientStep): void
}
