/** Who is there: the roster, page by page, and one session of it (docs/http.md §4, HD-06). */
import { rosterEntry, rosterLine } from '../../broker/roster-entry.ts'
import { nodeEntries } from '../../broker/node-entry.ts'
import { authoriseHandle } from '../../broker/session/caller.ts'
import { AgentdError } from '../../core/errors.ts'
import { isHandle } from '../../protocol/address/handle.ts'
import { RosterQuery } from '../../protocol/http/requests.ts'
import type { RosterReply } from '../../protocol/http/session-replies.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { paramOf, queryOf, requireSession, type RequestContext } from '../request/context.ts'

export function getRoster(context: RequestContext): RouteAnswer {
  const handle = requireOwnHandle(context)
  return json(rosterOf(context, handle, queryOf(context, RosterQuery)))
}

/** One session with all that it has told of itself. */
export function getSession(context: RequestContext): RouteAnswer {
  const handle = requireOwnHandle(context)
  const session = context.broker.sessions.findLiving(`${handle}/${paramOf(context, 'session')}`)
  if (session !== undefined) return json({ ...rosterEntry(session), ...alsoOn(session, context) })
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
  const { after, limit, near, nodes } = query
  const { others, sessions: here } = context.broker
  const nearTo = near === undefined ? undefined : requireSession(context)
  const { sessions, ...page } = here.roster(handle, { after, limit, nearTo })
  return {
    handle,
    sessions: sessions.map((session) => ({ ...rosterLine(session, nearTo), ...alsoOn(session, context) })),
    ...page,
    ...(nodes === 'all' && others.isLinked && { nodes: nodeEntries(others.nodes(), handle, limit) }),
  }
}

/** The other nodes that have a session of the same address, where any has (FED-54). */
export function alsoOn(
  { address }: { readonly address: string },
  { broker }: Pick<RequestContext, 'broker'>,
): { also_on?: string[] } {
  const nodes = broker.others.alsoOn(address)
  return nodes.length === 0 ? {} : { also_on: [...nodes] }
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
  authoriseHandle(handle, context.caller, context.broker)
  return handle
}
