/**
 * What others have announced: looked back at once, and then read on from where one was.
 *
 * @see docs/http.md §5
 */
import type { BoardEntry, HookState } from '../memory/hook-state.ts'
import { LOOK_BACK_ITEMS, READ_ON_ITEMS } from '../events/budget.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { listMember, memberOf, numberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'

/** Kinds that say what is under way. */
const KINDS = ['agent_advisory', 'agent_lock_request', 'agent_lease_extend', 'agent_lock_release']

/** How long an advisory holds that does not say (kinds.ts). */
const DEFAULT_TTL_MS = 3_600_000

/** The board, and where to read on. */
export type Board = Pick<HookState, 'board' | 'boardAt' | 'hasBoard'>

/** The session with its board brought up to date; its own leases on it are remembered under whatever address comes. */
export function withBoard(state: HookState, board: Board): HookState {
  const own = board.board.filter((entry) => isOwn(entry, state))
  const held = own.flatMap(({ leaseId, paths }) =>
    leaseId === undefined ? [] : [[leaseId, paths[0] ?? ''] as const],
  )
  return { ...state, ...board, leases: new Map(held) }
}

/** Whether this session is who announced it, or a session that it carries on. */
export function isOwn({ frameId, leaseId, from }: BoardEntry, state: HookState): boolean {
  if (from === state.address || state.ownFrames.includes(frameId)) return true
  return leaseId !== undefined && state.leases.has(leaseId)
}

/**
 * Brings the board up to date: one request as a rule.
 *
 * @throws Unreached
 */
export async function readBoard(context: HookContext, { token, state }: OwnSession): Promise<Board> {
  if (state.hasBoard && state.boardAt !== undefined) {
    const after = encodeURIComponent(state.boardAt)
    const { status, body } = await get(context, `after=${after}&limit=${READ_ON_ITEMS}`, token)
    if (status === 200 && memberOf(body, 'next') === null) {
      const items = listMember(body, 'items').map(objectOf)
      return {
        board: applied(state.board, items, context.nowMs),
        boardAt: lastEventId(items) ?? state.boardAt,
        hasBoard: true,
      }
    }
  }
  return lookBack(context, { token, state })
}

async function lookBack(context: HookContext, { token, state }: OwnSession): Promise<Board> {
  const pages = await Promise.all(
    KINDS.map((kind) => get(context, `filter=kind:${kind}&limit=${LOOK_BACK_ITEMS}`, token)),
  )
  const items = pages
    .flatMap(({ body }) => listMember(body, 'items').map(objectOf))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
  // What came between the registration and now is read twice, which changes nothing.
  const boardAt = state.hasBoard ? lastEventId(items) : (state.boardAt ?? lastEventId(items))
  return { board: applied([], items, context.nowMs), boardAt, hasBoard: boardAt !== undefined }
}

function get({ link }: HookContext, query: string, token: string): ReturnType<HookContext['link']['send']> {
  return link.send({ method: 'GET', path: `/v1/frames?${query}`, token })
}

/** The board after these items, without what is over. */
function applied(
  board: readonly BoardEntry[],
  items: readonly EventMembers[],
  nowMs: number,
): readonly BoardEntry[] {
  const entries = new Map(board.map((entry) => [entry.frameId, entry]))
  for (const item of items) apply(entries, item)
  return [...entries.values()].filter(({ untilMs }) => untilMs > nowMs)
}

function apply(entries: Map<string, BoardEntry>, item: EventMembers): void {
  const frame = objectOf(memberOf(item, 'frame'))
  const payload = objectOf(memberOf(frame, 'payload'))
  const kind = textMember(frame, 'kind')
  const leaseId = textMember(payload, 'lease_id')
  if (kind === 'agent_advisory' || kind === 'agent_lock_request') {
    const entry = readEntry(item, frame, payload)
    if (entry !== undefined) entries.set(entry.frameId, entry)
    return
  }
  const held = [...entries.values()].find((entry) => leaseId !== undefined && entry.leaseId === leaseId)
  if (held === undefined) return
  if (kind === 'agent_lock_release') entries.delete(held.frameId)
  if (kind === 'agent_lease_extend') {
    const moreMs = numberOf(payload, 'additional_ttl_ms') ?? 0
    entries.set(held.frameId, { ...held, untilMs: held.untilMs + moreMs })
  }
}

function readEntry(item: EventMembers, frame: EventMembers, payload: EventMembers): BoardEntry | undefined {
  const frameId = textMember(frame, 'frame_id')
  const sinceMs = Date.parse(textMember(frame, 'created_at') ?? '')
  const resource = textMember(payload, 'resource')
  const files = listMember(payload, 'file_refs').filter((file) => typeof file === 'string')
  const paths = resource === undefined ? files : [resource]
  if (frameId === undefined || Number.isNaN(sinceMs) || paths.length === 0) return undefined
  const ttlMs = numberOf(resource === undefined ? frame : payload, 'ttl_ms') ?? DEFAULT_TTL_MS
  return {
    frameId,
    leaseId: resource === undefined ? undefined : textMember(payload, 'lease_id'),
    paths,
    worktree: textMember(payload, 'worktree'),
    branch: textMember(payload, 'branch'),
    // What the principal itself sent has no session.
    from: textMember(item, 'sender') ?? textMember(frame, 'drafted_with') ?? '~',
    sinceMs,
    untilMs: sinceMs + Math.round(ttlMs),
  }
}

function lastEventId(items: readonly EventMembers[]): string | undefined {
  const last = items.at(-1)
  return last && textMember(last, 'event_id')
}

/** The sequence number in an event id. */
function placeOf(item: EventMembers): number {
  const id = textMember(item, 'event_id') ?? ''
  return Number(id.slice(id.lastIndexOf('-') + 1)) || 0
}
