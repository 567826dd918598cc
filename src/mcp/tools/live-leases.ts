/**
 * Who holds what: the announced leases that live, worked out from the frames that announce, prolong and end them.
 *
 * Leases are advisory and the daemon keeps no table of them. One lives until its time is over, or whoever took it
 * has released it.
 *
 * @see AC-061…AC-068; PD-07
 */
import type { AgentdSession, Frame, RosterSession } from '../../client/index.ts'
import type { FrameOf } from '../../client/index.ts'
import { SHELL_INSTRUMENT } from '../../protocol/frame/compose.ts'
import { MAX_LEASE_FRAMES } from '../session/bounds.ts'

/** A lease that lives. */
export interface LiveLease {
  readonly leaseId: string
  readonly resource: string
  readonly intent: string | undefined
  /** An address where exactly one session can be meant, else handle and instrument. */
  readonly holder: string
  /** Whether this session holds it. */
  readonly isOwn: boolean
  /** Wall time in milliseconds. */
  readonly expiresAtMs: number
}

type LeaseKind = 'agent_lock_request' | 'agent_lock_release' | 'agent_lease_extend'

/** Whose leases are looked at, and from where. */
export interface LeaseView {
  readonly session: AgentdSession
  /** Leases taken over this connection, by id. */
  readonly ownLeases: ReadonlySet<string>
  readonly roster: readonly RosterSession[]
  readonly nowMs: number
}

/** Every lease that lives, the one that ends first in front. */
export async function liveLeases(view: LeaseView): Promise<readonly LiveLease[]> {
  const { session, nowMs } = view
  const [requests, extensions, releases] = await Promise.all([
    retained(session, 'agent_lock_request'),
    retained(session, 'agent_lease_extend'),
    retained(session, 'agent_lock_release'),
  ])
  return requests
    .filter((request) => releases.every((release) => !isAbout(release, request)))
    .map((request) =>
      toLease(
        request,
        extensions.filter((extension) => isAbout(extension, request)),
        view,
      ),
    )
    .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
    .toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)
}

async function retained<K extends LeaseKind>(
  session: AgentdSession,
  kind: K,
): Promise<readonly FrameOf<K>[]> {
  const { items } = await session.history({ filter: `kind:${kind}`, limit: MAX_LEASE_FRAMES })
  return items.flatMap(({ frame }) => (isOfKind(frame, kind) ? [frame] : []))
}

function isOfKind<K extends Frame['kind']>(frame: Frame, kind: K): frame is FrameOf<K> {
  return frame.kind === kind
}

/** Whether a frame is about a lease and from whoever took it; anybody may claim to end another's. */
function isAbout(
  frame: FrameOf<'agent_lock_release' | 'agent_lease_extend'>,
  request: FrameOf<'agent_lock_request'>,
): boolean {
  return (
    sameId(frame.payload.lease_id, request.payload.lease_id) &&
    frame.sender_handle === request.sender_handle &&
    frame.drafted_with === request.drafted_with
  )
}

function sameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function toLease(
  { created_at, payload, sender_handle, drafted_with }: FrameOf<'agent_lock_request'>,
  extensions: readonly FrameOf<'agent_lease_extend'>[],
  { session, ownLeases, roster }: LeaseView,
): LiveLease {
  // A frame tells the instrument of its sender, not its session; one that several share stays a guess.
  const holders = roster.filter(({ instrument }) => drafted_with === `~${instrument}`)
  const alone = holders.length === 1 ? holders[0]?.address : undefined
  const isOwn = ownLeases.has(payload.lease_id) || alone === session.address
  const shared = drafted_with === SHELL_INSTRUMENT ? sender_handle : `${sender_handle} (${drafted_with})`
  const gainedMs = extensions.reduce((sum, extension) => sum + extension.payload.additional_ttl_ms, 0)
  return {
    leaseId: payload.lease_id,
    resource: payload.resource,
    intent: payload.intent,
    holder: isOwn ? session.address : (alone ?? shared),
    isOwn,
    expiresAtMs: Date.parse(created_at) + payload.ttl_ms + gainedMs,
  }
}
