/**
 * What a watch yields: everything that passes, and how things are meanwhile.
 *
 * @see docs/http.md §6; W-1
 */
import type { Need } from '../../protocol/http/need.ts'
import type { ReceiptState } from '../../protocol/http/frame-replies.ts'
import type { NeedChange, SessionChange } from '../../protocol/http/watch-events.ts'
import type { CamelCased } from '../reply/camel-cased.ts'
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

/** How everything is when a connection begins. Items up to `eventId` that follow are history. */
export interface SnapshotItem {
  readonly type: 'snapshot'
  readonly eventId: string
  readonly principal: string
  readonly sessions: readonly RosterSession[]
  readonly needs: readonly CamelCased<Need>[]
  readonly health: Health
  /** Lists that are longer than this tells; undefined when all of them are here. */
  readonly cut: readonly ('sessions' | 'needs')[] | undefined
}

/** Somebody came, went, or is no longer what the roster said. */
export interface SessionItem {
  readonly type: 'session'
  readonly change: SessionChange['change']
  readonly session: RosterSession
}

/** Something needs the person, or does no more. */
export interface NeedItem {
  readonly type: 'need'
  readonly change: NeedChange['change']
  readonly need: CamelCased<Need>
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
