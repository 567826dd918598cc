/**
 * What a watch yields: everything that passes, and how things are meanwhile.
 *
 * @see docs/http.md §6; W-1
 */
import type { ReceiptState } from '../../protocol/http/frame-replies.ts'
import type { PersonNeed } from '../reply/need-results.ts'
import type { Health } from '../reply/health-results.ts'
import type { RosterSession } from '../reply/roster-results.ts'
import type { EnvelopeItem, FrameItem, GapItem, ResumeOptions } from './options.ts'

/** Where something came from and went. */
export interface PassedOrigin {
  /** Address of the session it came from; null for the principal itself. */
  readonly sender: string | null
  /** Whom it was for: a scope, or the entity of an envelope. */
  readonly scope: string
  /** When it was accepted, RFC 3339. */
  readonly acceptedAt: string
  /** Streams it reached, as its sender was told. */
  readonly recipientCount: number
  /** Mailboxes it reached, as its sender was told. */
  readonly queuedCount: number
}

/** A frame that passed. */
export interface PassedFrame extends FrameItem, PassedOrigin {}

/** An envelope that passed; `agentd envelope get` has its octets. */
export interface PassedEnvelope extends Omit<EnvelopeItem, 'text'>, PassedOrigin {}

/** A need as a watch tells it: what was sent is as its sender wrote it. */
export interface WatchedNeed extends Omit<PersonNeed, 'envelope'> {
  /** Not yet looked into. */
  readonly envelope: Readonly<Record<string, unknown>> | undefined
}

/** How everything is when a connection begins. Items up to `eventId` that follow are history. */
export interface SnapshotItem {
  /** Tells it from other items. */
  readonly type: 'snapshot'
  /** The daemon's position. */
  readonly eventId: string
  /** The handle of the user it runs for. */
  readonly principal: string
  /** Who is there. */
  readonly sessions: readonly RosterSession[]
  /** What needs the person. */
  readonly needs: readonly WatchedNeed[]
  /** How the daemon is. */
  readonly health: Health
  /** Lists that are longer than this tells; undefined when all of them are here. */
  readonly cut: readonly ('sessions' | 'needs')[] | undefined
}

/** Somebody came, went, or is no longer what the roster said. */
export interface SessionItem {
  /** Tells it from other items. */
  readonly type: 'session'
  /** What has happened to it. */
  readonly change: 'came' | 'changed' | 'went'
  /** The session; one that went, as it was. */
  readonly session: RosterSession
}

/** Something needs the person, or does no more. */
export interface NeedItem {
  /** Tells it from other items. */
  readonly type: 'need'
  /** What has happened to it. */
  readonly change: 'opened' | 'changed' | 'closed'
  /** The need, as it is now. */
  readonly need: WatchedNeed
}

/** What became of something that the watching session, or the principal, sent. */
export interface ReceiptItem {
  /** Tells it from other items. */
  readonly type: 'receipt'
  /** The place of what was sent. */
  readonly eventId: string
  /** The recipient. */
  readonly address: string
  /** What became of it there. */
  readonly state: ReceiptState
  /** Since when, RFC 3339. */
  readonly at: string
}

/** Items that the person had forgotten for good. */
export interface ForgottenItem {
  /** Tells it from other items. */
  readonly type: 'forgotten'
  /** Of their event ids: `6f1c` of `6f1c-42`. */
  readonly epoch: string
  /** The numbers of their event ids, each run from its first to its last. */
  readonly runs: readonly {
    /** The number of the first. */
    readonly first: number
    /** The number of the last. */
    readonly last: number
  }[]
}

/** What the daemon says of a watch, gaps aside. */
export type WatchEvent =
  | PassedFrame
  | PassedEnvelope
  | SnapshotItem
  | SessionItem
  | NeedItem
  | ReceiptItem
  | ForgottenItem

/** What a watch yields. */
export type WatchItem = WatchEvent | GapItem

/** How a watch is opened. It has no filter: who watches filters. */
export type WatchOptions = ResumeOptions
