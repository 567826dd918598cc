/**
 * The board of a session between its hooks: looked back at once, and then read on from where one was.
 *
 * @see docs/http.md §5
 */
import { Board, bySequence, type HistoryFrame } from '../../protocol/board/board.ts'
import { BOARD_KINDS, type BoardEntry } from '../../protocol/board/board-frame.ts'
import { leaseKey } from '../../protocol/board/lease-key.ts'
import type { HookState } from '../memory/hook-state.ts'
import { LOOK_BACK_ITEMS, READ_ON_ITEMS } from '../events/budget.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { listMember, memberOf, objectOf, textMember } from '../events/members.ts'

/** The board, and where to read on. */
export interface BoardReading extends Pick<HookState, 'boardAt' | 'hasBoard'> {
  readonly board: Board
}

/** The session with its board brought up to date; its own leases on it are remembered under whatever address comes. */
export function withBoard(state: HookState, { board, boardAt, hasBoard }: BoardReading): HookState {
  const own = board.leases().filter((entry) => isOwn(entry, state))
  const held = own.map(({ leaseId = '', resource, from }) => [leaseKey(leaseId, from), resource] as const)
  return { ...state, board: board.entries(), boardAt, hasBoard, leases: new Map(held) }
}

/** Whether this session is who announced it, or a session that it carries on. */
export function isOwn({ frameId, leaseId, from }: BoardEntry, state: HookState): boolean {
  if (from === state.address || state.ownFrames.includes(frameId)) return true
  return leaseId !== undefined && state.leases.has(leaseKey(leaseId, from))
}

/**
 * Brings the board up to date: one request as a rule.
 *
 * @throws Unreached
 */
export async function readBoard(context: HookContext, { token, state }: OwnSession): Promise<BoardReading> {
  const { board: entries, boardAt, hasBoard } = state
  if (hasBoard && boardAt !== undefined) {
    const after = encodeURIComponent(boardAt)
    const page = await readPage(context, `after=${after}&limit=${READ_ON_ITEMS}`, token)
    if (page.isLast) {
      const board = boardWith(context, page.items, entries)
      return { board, boardAt: page.items.at(-1)?.eventId || boardAt, hasBoard: true }
    }
  }
  const pages = await Promise.all(
    BOARD_KINDS.map((kind) => readPage(context, `filter=kind:${kind}&limit=${LOOK_BACK_ITEMS}`, token)),
  )
  const items = bySequence(pages.flatMap((page) => page.items))
  const newest = items.at(-1)?.eventId || undefined
  // What came between the registration and now is read twice, which changes nothing.
  const at = hasBoard ? newest : (boardAt ?? newest)
  return { board: boardWith(context, items), boardAt: at, hasBoard: at !== undefined }
}

interface Page {
  readonly items: readonly HistoryFrame[]
  /** Whether it came, and none follows. */
  readonly isLast: boolean
}

async function readPage({ link }: HookContext, query: string, token: string): Promise<Page> {
  const { status, body } = await link.send({ method: 'GET', path: `/v1/frames?${query}`, token })
  const items = listMember(body, 'items')
    .map(objectOf)
    .map((item) => ({
      eventId: textMember(item, 'event_id') ?? '',
      sender: textMember(item, 'sender'),
      acceptedAt: textMember(item, 'accepted_at') ?? '',
      frame: memberOf(item, 'frame'),
    }))
  return { items, isLast: status === 200 && memberOf(body, 'next') === null }
}

function boardWith(
  { store, nowMs }: HookContext,
  frames: readonly HistoryFrame[],
  entries: readonly BoardEntry[] = [],
): Board {
  const board = new Board({
    clock: { nowMs: () => nowMs },
    carriesOn: (address, predecessor) => store.carriesOn(address, predecessor),
    entries,
  })
  board.lookBack(frames)
  return board
}
