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
  RemoteCount,
  SubmissionReply,
  VerbReply,
  Warning as WarningReply,
} from '../../protocol/http/frame-replies.ts'
import { camelCased } from './camel-cased.ts'

/** A session by its name and its address. */
export interface NearSession {
  /** What people call it. */
  readonly name: string
  /** Its address, such as `~alice/cc@s1`. */
  readonly address: string
}

/** What the daemon noticed about a frame or an envelope that it took all the same. */
export interface Warning {
  /** Which one it is; a name that stays. */
  readonly code: string
  /** Dotted path of the member it is about; undefined where it is about none. */
  readonly field: string | undefined
  /** A sentence that says what to do. */
  readonly message: string
}

/** Whom something names on other nodes that this daemon is linked with: knowledge as of then, and no delivery (FED-50). */
export interface RemoteReach {
  /** Sessions on their rosters. */
  readonly sessions: number
  /** The nodes these are on. */
  readonly nodes: readonly string[]
  /** Nodes not heard of lately; what was sent waits for them. */
  readonly away: readonly string[]
  /** Nodes that are there and do not say who is; what was sent may be heard on them. */
  readonly untold?: readonly string[] | undefined
  /** As of when, RFC 3339; null where no other node was ever heard of. */
  readonly asOf: string | null
}

/** What became of a frame at the moment it was accepted (docs/http.md §5). */
export interface SubmissionResult {
  /** The frame. */
  readonly frameId: string
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** Live subscriptions the frame was emitted to, after filters (ACQ-24). */
  readonly recipientCount: number
  /** Mailboxes of sessions that hold no stream just now. */
  readonly queuedCount: number
  /** Of both, those at the person's own seats. */
  readonly peopleCount: number
  /** Of both, terminals. */
  readonly terminalCount: number
  /** Whom it names on other nodes, in none of the counts; undefined without a link, and of what stays here. */
  readonly remote?: RemoteReach | undefined
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
  /** The frame that was composed. */
  readonly frame: Frame
  /** Of a question, what answers name it by. */
  readonly queryId: string | undefined
  /** Of a lock, the lease. */
  readonly leaseId: string | undefined
  /** Of a request for a diagnosis, what answers name it by. */
  readonly diagnosticId: string | undefined
}

/** A retained frame. */
export interface HistoryEntry {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** Address of the session it came from; null for the principal, undefined from a daemon that does not tell. */
  readonly sender: string | null | undefined
  /** The node that took it first; undefined for this one. */
  readonly node?: string | undefined
  /** Whom it was sent to. */
  readonly scope: string
  /** When it was accepted, RFC 3339. */
  readonly acceptedAt: string
  /** The frame. */
  readonly frame: Frame
}

/** One page, oldest first. */
export interface HistoryPage {
  /** The frames. */
  readonly items: readonly HistoryEntry[]
  /** The cursor of the next page; null at the end. */
  readonly next: string | null
  /** How many items this library could not read, and left out (ACQ-37). */
  readonly unreadable: number
}

/** What one recipient did with a frame. `seen` is only ever said by the receiving side. */
export interface Receipt {
  /** The recipient. */
  readonly address: string
  /** What became of the frame there. */
  readonly state: ReceiptState
  /** Since when, RFC 3339. */
  readonly at: string
  /** How it came by the frame, such as `inbox`; undefined until it has. */
  readonly via: string | undefined
  /** The session it came to, where that carries on the one it was sent to. */
  readonly carriedOnBy?: string | undefined
  /** The node that it is about; undefined for this one. Until that node tells, the address is what was written to. */
  readonly node?: string | undefined
  /** Why the node refused it. */
  readonly code?: string | undefined
}

/** What became of a frame at everybody it was for. */
export interface Receipts {
  /** The frame. */
  readonly frameId: string
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** When it was accepted, RFC 3339. */
  readonly acceptedAt: string
  /** Live subscriptions it was emitted to. */
  readonly recipientCount: number
  /** Mailboxes it was kept in. */
  readonly queuedCount: number
  /** Of both, those at the person's own seats; absent where there is none, and once the daemon began anew. */
  readonly peopleCount?: number | undefined
  /** Of both, terminals; absent as `peopleCount`. */
  readonly terminalCount?: number | undefined
  /** A line for each recipient. */
  readonly receipts: readonly Receipt[]
  /** Nodes that are not heard of just now; undefined where there is none. */
  readonly away?: readonly string[] | undefined
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
    terminalCount: reply.terminal_count ?? 0,
    remote: toRemoteReach(reply.remote),
    ack: reply.ack,
    duplicate: reply.duplicate ?? false,
    near: reply.near ?? NOBODY_NEAR,
    warnings: reply.warnings === undefined ? own : [...own, ...reply.warnings.map((one) => toWarning(one))],
  }
}

export function toRemoteReach(remote: RemoteCount | undefined): RemoteReach | undefined {
  if (remote === undefined) return undefined
  const { as_of: asOf, ...rest } = remote
  return { ...rest, asOf }
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
    terminalCount = 0,
    ...rest
  } = camelCased(reply)
  return {
    ...rest,
    peopleCount,
    terminalCount,
    duplicate,
    near,
    warnings,
    queryId,
    leaseId,
    diagnosticId,
  }
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
