/**
 * From the `Authorization` header to a caller.
 *
 * @see docs/http.md §2
 */
import type { IncomingMessage } from 'node:http'
import type { Broker } from '../../broker/broker.ts'
import type { Caller } from '../../broker/session/caller.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Route } from '../../protocol/http/route.ts'

/**
 * A request without the header speaks for the principal; one with a token for its session. A token that is
 * wrong is never silently the principal.
 *
 * @throws AgentdError `unauthenticated`
 */
export function findCaller(
  broker: Broker,
  request: IncomingMessage,
  rules: { route: Route; requireToken: boolean; peerPid: number | undefined },
): { caller: Caller; token: string | undefined } {
  const header = request.headers.authorization
  const { peerPid } = rules
  if (header === undefined) {
    const needed = rules.route.auth === 'session' || (rules.requireToken && rules.route.auth !== 'open')
    if (needed)
      throw refused(
        'Send the session\'s token as "Authorization: Bearer <token>"; POST /v1/sessions gives one.',
      )
    return { caller: { principal: broker.principal, session: undefined, peerPid }, token: undefined }
  }
  const token = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1]
  const session = token === undefined ? undefined : broker.sessions.authenticate(token)
  if (session === undefined)
    throw refused('The bearer token is wrong, expired or revoked; register the session again.')
  return { caller: { principal: broker.principal, session, peerPid }, token }
}

function refused(message: string): AgentdError {
  return new AgentdError('unauthenticated', message)
}
