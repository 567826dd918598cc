/**
 * What one frame says to the board: somebody is at files, or a lease begins, lasts longer or is over.
 *
 * It is read member by member, so that those who validate frames and those who only have the daemon's word for them
 * read one alike.
 *
 * @see memo §4.4, AC-061…AC-068
 */
import { isJsonObject, numberOf, textMember, textsOf, type JsonObject } from '../../core/text/json-object.ts'

/** The kinds that the board reads; the frames of any other one say nothing to it. */
export const BOARD_KINDS = [
  'agent_advisory',
  'agent_lock_request',
  'agent_lease_extend',
  'agent_lock_release',
] as const

/** How long an advisory holds that does not say, in milliseconds (`frame/kinds.ts`, which a hook does not load). */
const DEFAULT_TTL_MS = 3_600_000

/** Files of one frame that stand on the board, the first that it names; a frame has room for thousands. */
export const MAX_FRAME_ENTRIES = 512

/** Characters of what an entry is about. No path that is longer is looked for (memo §5: a resource has 512 octets). */
export const MAX_RESOURCE_LENGTH = 1_024

/** A frame as any receiver has it. */
export interface PassingFrame {
  /** Address of the session it came from; null or undefined for the principal itself. */
  readonly sender: string | null | undefined
  /** When the daemon took it, in milliseconds of wall time; undefined when it did not say. */
  readonly acceptedAtMs: number | undefined
  readonly frame: unknown
  /** The node that it came from; absent for this one. */
  readonly node?: string | undefined
}

/** Somebody's announced work on one file, or a lease on something. */
export interface BoardEntry {
  /** Of the frame that announced it. */
  readonly frameId: string
  /** Set for a lease, in the spelling of its request. */
  readonly leaseId: string | undefined
  /** What it is about, as it was sent: a path within the worktree, an absolute one, or any name for a lease. */
  readonly resource: string
  readonly worktree: string | undefined
  readonly branch: string | undefined
  /** The sender's address; of what no session sent, whatever program it was, the handle: the person's own word. */
  readonly from: string
  /** The node it was announced on: its paths are of another machine. Absent for this one (FED-67). */
  readonly node?: string | undefined
  /** What for, in the sender's words. */
  readonly about?: string | undefined
  /** When it was announced, in milliseconds of wall time. */
  readonly sinceMs: number
  readonly untilMs: number
}

/** What a frame says, and who says it when. */
export type BoardNews =
  | { readonly kind: 'announced'; readonly origin: BoardOrigin; readonly entries: readonly BoardEntry[] }
  | {
      readonly kind: 'extended'
      readonly origin: BoardOrigin
      readonly leaseId: string
      readonly additionalMs: number
    }
  | { readonly kind: 'released'; readonly origin: BoardOrigin; readonly leaseId: string }

/** Who says it when. */
export interface BoardOrigin {
  /** As {@link BoardEntry.from}. */
  readonly from: string
  /** Wall time in milliseconds; never later than when the daemon took it. */
  readonly atMs: number
}

/** @returns undefined for a frame that says nothing to the board, or cannot be told from others or placed in time */
export function readBoardFrame(passing: PassingFrame): BoardNews | undefined {
  const { frame } = passing
  if (!isJsonObject(frame)) return undefined
  const { kind, payload } = frame
  if (!isJsonObject(payload)) return undefined
  switch (kind) {
    case 'agent_advisory':
      return announced(passing, frame, readAdvised(payload))
    case 'agent_lock_request':
      return announced(passing, frame, readRequested(payload))
    case 'agent_lease_extend':
      return extended(payload, originOf(passing, frame))
    case 'agent_lock_release':
      return released(payload, originOf(passing, frame))
    default:
      return undefined
  }
}

/** What a payload says of the entries it begins. */
interface Announcement extends Pick<BoardEntry, 'leaseId' | 'worktree' | 'branch' | 'about'> {
  readonly resources: readonly string[]
  /** Undefined where the frame itself says how long it holds. */
  readonly ttlMs: number | undefined
}

function readAdvised(payload: JsonObject): Announcement {
  return {
    resources: textsOf(payload, 'file_refs')
      .filter((file) => file.length <= MAX_RESOURCE_LENGTH)
      .slice(0, MAX_FRAME_ENTRIES),
    leaseId: undefined,
    worktree: textMember(payload, 'worktree'),
    branch: textMember(payload, 'branch'),
    about: textMember(payload, 'advisory_text'),
    ttlMs: undefined,
  }
}

function readRequested(payload: JsonObject): Announcement | undefined {
  const [leaseId, resource] = [textMember(payload, 'lease_id'), textMember(payload, 'resource')]
  if (leaseId === undefined || resource === undefined) return undefined
  const where = { worktree: undefined, branch: undefined }
  const ttlMs = numberOf(payload, 'ttl_ms') ?? DEFAULT_TTL_MS
  return { resources: [resource], leaseId, ...where, about: textMember(payload, 'intent'), ttlMs }
}

function announced(
  passing: PassingFrame,
  frame: JsonObject,
  announcement: Announcement | undefined,
): BoardNews | undefined {
  const [frameId, origin] = [textMember(frame, 'frame_id'), originOf(passing, frame)]
  if (frameId === undefined || origin === undefined || announcement === undefined) return undefined
  const { resources, ttlMs = numberOf(frame, 'ttl_ms') ?? DEFAULT_TTL_MS, ...said } = announcement
  const times = { sinceMs: origin.atMs, untilMs: origin.atMs + Math.round(ttlMs) }
  const by = { from: origin.from, ...(passing.node !== undefined && { node: passing.node }) }
  const entries = resources.map((resource) => ({ frameId, resource, ...said, ...by, ...times }))
  return { kind: 'announced', origin, entries }
}

function extended(payload: JsonObject, origin: BoardOrigin | undefined): BoardNews | undefined {
  const leaseId = textMember(payload, 'lease_id')
  if (leaseId === undefined || origin === undefined) return undefined
  const additionalMs = Math.round(numberOf(payload, 'additional_ttl_ms') ?? 0)
  return { kind: 'extended', origin, leaseId, additionalMs }
}

function released(payload: JsonObject, origin: BoardOrigin | undefined): BoardNews | undefined {
  const leaseId = textMember(payload, 'lease_id')
  return leaseId === undefined || origin === undefined ? undefined : { kind: 'released', origin, leaseId }
}

function originOf({ sender, acceptedAtMs }: PassingFrame, frame: JsonObject): BoardOrigin | undefined {
  // A sender may state a time to come, and would hold for as much longer; a leap second is when the daemon took it.
  const times = [Date.parse(textMember(frame, 'created_at') ?? ''), acceptedAtMs ?? Number.NaN]
  const atMs = Math.min(...times.filter((ms) => Number.isFinite(ms)))
  const from = sender || textMember(frame, 'sender_handle') || '~'
  return Number.isFinite(atMs) ? { from, atMs } : undefined
}
