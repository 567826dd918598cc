/**
 * From the `Authorization` header to a caller.
 *
 * @see docs/http.md §2
 */
import type { IncomingMessage } from 'node:http'
import type { Broker } from '../../broker/broker.ts'
import { callerFor, type Caller } from '../../broker/session/caller.ts'
import { AgentdError } from '../../core/errors.ts'
import { AS_HEADER, KEY_HEADER } from '../../protocol/http/headers.ts'
import type { Route } from '../../protocol/routes/route.ts'
import { textHeader } from './http-message.ts'

/** What a caller is found by, besides its token. */
export interface CallerRules {
  readonly route: Route
  readonly requireToken: boolean
  readonly isPersonKey: (shown: string) => boolean
  readonly peerPid: number | undefined
}

/** Whether a request shows the person's key (HD-23). */
export function showsPersonKey(
  request: IncomingMessage,
  { isPersonKey }: Pick<CallerRules, 'isPersonKey'>,
): boolean {
  const shown = textHeader(request, KEY_HEADER)
  return shown !== undefined && isPersonKey(shown)
}

/** The refusal of who would have to show the person's key. */
export function keyRequired(): AgentdError {
  return refused(
    'With "auth": "session" this takes the person\'s key as "agentd-key: <key>"; it is in person.key in the state directory.',
  )
}

/**
 * A request without the header speaks for the principal; one with a token for its session. A token that is
 * wrong is never silently the principal.
 *
 * @throws AgentdError `unauthenticated`
 */
export function findCaller(
  broker: Broker,
  request: IncomingMessage,
  rules: CallerRules,
): { caller: Caller; token: string | undefined } {
  const header = request.headers.authorization
  const { peerPid } = rules
  // Whose token it is, its handler asks the links: it is no session's.
  if (rules.route.auth === 'link')
    return { caller: { principal: broker.principal, session: undefined, peerPid }, token: bearer(header) }
  if (header === undefined) {
    if (rules.route.auth === 'session')
      throw refused(
        'Send the session\'s token as "Authorization: Bearer <token>"; POST /v1/sessions gives one.',
      )
    // Where a token is mandatory, who shows the person's key is the person.
    if (rules.requireToken && rules.route.auth !== 'open' && !showsPersonKey(request, rules))
      throw keyRequired()
    return { caller: { principal: actingAs(broker, request), session: undefined, peerPid }, token: undefined }
  }
  const token = bearer(header)
  const session = token === undefined ? undefined : broker.sessions.authenticate(token)
  if (session === undefined)
    throw refused('The bearer token is wrong, expired or revoked; register the session again.')
  return { caller: callerFor(session, broker.authority, peerPid), token }
}

/**
 * Whom a request without a token speaks for: the principal, or another Sovereign handle of the person's that it names.
 *
 * @throws AgentdError `sender-identity-mismatch`, field `agentd-as`, for a handle that was not declared
 */
function actingAs({ authority }: Broker, request: IncomingMessage): string {
  const handle = textHeader(request, AS_HEADER)
  if (handle === undefined) return authority.principal
  authority.refresh()
  if (authority.tierOf(handle) === 'sovereign') return handle
  throw new AgentdError(
    'sender-identity-mismatch',
    `"${AS_HEADER}" (--as, AGENTD_AS) must be a handle you have declared.`,
    {
      field: AS_HEADER,
    },
  )
}

function bearer(header: string | undefined): string | undefined {
  return /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(header ?? '')?.[1]
}

function refused(message: string): AgentdError {
  return new AgentdError('unauthenticated', message)
}
