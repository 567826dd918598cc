/**
 * One session of a connection, and what is done with it from its first use to its end.
 */
import { AgentdError } from '../../core/errors.ts'
import { type AgentdSession } from '../../client/index.ts'
import { leaseIdOf } from '../../protocol/board/lease-key.ts'
import { FAREWELL_MS } from './bounds.ts'

/** A session of this connection. */
export interface PooledSession {
  readonly session: AgentdSession
  /** Registered here, so ended here; a session that hooks registered is theirs to end. */
  readonly isOwn: boolean
  /** Leases taken over this connection, by `leaseKey`. */
  readonly ownLeases: Set<string>
}

/** What a session without a mailbox answers when its mailbox is asked for. */
const NO_MAILBOX = 'not-found'

/** How many messages wait; none where there is no mailbox for them to wait in. */
export async function countUnread(session: AgentdSession): Promise<number> {
  try {
    return await session.inbox.wait(0)
  } catch (error) {
    if (error instanceof AgentdError && error.code === NO_MAILBOX) return 0
    throw error
  }
}

/** A lease goes with its session. Nothing else would say so: the daemon keeps no table of leases. */
export async function endPooled({ session, ownLeases }: PooledSession): Promise<void> {
  const releases = [...ownLeases].map((key) =>
    session.verb('agent_lock_release', { lease_id: leaseIdOf(key) }),
  )
  await Promise.allSettled(releases)
  await session.close()
}

/** Whether a session is known to the daemon no more. */
export function isOver(error: unknown): boolean {
  return error instanceof AgentdError && error.code === 'unauthenticated'
}

/** Whoever has gone is not waited for. */
export async function withinFarewell(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => void setTimeout(resolve, FAREWELL_MS).unref())])
}
