/** Sessions and the roster (docs/http.md §4). */
import { authoriseHandle } from '../../broker/session/caller.ts'
import type { Session } from '../../broker/session/session.ts'
import { AgentdError } from '../../core/errors.ts'
import { isHandle } from '../../protocol/address/handle.ts'
import type {
  RosterEntry,
  RosterReply,
  SelfReply,
  SessionReply,
} from '../../protocol/http/session-replies.ts'
import { SessionRequest } from '../../protocol/http/requests.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { bodyOf, paramOf, requireSession, type RequestContext } from '../request/context.ts'

export async function openSession(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller, token } = context
  const request = await bodyOf(context, SessionRequest)
  const { kind, session, token: sessionToken } = broker.sessions.open(request, caller.session, token)
  const reply: SessionReply = {
    address: session.address,
    handle: session.handle,
    instrument: session.instrument,
    session_id: session.sessionId,
    tool: session.tool,
    token: sessionToken,
    event_id: broker.ring.eventId(broker.ring.lastSeq),
    expires_at: isoTime(broker.sessions.expiresAtMs(session)),
  }
  return json(reply, kind === 'updated' ? 200 : 201)
}

export function getSelf(context: RequestContext): RouteAnswer {
  const session = requireSession(context)
  const reply: SelfReply = {
    ...rosterEntry(session),
    handle: session.handle,
    drafted_with: session.facts.draftedWith,
    expires_at: isoTime(context.broker.sessions.expiresAtMs(session)),
  }
  return json(reply)
}

export function closeSession(context: RequestContext): RouteAnswer {
  context.broker.sessions.close(requireSession(context))
  return { kind: 'empty', status: 204 }
}

export function getRoster(context: RequestContext): RouteAnswer {
  return json(rosterOf(context, requireOwnHandle(context)))
}

/** The sessions of a handle, in the order they came. */
export function rosterOf({ broker }: RequestContext, handle: string): RosterReply {
  return { handle, sessions: broker.sessions.roster(handle).map(rosterEntry) }
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

function rosterEntry(session: Session): RosterEntry {
  const { facts, mailbox } = session
  return {
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
    started_at: isoTime(session.startedAtMs),
    last_seen_at: isoTime(session.lastSeenAtMs),
    subscriptions: session.subscriptions.size,
    mailbox: mailbox === undefined ? null : { unread: mailbox.unread },
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
