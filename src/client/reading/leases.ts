/**
 * Which leases live, as any recipient of their frames may work it out.
 *
 * @see memo §5, AC-061…AC-068; docs/http.md §5
 */
import { BOARD_KINDS } from '../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../protocol/board/board.ts'
import type { Connection } from '../http/connection.ts'
import type { CallOptions } from '../http/call-options.ts'
import { readHistory } from './past.ts'
import { readRoster } from './roster.ts'

/** A lease that lives. It tells, and compels nobody. */
export interface HeldLease {
  /** Its id, as whoever took it gave it. */
  readonly leaseId: string
  /** What it is on: a path, or any other name. */
  readonly resource: string
  /** The address of the session that took it; the handle, where no session did. */
  readonly holder: string
  /** What for, in the holder's words. */
  readonly intent: string | undefined
  /** When it ends; RFC 3339. */
  readonly until: string
  /** Whether it is one's own. */
  readonly isOwn: boolean
  /** Whether the session that took it is there still; one without a session always is. */
  readonly isPresent: boolean
}

/** Who asks. */
interface Asking extends CallOptions {
  /** Whose sessions are looked at for who has left. */
  readonly handle: string
  /** Of the session that asks; undefined for the principal itself. */
  readonly address: string | undefined
}

/** Frames that begin, extend and end a lease. */
const LEASE_KINDS = BOARD_KINDS.filter((kind) => kind !== 'agent_advisory')

/** Of each kind, the frames that are looked at: as many as a page may hold. */
const MAX_LEASE_FRAMES = 1_000

/** Every lease that lives, the one that ends first in front. */
export async function readLeases(
  connection: Connection,
  { handle, address, signal }: Asking,
): Promise<readonly HeldLease[]> {
  const pages = await Promise.all(
    LEASE_KINDS.map((kind) =>
      readHistory(connection, { filter: `kind:${kind}`, limit: MAX_LEASE_FRAMES, signal }),
    ),
  )
  const board = new Board({ clock: connection.parts.clock, carriesOn: () => false })
  observePast(
    board,
    pages.flatMap(({ items }) => items),
  )
  const entries = board.leases()
  // After the frames: whoever announces something has been there before.
  const roster = entries.length === 0 ? [] : await readRoster(connection, handle, { signal })
  const present = new Set(roster.map((session) => session.address))
  const leases = entries.map(({ leaseId = '', resource, from, about, untilMs }) => ({
    leaseId,
    resource,
    holder: from,
    intent: about,
    until: new Date(untilMs).toISOString(),
    isOwn: from === (address ?? handle),
    isPresent: !from.includes('@') || present.has(from),
  }))
  return leases.toSorted((a, b) => (a.until < b.until ? -1 : 1))
}
