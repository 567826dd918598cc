/** Who is there: the roster, page by page, and one session of it (docs/http.md §4, HD-06). */
import { nearnessOf } from '../../broker/session/roster.ts'
import { authoriseHandle } from '../../broker/session/caller.ts'
import type { Session } from '../../broker/session/session.ts'
import { AgentdError } from '../../core/errors.ts'
import { MAX_ROSTER_ENTITIES_OCTETS, MAX_ROSTER_FACT_OCTETS } from '../../core/limits.ts'
import { firstOctets, octetLength } from '../../core/text/octets.ts'
import { isHandle } from '../../protocol/address/handle.ts'
import { RosterQuery } from '../../protocol/http/requests.ts'
import type { RosterEntry, RosterReply } from '../../protocol/http/session-replies.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { paramOf, queryOf, requireSession, type RequestContext } from '../request/context.ts'

/** Facts of any length that a line of the roster tells the beginning of. */
const CLIPPED = ['title', 'cwd', 'repository', 'worktree', 'branch'] as const

export function getRoster(context: RequestContext): RouteAnswer {
  const handle = requireOwnHandle(context)
  return json(rosterOf(context, handle, queryOf(context, RosterQuery)))
}

/** One session with all that it has told of itself. */
export function getSession(context: RequestContext): RouteAnswer {
  const handle = requireOwnHandle(context)
  const session = context.broker.sessions.findLiving(`${handle}/${paramOf(context, 'session')}`)
  if (session !== undefined) return json(sessionEntry(session))
  throw new AgentdError('not-found', 'No session of that name is there; the roster names those that are.', {
    field: 'session',
  })
}

/**
 * A page of the sessions of a handle, in the order they came.
 *
 * @throws AgentdError `unauthenticated` for `near` without a session, `field-invalid` for `after`
 */
export function rosterOf(context: RequestContext, handle: string, query: RosterQuery): RosterReply {
  const { after, limit, near } = query
  const nearTo = near === undefined ? undefined : requireSession(context)
  const { sessions, ...page } = context.broker.sessions.roster(handle, { after, limit, nearTo })
  return { handle, sessions: sessions.map((session) => lineOf(session, nearTo)), ...page }
}

/**
 * The handle in the path, when it is the principal's own (AC-188).
 *
 * @throws AgentdError `field-invalid` or `scope-unauthorised`, field `handle`
 */
export function requireOwnHandle(context: RequestContext): string {
  const handle = paramOf(context, 'handle')
  if (!isHandle(handle)) {
    throw new AgentdError('field-invalid', '"handle" in the path is not a canonical handle such as ~alice.', {
      field: 'handle',
    })
  }
  authoriseHandle(handle, context.broker)
  return handle
}

/** All that a session has told of itself. */
export function sessionEntry(session: Session): RosterEntry {
  const { facts, mailbox } = session
  return {
    name: session.name,
    address: session.address,
    instrument: session.instrument,
    session_id: session.sessionId,
    tool: session.tool,
    title: facts.title ?? null,
    cwd: facts.cwd ?? null,
    repository: facts.repository ?? null,
    worktree: facts.worktree ?? null,
    branch: facts.branch ?? null,
    entities: [...session.entities],
    delivery: facts.delivery ?? null,
    activity: activityEntry(session),
    started_at: isoTime(session.startedAtMs),
    last_seen_at: isoTime(session.lastSeenAtMs),
    last_sent_at: session.lastSentAtMs === undefined ? null : isoTime(session.lastSentAtMs),
    subscriptions: session.subscriptions.size,
    mailbox: mailbox === undefined ? null : { unread: mailbox.unread },
  }
}

function activityEntry({ activity }: Session): RosterEntry['activity'] {
  if (activity === undefined) return null
  const { state, reason, text, sinceMs } = activity
  return { state, reason, text, since: isoTime(sinceMs) }
}

/** As it stands in a listing of many: as far as it fits, with what was cut. */
function lineOf(session: Session, nearTo: Session | undefined): RosterEntry {
  const line = sessionEntry(session)
  const cut: string[] = []
  for (const name of CLIPPED) {
    const whole = line[name]
    if (whole === null) continue
    line[name] = firstOctets(whole, MAX_ROSTER_FACT_OCTETS)
    if (line[name] !== whole) cut.push(name)
  }
  const entities = firstEntities(session.entities)
  if (entities.length < session.entities.length) cut.push('entities')
  return {
    ...line,
    entities,
    ...(cut.length > 0 && { cut }),
    ...(nearTo !== undefined && { near: nearnessOf(session, nearTo) }),
  }
}

/** Whole names: the beginning of one would be another. */
function firstEntities(entities: readonly string[]): string[] {
  let left = MAX_ROSTER_ENTITIES_OCTETS
  const more = entities.findIndex((entity) => (left -= octetLength(entity)) < 0)
  return entities.slice(0, more === -1 ? entities.length : more)
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
