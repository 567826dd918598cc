/**
 * Who else is there: those near a session, and single ones by their address. Never everybody (HD-06).
 *
 * @see docs/http.md §4
 */
import type { WorkingPlace } from '../../protocol/board/placed.ts'
import type { HookContext, OwnSession } from './context.ts'
import { MAX_ADDRESSES, MAX_SIBLINGS } from '../events/budget.ts'
import { listMember, memberOf, numberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'

/** Another live session of this principal, as far as a line of the roster tells. */
export interface Sibling {
  readonly address: string
  readonly title: string | undefined
  /** To be shown; it may be the beginning of a longer one. */
  readonly worktree: string | undefined
  readonly branch: string | undefined
  /** Whether it is in the same worktree, and not only in the same repository. */
  readonly isHere: boolean
  readonly startedMs: number
  readonly isReachable: boolean
}

/** Those in the same worktree or repository, and how many there are besides. */
export interface Neighbourhood {
  readonly siblings: readonly Sibling[]
  /** Near ones that were not read. */
  readonly unread: number
  /** Sessions in other places. */
  readonly elsewhere: number
}

/** @throws Unreached */
export async function readNeighbourhood(
  { link }: HookContext,
  { token, state }: OwnSession,
): Promise<Neighbourhood> {
  if (state.handle === undefined) return { siblings: [], unread: 0, elsewhere: 0 }
  const path = `/v1/handles/${encodeURIComponent(state.handle)}/roster?near=self&limit=${MAX_SIBLINGS}`
  const { body } = await link.send({ method: 'GET', path, token })
  const lines = listMember(body, 'sessions')
  const near = numberOf(body, 'matching') ?? lines.length
  const total = numberOf(body, 'total') ?? near
  return {
    siblings: lines.map((line) => readSibling(objectOf(line))).filter((one) => one !== undefined),
    unread: Math.max(0, near - lines.length),
    elsewhere: Math.max(0, total - near - 1),
  }
}

/**
 * Where the sessions of these addresses are; one that is not there any more is not in it.
 *
 * @param addresses - those beyond {@link MAX_ADDRESSES} are not asked for
 * @throws Unreached
 */
export async function readPlaces(
  { link }: HookContext,
  { token }: OwnSession,
  addresses: Iterable<string>,
): Promise<ReadonlyMap<string, WorkingPlace>> {
  const asked = [...new Set(addresses)].filter(isAddress).slice(0, MAX_ADDRESSES)
  const replies = await Promise.all(
    asked.map((address) => link.send({ method: 'GET', path: pathOf(address), token })),
  )
  const found = replies.map(({ status, body }, i) =>
    status === 200 ? ([asked[i] ?? '', placeOf(body)] as const) : undefined,
  )
  return new Map(found.filter((one) => one !== undefined))
}

/** A session's address, and not the name of an instrument. */
export function isAddress(from: string): boolean {
  return from.includes('/')
}

function pathOf(address: string): string {
  const slash = address.indexOf('/')
  const [handle, session] = [address.slice(0, slash), address.slice(slash + 1)]
  return `/v1/handles/${encodeURIComponent(handle)}/sessions/${encodeURIComponent(session)}`
}

function placeOf(body: EventMembers): WorkingPlace {
  return { repository: textMember(body, 'repository'), worktree: textMember(body, 'worktree') }
}

function readSibling(value: EventMembers): Sibling | undefined {
  const address = textMember(value, 'address')
  if (address === undefined) return undefined
  const hasMailbox = memberOf(value, 'mailbox') !== null
  return {
    address,
    title: textMember(value, 'title'),
    worktree: textMember(value, 'worktree'),
    branch: textMember(value, 'branch'),
    isHere: textMember(value, 'near') === 'worktree',
    startedMs: Date.parse(textMember(value, 'started_at') ?? '') || 0,
    isReachable: hasMailbox || (numberOf(value, 'subscriptions') ?? 0) > 0,
  }
}
