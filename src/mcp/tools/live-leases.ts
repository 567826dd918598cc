/**
 * Who holds what: the announced leases that live, worked out from the frames that announce, extend and end them.
 *
 * Leases are advisory and the daemon keeps no table of them.
 *
 * @see AC-061…AC-068; PD-07
 */
import type { AgentdSession, HistoryEntry } from '../../client/index.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { SHELL_INSTRUMENT } from '../../protocol/frame/compose.ts'
import {
  foldLeases,
  leaseKey,
  type BoardLease,
  type CarriesOn,
  type LeaseFrame,
} from '../../protocol/frame/lease-board.ts'
import { MAX_LEASE_FRAMES } from '../session/bounds.ts'

/** A lease that lives. */
export interface LiveLease {
  /** As `leaseKey` makes it of the request: it stays the same under whatever address its session carries on. */
  readonly key: string
  readonly leaseId: string
  readonly resource: string
  readonly intent: string | undefined
  /** The address of the session that took it; of one that none took, the handle and the instrument. */
  readonly holder: string
  /** Whether this session holds it. */
  readonly isOwn: boolean
  /** Wall time in milliseconds. */
  readonly expiresAtMs: number
}

/** Whose leases are looked at, and from where. */
export interface LeaseView {
  readonly session: AgentdSession
  /** Leases taken over this connection, by `leaseKey`. */
  readonly ownLeases: ReadonlySet<string>
  readonly carriesOn: CarriesOn
  readonly nowMs: number
}

/** Frames that begin, extend and end a lease. */
const LEASE_KINDS = ['agent_lock_request', 'agent_lease_extend', 'agent_lock_release']

/** What is kept of a request: what it was for. */
type Intent = string | undefined

/** Every lease that lives, the one that ends first in front. */
export async function readLiveLeases(view: LeaseView): Promise<readonly LiveLease[]> {
  const { session, nowMs, carriesOn } = view
  const pages = await Promise.all(
    LEASE_KINDS.map((kind) => session.history({ filter: `kind:${kind}`, limit: MAX_LEASE_FRAMES })),
  )
  const entries = pages.flatMap(({ items }) => items).toSorted((a, b) => placeOf(a) - placeOf(b))
  return foldLeases([], entries.flatMap(readLeaseFrame), { nowMs, carriesOn })
    .map((lease) => toLiveLease(lease, view))
    .toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)
}

/** Where a frame stands among those of all kinds. */
function placeOf({ eventId }: HistoryEntry): number {
  return readEventId(eventId)?.seq ?? 0
}

function readLeaseFrame(entry: HistoryEntry): readonly LeaseFrame<Intent>[] {
  const { frame } = entry
  const sender = senderName(entry)
  const atMs = Date.parse(frame.created_at)
  if (frame.kind === 'agent_lock_request') {
    const { lease_id: leaseId, resource, ttl_ms: ttlMs, intent } = frame.payload
    return [{ kind: frame.kind, leaseId, sender, resource, atMs, ttlMs, request: intent }]
  }
  if (frame.kind === 'agent_lease_extend') {
    const { lease_id: leaseId, additional_ttl_ms: additionalMs } = frame.payload
    return [{ kind: frame.kind, leaseId, sender, atMs, additionalMs }]
  }
  if (frame.kind !== 'agent_lock_release') return []
  return [{ kind: frame.kind, leaseId: frame.payload.lease_id, sender }]
}

/** The session it came from, or what the frame says where none did: a shell is its principal. */
function senderName({ sender, frame }: HistoryEntry): string {
  if (typeof sender === 'string') return sender
  const { sender_handle: handle, drafted_with: instrument } = frame
  return instrument === SHELL_INSTRUMENT ? handle : `${handle} (${instrument})`
}

function toLiveLease(
  { leaseId, resource, holder, expiresAtMs, request: intent }: BoardLease<Intent>,
  { session, ownLeases }: LeaseView,
): LiveLease {
  const { address } = session
  // What a session has taken stays its own under the address it carries on with.
  const key = leaseKey(leaseId, holder)
  const isOwn = holder === address || ownLeases.has(key)
  return { key, leaseId, resource, intent, holder: isOwn ? address : holder, isOwn, expiresAtMs }
}
