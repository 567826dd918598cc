/**
 * Who holds what: the announced leases that live, as this connection's board has them.
 *
 * @see AC-061…AC-068; PD-07
 */
import type { AgentdSession } from '../../client/index.ts'
import { BOARD_KINDS, type BoardEntry } from '../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../protocol/board/board.ts'
import { isGone, type Rosters } from '../../protocol/board/presence.ts'
import { leaseKey } from '../../protocol/board/lease-key.ts'
import { MAX_LEASE_FRAMES, MAX_PAGE_SESSIONS } from '../session/bounds.ts'
import type { ToolCall } from '../session/tool.ts'

/** A lease that lives. */
export interface LiveLease extends Pick<BoardEntry, 'resource' | 'about' | 'untilMs' | 'node'> {
  /** As `leaseKey` makes it of the request: it stays the same under whatever address its session carries on. */
  readonly key: string
  readonly leaseId: string
  /** The address of the session that took it; of one that none took, the handle. */
  readonly holder: string
  /** Whether this session holds it. */
  readonly isOwn: boolean
  /** Whether the session that took it has gone. */
  readonly hasLeft: boolean
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
  const entries = board.leases()
  const rosters = await readRosters(session, entries)
  const leases = entries.map(({ leaseId = '', from, node, resource, about, untilMs }) => {
    // What a session has taken stays its own under the address it carries on with.
    const key = leaseKey(leaseId, from)
    const isOwn = node === undefined && (from === session.address || ownLeases.has(key))
    const holder = isOwn ? session.address : from
    const hasLeft = !isOwn && isGone({ from, node }, rosters)
    return { key, leaseId, resource, about, untilMs, node, holder, isOwn, hasLeft }
  })
  return leases.toSorted((a, b) => a.untilMs - b.untilMs)
}

/** After the frames: whoever announces something has been there before. Without a lease nobody is looked for. */
async function readRosters(session: AgentdSession, entries: readonly BoardEntry[]): Promise<Rosters> {
  if (entries.length === 0) return { here: new Set(), nodes: [] }
  const nodes = entries.some(({ node }) => node !== undefined)
    ? ((await session.rosterPage({ nodes: 'all', limit: MAX_PAGE_SESSIONS })).nodes ?? [])
    : []
  return { here: new Set((await session.roster()).map(({ address }) => address)), nodes }
}
