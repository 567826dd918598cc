/**
 * What others have announced: looked back at once, and then read on from where one was.
 *
 * @see docs/http.md §5
 */
import type { BoardEntry, HookState } from '../memory/hook-state.ts'
import { foldLeases, leaseKey, type BoardLease, type LeaseFrame } from '../../protocol/frame/lease-board.ts'
import { READ_ON_ITEMS } from '../events/budget.ts'
import { LOOK_BACK_ITEMS, LOOK_BACK_KINDS } from '../events/look-back.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { listMember, memberOf, numberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'

/** How long an advisory holds that does not say (kinds.ts). */
const DEFAULT_TTL_MS = 3_600_000

/** The board, and where to read on. */
export type Board = Pick<HookState, 'board' | 'boardAt' | 'hasBoard'>

/** The session with its board brought up to date; its own leases on it are remembered under whatever address comes. */
export function withBoard(state: HookState, board: Board): HookState {
  const own = board.board.filter((entry) => isOwn(entry, state))
  const held = own.flatMap(({ leaseId, paths, from }) =>
    leaseId === undefined ? [] : [[leaseKey(leaseId, from), paths[0] ?? ''] as const],
  )
  return { ...state, ...board, leases: new Map(held) }
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
export async function readBoard(context: HookContext, { token, state }: OwnSession): Promise<Board> {
  if (state.hasBoard && state.boardAt !== undefined) {
    const after = encodeURIComponent(state.boardAt)
    const { status, body } = await get(context, `after=${after}&limit=${READ_ON_ITEMS}`, token)
    if (status === 200 && memberOf(body, 'next') === null) {
      const items = listMember(body, 'items').map(objectOf)
      return {
        board: applied(context, state.board, items),
        boardAt: lastEventId(items) ?? state.boardAt,
        hasBoard: true,
      }
    }
  }
  return lookBack(context, { token, state })
}

async function lookBack(context: HookContext, { token, state }: OwnSession): Promise<Board> {
  const pages = await Promise.all(
    LOOK_BACK_KINDS.map((kind) => get(context, `filter=kind:${kind}&limit=${LOOK_BACK_ITEMS}`, token)),
  )
  const items = pages
    .flatMap(({ body }) => listMember(body, 'items').map(objectOf))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
  // What came between the registration and now is read twice, which changes nothing.
  const boardAt = state.hasBoard ? lastEventId(items) : (state.boardAt ?? lastEventId(items))
  return { board: applied(context, [], items), boardAt, hasBoard: boardAt !== undefined }
}

function get({ link }: HookContext, query: string, token: string): ReturnType<HookContext['link']['send']> {
  return link.send({ method: 'GET', path: `/v1/frames?${query}`, token })
}

/** The board after these items, without what is over. */
function applied(
  { store, nowMs }: HookContext,
  board: readonly BoardEntry[],
  items: readonly EventMembers[],
): readonly BoardEntry[] {
  const advised = board.filter(({ leaseId }) => leaseId === undefined)
  const advisories = new Map(
    [...advised, ...items.flatMap(readAdvisory)].map((entry) => [entry.frameId, entry]),
  )
  const leases = foldLeases(board.flatMap(leaseOf), items.flatMap(readLeaseFrame), {
    nowMs,
    carriesOn: (address, predecessor) => store.carriesOn(address, predecessor),
  })
  const leased = leases.map(({ request, expiresAtMs }) => ({ ...request, untilMs: expiresAtMs }))
  return [...advisories.values(), ...leased]
    .filter(({ untilMs }) => untilMs > nowMs)
    .toSorted((a, b) => a.sinceMs - b.sinceMs)
}

function leaseOf(entry: BoardEntry): readonly BoardLease<BoardEntry>[] {
  const { leaseId, paths, from, sinceMs, untilMs } = entry
  if (leaseId === undefined) return []
  const times = { beganAtMs: sinceMs, expiresAtMs: untilMs }
  return [{ leaseId, resource: paths[0] ?? '', holder: from, ...times, request: entry }]
}

/** What every frame of the board says. */
interface BoardFrame {
  readonly frameId: string
  readonly kind: string | undefined
  readonly from: string
  readonly atMs: number
  readonly frame: EventMembers
  readonly payload: EventMembers
}

/** @returns undefined for a frame that cannot be told from others, or placed in time */
function readFrame(item: EventMembers): BoardFrame | undefined {
  const frame = objectOf(memberOf(item, 'frame'))
  const frameId = textMember(frame, 'frame_id')
  const statedMs = Date.parse(textMember(frame, 'created_at') ?? '')
  if (frameId === undefined || Number.isNaN(statedMs)) return undefined
  // A sender may state a time to come, and would hold for as much longer.
  const acceptedMs = Date.parse(textMember(item, 'accepted_at') ?? '')
  const atMs = Number.isNaN(acceptedMs) ? statedMs : Math.min(statedMs, acceptedMs)
  // What the principal itself sent has no session.
  const from = textMember(item, 'sender') ?? textMember(frame, 'drafted_with') ?? '~'
  const payload = objectOf(memberOf(frame, 'payload'))
  return { frameId, kind: textMember(frame, 'kind'), from, atMs, frame, payload }
}

function readAdvisory(item: EventMembers): readonly BoardEntry[] {
  const read = readFrame(item)
  if (read?.kind !== 'agent_advisory') return []
  const files = listMember(read.payload, 'file_refs').filter((file) => typeof file === 'string')
  return files.length === 0 ? [] : [entryOf(read, files, numberOf(read.frame, 'ttl_ms'))]
}

function readLeaseFrame(item: EventMembers): readonly LeaseFrame<BoardEntry>[] {
  const read = readFrame(item)
  const leaseId = read && textMember(read.payload, 'lease_id')
  if (read === undefined || leaseId === undefined) return []
  const { kind, from: sender, atMs, payload } = read
  if (kind === 'agent_lock_release') return [{ kind, leaseId, sender }]
  if (kind === 'agent_lease_extend')
    return [{ kind, leaseId, sender, atMs, additionalMs: numberOf(payload, 'additional_ttl_ms') ?? 0 }]
  const resource = textMember(payload, 'resource')
  if (kind !== 'agent_lock_request' || resource === undefined) return []
  const ttlMs = numberOf(payload, 'ttl_ms') ?? DEFAULT_TTL_MS
  const request = { ...entryOf(read, [resource], ttlMs), leaseId }
  return [{ kind, leaseId, sender, resource, atMs, ttlMs, request }]
}

function entryOf(
  { frameId, from, atMs, payload }: BoardFrame,
  paths: readonly string[],
  ttlMs = DEFAULT_TTL_MS,
): BoardEntry {
  return {
    frameId,
    leaseId: undefined,
    paths,
    worktree: textMember(payload, 'worktree'),
    branch: textMember(payload, 'branch'),
    from,
    sinceMs: atMs,
    untilMs: atMs + Math.round(ttlMs),
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
