/**
 * Who holds what: the announced leases that live, as this connection's board has them.
 *
 * @see AC-061…AC-068; PD-07
 */
import { BOARD_KINDS, type BoardEntry } from '../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../protocol/board/board.ts'
import { leaseKey } from '../../protocol/board/lease-key.ts'
import { MAX_LEASE_FRAMES } from '../session/bounds.ts'
import type { ToolCall } from '../session/tool.ts'

/** A lease that lives. */
export interface LiveLease extends Pick<BoardEntry, 'resource' | 'about' | 'untilMs'> {
  /** As `leaseKey` makes it of the request: it stays the same under whatever address its session carries on. */
  readonly key: string
  readonly leaseId: string
  /** The address of the session that took it; of one that none took, the handle. */
  readonly holder: string
  /** Whether this session holds it. */
  readonly isOwn: boolean
}

/** Frames that begin, extend and end a lease. */
const LEASE_KINDS = BOARD_KINDS.filter((kind) => kind !== 'agent_advisory')

/** Every lease that lives, the one that ends first in front. */
export async function readLiveLeases({
  session,
  hiddenFrom,
  ownLeases,
  carriesOn,
  clock,
}: ToolCall): Promise<readonly LiveLease[]> {
  const pages = await Promise.all(
    LEASE_KINDS.map((kind) => session.history({ filter: `kind:${kind}`, limit: MAX_LEASE_FRAMES })),
  )
  const board = new Board({ clock, carriesOn })
  observePast(
    board,
    pages.flatMap(({ items }) => items).filter(({ eventId }) => hiddenFrom(eventId) === undefined),
  )
  const leases = board.leases().map(({ leaseId = '', from, resource, about, untilMs }) => {
    // What a session has taken stays its own under the address it carries on with.
    const key = leaseKey(leaseId, from)
    const isOwn = from === session.address || ownLeases.has(key)
    return { key, leaseId, resource, about, untilMs, holder: isOwn ? session.address : from, isOwn }
  })
  return leases.toSorted((a, b) => a.untilMs - b.untilMs)
}
