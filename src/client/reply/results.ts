/**
 * What calls return: the daemon's answers in camelCase, read tolerantly, with frames validated one by one.
 *
 * @see docs/http.md §§4–8, 10; ACQ-37
 */
import type { z } from 'zod'
import { unlessRefused } from '../../core/thrown.ts'
import { parseFrame, type Frame } from '../../protocol/frame/frame.ts'
import type {
  Ack,
  LooseHistoryReply,
  ReceiptState,
  SubmissionReply,
  VerbReply,
  Warning as WarningReply,
} from '../../protocol/http/frame-replies.ts'
import { camelCased } from './camel-cased.ts'
import type { ActivityState, Delivery, WaitingReason } from '../../protocol/http/requests.ts'

/** A session by its name and its address. */
export interface NearSession {
  readonly name: string
  readonly address: string
}

/** What the daemon noticed about a frame or an envelope that it took all the same. */
export interface Warning {
  readonly code: string
  /** Dotted path of the member it is about. */
  readonly field: string | undefined
  readonly message: string
}

/** What became of a frame at the moment it was accepted (docs/http.md §5). */
export interface SubmissionResult {
  readonly frameId: string
  readonly eventId: string
  /** Live subscriptions the frame was emitted to, after filters (ACQ-24). */
  readonly recipientCount: number
  /** Mailboxes of sessions that hold no stream just now. */
  readonly queuedCount: number
  /** Of both, those at the person's own seats. */
  readonly peopleCount: number
  /** The durability this answer stands for. */
  readonly ack: Ack
  /** True when the daemon had the frame already; the counts are then those of the first time (ACQ-25). */
  readonly duplicate: boolean
  /** Sessions that a scope which names nobody may have meant; none where it names somebody. */
  readonly near: readonly NearSession[]
  /** Such as that nobody may answer to the response scope of a question. */
  readonly warnings: readonly Warning[]
}

/** A verb's answer: the frame the daemon made of it, and the id it minted. */
export interface VerbResult extends SubmissionResult {
  readonly frame: Frame
  readonly queryId: string | undefined
  readonly leaseId: string | undefined
  readonly diagnosticId: string | undefined
}

/** What a session does, as it says itself. The text is its own, and to be shown as somebody else's words. */
export interface SessionActivity {
  /** `waiting` is at a prompt of its own, where only its person can go on. */
  readonly state: ActivityState
  readonly reason: WaitingReason | null
  readonly text: string | null
  /** RFC 3339. */
  readonly since: string
}

/** One session of a roster. Times are RFC 3339. */
export interface RosterSession {
  /** What people call it, and what `to` takes; undefined from a daemon that gives no names. */
  readonly name: string | undefined
  readonly address: string
  readonly instrument: string
  readonly sessionId: string
  readonly tool: string
  readonly title: string | null
  readonly cwd: string | null
  readonly repository: string | null
  readonly worktree: string | null
  readonly branch: string | null
  /** AEE entities it speaks and hears for; undefined from a daemon that does not say. */
  readonly entities: readonly string[] | undefined
  /** How it says it can be reached; null when it does not say, undefined from a daemon that does not tell. */
  readonly delivery: Delivery | null | undefined
  /** Null until it says so; undefined from a daemon that does not tell. */
  readonly activity: SessionActivity | null | undefined
  readonly startedAt: string
  readonly lastSeenAt: string
  /** Its last frame or envelope; null for none since the daemon started, undefined from one that does not tell. */
  readonly lastSentAt: string | null | undefined
  /** Open streams. */
  readonly subscriptions: number
  /** Null for a session without a mailbox. */
  readonly mailbox: { readonly unread: number } | null
  /** Members that are longer than a roster tells; undefined when all of it is here. */
  readonly cut: readonly string[] | undefined
  /** What it shares with the session that asked for those near it; undefined when none did. */
  readonly near: 'worktree' | 'repository' | undefined
}

/** A page of a roster, in the order they came. */
export interface RosterPage {
  readonly sessions: readonly RosterSession[]
  /** Cursor of the next page; null at the end. */
  readonly next: string | null
  /** Sessions that were asked for, on all pages; undefined from a daemon that does not count. */
  readonly matching: number | undefined
  /** Sessions of the handle, whatever was asked for. */
  readonly total: number | undefined
}

/** A retained frame. */
export interface HistoryEntry {
  readonly eventId: string
  /** Address of the session it came from; null for the principal, undefined from a daemon that does not tell. */
  readonly sender: string | null | undefined
  readonly scope: string
  readonly acceptedAt: string
  readonly frame: Frame
}

/** One page, oldest first. */
export interface HistoryPage {
  readonly items: readonly HistoryEntry[]
  /** The cursor of the next page; null at the end. */
  readonly next: string | null
  /** Items this library could not read (ACQ-37). */
  readonly unreadable: number
}

/** What one recipient did with a frame. `seen` is only ever said by the receiving side. */
export interface Receipt {
  readonly address: string
  readonly state: ReceiptState
  readonly at: string
  readonly via: string | undefined
  /** The session it came to, where that carries on the one it was sent to. */
  readonly carriedOnBy?: string | undefined
}

export interface Receipts {
  readonly frameId: string
  readonly eventId: string
  readonly acceptedAt: string
  readonly recipientCount: number
  readonly queuedCount: number
  /** Of both, those at the person's own seats; absent where there is none, and once the daemon began anew. */
  readonly peopleCount?: number | undefined
  readonly receipts: readonly Receipt[]
}

/** How the daemon is, and who it is (docs/http.md §10). */
export interface Health {
  readonly status: 'healthy' | 'degraded' | 'unhealthy'
  readonly version: string
  readonly instanceId: string
  readonly pid: number
  readonly epoch: string
  readonly principal: string
  readonly startedAt: string
  readonly uptimeMs: number
  readonly sessions: number
  /** Of those, how many wait at a prompt of their own; undefined from a daemon that does not say. */
  readonly waiting: number | undefined
  readonly subscriptions: number
  /** Whether the kernel is asked who connects; undefined from a daemon that does not say. */
  readonly peerCredentials: 'checked' | 'unavailable' | undefined
  /** Null without a ring. */
  readonly ring: RingHealth | null
  /** One sentence per thing that is off. */
  readonly details: readonly string[]
}

export interface RingHealth {
  readonly enabled: boolean
  readonly ack: Ack
  readonly frames: number
  readonly bytes: number
  readonly oldestEventId: string | null
  readonly newestEventId: string | null
  readonly sqliteVersion: string | null
  readonly synchronous: string | null
  /** What is kept at most; undefined from a daemon that does not say. */
  readonly retention: Retention | undefined
}

/** The bounds of what is kept; whichever is met first trims. */
export interface Retention {
  readonly maxFrames: number
  readonly maxBytes: number
  readonly maxAgeMs: number
}

/** One array, so that none is always the same. */
const NOBODY_NEAR: readonly NearSession[] = []
const NO_WARNINGS: readonly Warning[] = []

/** By hand: every frame that is sent passes here, and a copy by name costs fifty times as much. @param own - of this side */
export function toSubmissionResult(reply: SubmissionReply, own = NO_WARNINGS): SubmissionResult {
  return {
    frameId: reply.frame_id,
    eventId: reply.event_id,
    recipientCount: reply.recipient_count,
    queuedCount: reply.queued_count,
    peopleCount: reply.people_count ?? 0,
    ack: reply.ack,
    duplicate: reply.duplicate ?? false,
    near: reply.near ?? NOBODY_NEAR,
    warnings: reply.warnings === undefined ? own : [...own, ...reply.warnings.map((one) => toWarning(one))],
  }
}

/** A field that is absent on the wire is one that is undefined here. */
export function toWarning({ code, field, message }: WarningReply): Warning {
  return { code, field, message }
}

export function toVerbResult(reply: VerbReply): VerbResult {
  const {
    queryId,
    leaseId,
    diagnosticId,
    duplicate = false,
    near = [],
    warnings = NO_WARNINGS,
    peopleCount = 0,
    ...rest
  } = camelCased(reply)
  return { ...rest, peopleCount, duplicate, near, warnings, queryId, leaseId, diagnosticId }
}

export function toHistoryPage(reply: z.infer<typeof LooseHistoryReply>): HistoryPage {
  const items = reply.items.flatMap((item) => {
    const frame = findFrame(item.frame)
    return frame === undefined ? [] : [{ ...camelCased(item), frame }]
  })
  return { items, next: reply.next, unreadable: reply.items.length - items.length }
}

/** @returns undefined for what is no valid frame */
export function findFrame(value: unknown): Frame | undefined {
  return unlessRefused(() => parseFrame(value))
}
