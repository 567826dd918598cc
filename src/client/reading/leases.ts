/**
 * Which leases live, as any recipient of their frames may work it out.
 *
 * @see memo §5, AC-061…AC-068; docs/http.md §5
 */
import { BOARD_KINDS } from '../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../protocol/board/board.ts'
import { isGone } from '../../protocol/board/presence.ts'
import type { Connection } from '../http/connection.ts'
import type { CallOptions } from '../http/call-options.ts'
import { readHistory } from './past.ts'
import { readNodes, readRoster } from './roster.ts'

/** A lease that lives. It tells, and compels nobody. */
export interface HeldLease {
  /** Its id, as whoever took it gave it. */
  readonly leaseId: string
  /** What it is on: a path, or any other name. */
  readonly resource: string
  /** The address of the session that took it; the handle, where no session did. */
  readonly holder: string
  /** The node that session is on; undefined for this one. */
  readonly node?: string | undefined
  /** What for, in the holder's words. */
  readonly intent: string | undefined
  /** When it ends; RFC 3339. */
  readonly until: string
  /** Whether it is one's own. */
  readonly isOwn: boolean
  /** Whether the session that took it is there still; one without a session always is, and one of a node that is away is believed to be. */
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
  const isLinked = entries.some(({ node }) => node !== undefined)
  const nodes = isLinked ? await readNodes(connection, handle, { signal }) : []
  const rosters = { here: new Set(roster.map((session) => session.address)), nodes }
  const leases = entries.map(({ leaseId = '', resource, from, node, about, untilMs }) => ({
    leaseId,
    resource,
    holder: from,
    ...(node !== undefined && { node }),
    intent: about,
    until: new Date(untilMs).toISOString(),
    isOwn: node === undefined && from === (address ?? handle),
    isPresent: !isGone({ from, node }, rosters),
  }))
  return leases.toSorted((a, b) => (a.until < b.until ? -1 : 1))
}
