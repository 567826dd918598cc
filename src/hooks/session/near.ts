/**
 * Who else is there: those near a session, and single ones by their address. Never everybody (HD-06).
 *
 * @see docs/http.md §4
 */
import type { Broker } from '../../broker/broker.ts'
import { nearnessOf } from '../../broker/session/roster.ts'
import type { Session } from '../../broker/session/session.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import type { WorkingPlace } from '../../protocol/board/placed.ts'
import { MAX_SIBLINGS } from '../../runtimes/events/budget.ts'
import type { HookContext } from './context.ts'

/** Those in the same worktree or repository, and how many there are besides. */
export interface Neighbourhood {
  readonly siblings: readonly Session[]
  /** Near ones that were not read. */
  readonly unread: number
  /** Sessions in other places. */
  readonly elsewhere: number
}

export function readNeighbourhood(broker: Broker, session: Session): Neighbourhood {
  const wish = { limit: MAX_SIBLINGS, nearTo: session }
  const { sessions, matching, total } = broker.sessions.roster(session.handle, wish)
  return {
    siblings: sessions,
    unread: Math.max(0, matching - sessions.length),
    elsewhere: Math.max(0, total - matching - 1),
  }
}

/** Whether two sessions work in one worktree, and not only in one repository. */
export function isHere(session: Session, own: Session): boolean {
  return nearnessOf(session, own) === 'worktree'
}

/** Whether anything that is sent to it is read. */
export function isReachable({ mailbox, subscriptions }: Session): boolean {
  return mailbox !== undefined || subscriptions.size > 0
}

/** A session's address, and not the name of an instrument. */
export function isAddress(from: string): boolean {
  return from.includes('/')
}

/** Where a sender is, or was when it was last heard of by a hook. */
export function placeOf({ hooks }: HookContext, from: string): WorkingPlace | undefined {
  const facts = hooks.broker.sessions.find(from)?.facts
  const found = facts ?? hooks.memory.byAddress(from)
  return found && { repository: found.repository, worktree: found.worktree }
}

/**
 * Whether a session of another node works in the repository that one here works in: both say where it comes from, and
 * equal paths say nothing (FED-67, FED-68).
 */
export function isOfSameRepository(
  { hooks }: HookContext,
  repositoryId: string | undefined,
  { from, node }: { readonly from: string; readonly node: string },
): boolean {
  if (repositoryId === undefined) return false
  return hooks.broker.others.find(node, from)?.repositoryId === repositoryId
}

/** Whether a session of another node has gone, as far as that node tells; one that is away says nothing. */
export function isGoneElsewhere({ others }: Broker, { from, node }: BoardEntry): boolean {
  if (node === undefined || !isAddress(from)) return false
  const told = others.nodes().filter((one) => one.node === node)
  const isThere = others.find(node, from) !== undefined
  return told.length > 0 && told.every(({ state }) => state === 'left' || (state === 'here' && !isThere))
}

/** Whether a session of this address, or one that carries it on, is there. */
export function isPresent({ hooks }: HookContext, from: string): boolean {
  const { broker, memory } = hooks
  if (broker.sessions.findLiving(from) !== undefined) return true
  const before = memory.byAddress(from)
  const heir = before?.heir === undefined ? undefined : memory.find(before.runtime, before.sessionId)
  return heir?.address !== undefined && broker.sessions.findLiving(heir.address) !== undefined
}
