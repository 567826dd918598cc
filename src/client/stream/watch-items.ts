/**
 * What a watch yields: everything that passes, and how things are meanwhile.
 *
 * @see docs/http.md §6; W-1
 */
import type { ReceiptState } from '../../protocol/http/frame-replies.ts'
import type { PersonNeed } from '../reply/need-results.ts'
import type { Health, RosterSession } from '../reply/results.ts'
import type { EnvelopeItem, FrameItem, GapItem, ResumeOptions } from './options.ts'

/** Where something came from and went. */
export interface PassedOrigin {
  /** Address of the session it came from; null for the principal itself. */
  readonly sender: string | null
  /** Whom it was for: a scope, or the entity of an envelope. */
  readonly scope: string
  /** RFC 3339. */
  readonly acceptedAt: string
  /** Streams and mailboxes it reached, as its sender was told. */
  readonly recipientCount: number
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
  readonly type: 'snapshot'
  readonly eventId: string
  readonly principal: string
  readonly sessions: readonly RosterSession[]
  readonly needs: readonly WatchedNeed[]
  readonly health: Health
  /** Lists that are longer than this tells; undefined when all of them are here. */
  readonly cut: readonly ('sessions' | 'needs')[] | undefined
}

/** Somebody came, went, or is no longer what the roster said. */
export interface SessionItem {
  readonly type: 'session'
  readonly change: 'came' | 'changed' | 'went'
  readonly session: RosterSession
}

/** Something needs the person, or does no more. */
export interface NeedItem {
  readonly type: 'need'
  readonly change: 'opened' | 'changed' | 'closed'
  readonly need: WatchedNeed
}

/** What became of something that the watching session, or the principal, sent. */
export interface ReceiptItem {
  readonly type: 'receipt'
  readonly eventId: string
  readonly address: string
  readonly state: ReceiptState
  readonly at: string
}

/** What the daemon says of a watch, gaps aside. */
export type WatchEvent = PassedFrame | PassedEnvelope | SnapshotItem | SessionItem | NeedItem | ReceiptItem

/** What a watch yields. */
export type WatchItem = WatchEvent | GapItem

/** How a watch is opened. It has no filter: who watches filters. */
export type WatchOptions = ResumeOptions
