/**
 * The roster: a page of who is there, so that no answer grows with the number of sessions (HD-06).
 *
 * @see docs/http.md §4
 */
import { AgentdError } from '../../core/errors.ts'
import type { Session } from './session.ts'

/** What two sessions share. Who is in one worktree is in one repository. */
export type Nearness = 'worktree' | 'repository'

/** Which page is asked for. */
export interface RosterWish {
  /** The `next` of the page before. */
  readonly after?: string | undefined
  readonly limit: number
  /** Only those near this session, itself left out. */
  readonly nearTo?: Session | undefined
}

/** One page. */
export interface RosterPage {
  readonly sessions: readonly Session[]
  /** Where the next page begins; null behind the last one. */
  readonly next: string | null
  /** How many the wish fits, on all pages together. */
  readonly matching: number
  /** How many there are, whatever the wish. */
  readonly total: number
}

/** A place on the roster, as `next` says it. */
const PLACE = /^\d{1,15}$/

/**
 * Reads a page.
 *
 * @param all - in the order they came
 * @throws AgentdError `field-invalid`, field `after`
 */
export function readRoster(all: ReadonlySet<Session>, { after, limit, nearTo }: RosterWish): RosterPage {
  const afterArrival = placeOf(after)
  const sessions: Session[] = []
  let matching = 0
  let isMore = false
  for (const session of all) {
    if (nearTo !== undefined && (session === nearTo || nearnessOf(session, nearTo) === undefined)) continue
    matching += 1
    if (session.arrival <= afterArrival) continue
    if (sessions.length < limit) sessions.push(session)
    else isMore = true
  }
  const last = sessions.at(-1)
  const next = isMore && last !== undefined ? String(last.arrival) : null
  return { sessions, next, matching, total: all.size }
}

/** What a session shares with another one; undefined for two that said nothing of where they are. */
export function nearnessOf({ facts }: Session, { facts: own }: Session): Nearness | undefined {
  if (own.worktree !== undefined && facts.worktree === own.worktree) return 'worktree'
  return own.repository !== undefined && facts.repository === own.repository ? 'repository' : undefined
}

function placeOf(after: string | undefined): number {
  if (after === undefined) return 0
  if (PLACE.test(after)) return Number(after)
  throw new AgentdError('field-invalid', '"after" is the "next" of the page before.', { field: 'after' })
}
