/** Sessions: registering, asking after oneself, ending (docs/http.md §4). */
import { isoTime, rosterEntry } from '../../broker/roster-entry.ts'
import { readRegistration } from '../../broker/session/facts.ts'
import { AgentdError } from '../../core/errors.ts'
import type { SelfReply, SessionReply } from '../../protocol/http/session-replies.ts'
import { PID_START_HEADER, PREDECESSOR_HEADER } from '../../protocol/http/headers.ts'
import { ActivityRequest, SessionRequest } from '../../protocol/http/requests.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { keyRequired, showsPersonKey } from '../request/caller.ts'
import { bodyOf, paramOf, requirePrincipal, requireSession, type RequestContext } from '../request/context.ts'
import { alsoOn } from './roster.ts'
import { textHeader } from '../request/http-message.ts'

export async function openSession(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller, token } = context
  const body = await bodyOf(context, SessionRequest)
  const request = { ...body, handle: body.handle ?? caller.principal }
  broker.authority.refresh()
  requireMayRegister(context, request)
  // In a header like every token, never in a body (HD-01).
  const proof = {
    peerPid: caller.peerPid,
    pidStart: textHeader(context.request, PID_START_HEADER),
    predecessorToken: textHeader(context.request, PREDECESSOR_HEADER),
  }
  const { kind, session, token: sessionToken } = broker.sessions.open(request, caller.session, token, proof)
  const reply: SessionReply = {
    name: session.name,
    address: session.address,
    handle: session.handle,
    principal: broker.authority.actorOf(session.handle),
    instrument: session.instrument,
    session_id: session.sessionId,
    tool: session.tool,
    token: sessionToken,
    event_id: broker.ring.eventId(broker.ring.lastSeq),
    expires_at: isoTime(broker.sessions.expiresAtMs(session)),
    ...alsoOn(session, context),
  }
  return json(reply, kind === 'updated' ? 200 : 201)
}

/**
 * Where a token is mandatory, a session may update itself; whoever registers another one is the person (HD-23).
 *
 * @throws AgentdError `unauthenticated`
 */
function requireMayRegister(context: RequestContext, body: SessionRequest): void {
  const { broker, caller, request, requiresToken } = context
  if (!requiresToken() || showsPersonKey(request, context)) return
  const { address } = readRegistration(body, broker.authority, caller.session?.facts)
  if (address !== caller.session?.address) throw keyRequired()
}

export function getSelf(context: RequestContext): RouteAnswer {
  const session = requireSession(context)
  const reply: SelfReply = {
    ...rosterEntry(session),
    ...alsoOn(session, context),
    handle: session.handle,
    principal: context.caller.principal,
    drafted_with: session.facts.draftedWith,
    expires_at: isoTime(context.broker.sessions.expiresAtMs(session)),
  }
  return json(reply)
}

/** Says what the session does (docs/http.md §4, W-4). */
export async function setActivity(context: RequestContext): Promise<RouteAnswer> {
  const session = requireSession(context)
  context.broker.setActivity(session, await bodyOf(context, ActivityRequest))
  return { kind: 'empty', status: 204 }
}

export function closeSession(context: RequestContext): RouteAnswer {
  context.broker.sessions.close(requireSession(context))
  return { kind: 'empty', status: 204 }
}

/**
 * Ends another session: for the person, when one takes a place and does not leave (HD-04).
 *
 * @throws AgentdError `scope-unauthorised` for a token, `not-found`, field `address`
 */
export function endSession(context: RequestContext): RouteAnswer {
  const { broker } = context
  requirePrincipal(context, 'Only the principal itself may end another session')
  const session = broker.sessions.find(paramOf(context, 'address'))
  if (session === undefined)
    throw new AgentdError('not-found', 'No session has this address; see the roster.', { field: 'address' })
  broker.sessions.close(session)
  return { kind: 'empty', status: 204 }
}
