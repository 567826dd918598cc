/**
 * Who could hear a question: a question to one session alone is urgent, one to nobody says whom to name (OP-28).
 *
 * @see docs/runtimes.md §6
 */
import type { AgentdSession, RosterSession } from '../../client/index.ts'
import { readScope, scopeNames } from '../../protocol/address/scope.ts'
import { MAX_ROSTER_ROWS, MAX_NAMED_LISTENERS } from '../session/bounds.ts'

/** Those that a scope names, as far as they are few enough to count; without one, everybody's. */
export interface Listeners {
  /** The address of the only one there is; undefined for none, and for several. */
  readonly only: string | undefined
  /** What those are called that could be asked instead, within a bound. */
  readonly others: readonly string[]
}

/** Looks at the roster. @param scope - as it is sent; undefined for all */
export async function findListeners(session: AgentdSession, scope: string | undefined): Promise<Listeners> {
  const { sessions, next } = await session.rosterPage({ limit: MAX_ROSTER_ROWS })
  const there = sessions.filter((one) => one.address !== session.address && canHear(one))
  const asked = there.filter((one) => isNamed(one, scope, session.facts.handle))
  return {
    only: next === null && asked.length === 1 ? asked[0]?.address : undefined,
    others: there.slice(0, MAX_NAMED_LISTENERS).map(({ name, address }) => name ?? address),
  }
}

function canHear({ mailbox, subscriptions }: RosterSession): boolean {
  return subscriptions > 0 || mailbox !== null
}

function isNamed(
  { instrument, sessionId }: RosterSession,
  text: string | undefined,
  handle: string,
): boolean {
  const scope = text === undefined ? undefined : readScope(text)
  if (text === undefined) return true
  return scope !== undefined && scopeNames(scope, { handle, instrument, sessionId })
}
