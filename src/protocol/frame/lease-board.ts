/**
 * Advisory leases that live, worked out from the frames that announce, extend and release them (memo §4.4).
 *
 * The daemon keeps no table of leases and refuses no frame about one, so whoever reads the frames has to judge them:
 * hooks, the MCP server and everybody else by this one fold.
 */

/**
 * How long a lease lives at the most, in milliseconds: the longest request (AC-063), and three hours of extensions in
 * sum. Who needs it for longer asks for it again, and others see that (HD-08).
 */
export const MAX_LEASE_LIFE_MS = 4 * 3_600_000

/** A frame about a lease, as far as the fold reads it; `T` is what its reader keeps of a request. */
export type LeaseFrame<T> =
  | {
      readonly kind: 'agent_lock_request'
      readonly leaseId: string
      readonly sender: string
      readonly resource: string
      /** Wall time in milliseconds, as the frame states it. */
      readonly atMs: number
      readonly ttlMs: number
      readonly request: T
    }
  | {
      readonly kind: 'agent_lease_extend'
      readonly leaseId: string
      readonly sender: string
      readonly atMs: number
      readonly additionalMs: number
    }
  | { readonly kind: 'agent_lock_release'; readonly leaseId: string; readonly sender: string }

/** A lease and the request that began it. */
export interface BoardLease<T> {
  /** A version-4 UUID in the spelling of the request; two spellings that differ in case are one id (RFC 9562 §4). */
  readonly leaseId: string
  readonly resource: string
  /** Who asked for it: compared with the senders of later frames, and never looked into. */
  readonly holder: string
  /** When it was asked for, as its request states it; wall time in milliseconds. */
  readonly beganAtMs: number
  /** Wall time in milliseconds; {@link MAX_LEASE_LIFE_MS} after its beginning at the latest. */
  readonly expiresAtMs: number
  readonly request: T
}

/** Whether the session of one address carries on that of another, as after `/clear`. */
export type CarriesOn = (address: string, predecessor: string) => boolean

/** What is known besides the frames. */
export interface LeaseFacts {
  /** Wall time in milliseconds. */
  readonly nowMs: number
  /** Asked only about the sender of a frame that names a lease of somebody else. */
  readonly carriesOn: CarriesOn
}

/**
 * The leases that live after some more frames, in the order in which they were asked for.
 *
 * Only its holder extends or releases a lease, or whoever carries its session on: anybody may write a frame that names
 * it. An id that two have asked for is two leases. An extension of what was over by then changes nothing, so that it
 * does not matter how many frames are read at a time.
 *
 * @param board - what lived before them
 * @param frames - oldest first
 */
export function foldLeases<T>(
  board: readonly BoardLease<T>[],
  frames: readonly LeaseFrame<T>[],
  { nowMs, carriesOn }: LeaseFacts,
): readonly BoardLease<T>[] {
  const leases = new Map(board.map((lease) => [leaseKey(lease.leaseId, lease.holder), lease]))
  for (const frame of frames) apply(leases, frame, carriesOn)
  return [...leases.values()].filter(({ expiresAtMs }) => expiresAtMs > nowMs)
}

function apply<T>(leases: Map<string, BoardLease<T>>, frame: LeaseFrame<T>, carriesOn: CarriesOn): void {
  const { leaseId, sender } = frame
  if (frame.kind === 'agent_lock_request') {
    const { resource, atMs, ttlMs, request } = frame
    const expiresAtMs = atMs + Math.round(ttlMs)
    // Behind those asked for before, though it replaces one of them.
    leases.delete(leaseKey(leaseId, sender))
    const begun = { leaseId, resource, holder: sender, beganAtMs: atMs, expiresAtMs, request }
    leases.set(leaseKey(leaseId, sender), begun)
    return
  }
  const key = findKey(leases, frame, carriesOn)
  const held = key === undefined ? undefined : leases.get(key)
  if (key === undefined || held === undefined) return
  if (frame.kind === 'agent_lock_release') leases.delete(key)
  else if (held.expiresAtMs > frame.atMs) {
    const wishedMs = held.expiresAtMs + Math.round(frame.additionalMs)
    leases.set(key, { ...held, expiresAtMs: Math.min(wishedMs, held.beganAtMs + MAX_LEASE_LIFE_MS) })
  }
}

/** Its sender's own lease of that id, or one of a session that the sender carries on. */
function findKey<T>(
  leases: ReadonlyMap<string, BoardLease<T>>,
  { leaseId, sender }: Pick<LeaseFrame<T>, 'leaseId' | 'sender'>,
  carriesOn: CarriesOn,
): string | undefined {
  const own = leaseKey(leaseId, sender)
  if (leases.has(own)) return own
  const ofThatId = leaseKey(leaseId, '')
  for (const [key, { holder }] of leases) {
    if (key.startsWith(ofThatId) && carriesOn(sender, holder)) return key
  }
  return undefined
}

/** What tells one lease from another: an id alone does not, since anybody may ask for a lease by any id (HD-08). */
export function leaseKey(leaseId: string, holder: string): string {
  return `${leaseId.toLowerCase()} ${holder}`
}

/** The id in a {@link leaseKey}. */
export function leaseIdOf(key: string): string {
  return key.slice(0, key.indexOf(' '))
}
