/**
 * The pronoun `~org` of whoever speaks, resolved on this side of the wire: it stands for the one organisation that they are
 * a member of here, and for none where there are several.
 *
 * @see FED-60; IDPRONOUNS, ACQ-10
 */
import { AgentdError } from '../../core/errors.ts'
import { hasPronoun, withOrganisation } from '../../protocol/address/recipient.ts'
import { ServerCard } from '../../protocol/http/daemon-replies.ts'
import type { CallOptions } from '../http/call-options.ts'
import type { Connection } from '../http/connection.ts'

/** What may name an organisation so. */
interface Written {
  readonly scope?: string | undefined
  readonly recipientHandle?: string | undefined
}

const PRONOUN = '~org'

/** Whether something of it has to be resolved before it is sent. */
export function namesPronoun({ scope, recipientHandle }: Written): boolean {
  return recipientHandle === PRONOUN || (scope !== undefined && hasPronoun(scope))
}

/**
 * A scope as it may go over the wire.
 *
 * @throws AgentdError `field-invalid` with the choices, where the pronoun does not stand for exactly one organisation
 */
export async function resolveScope(
  connection: Connection,
  scope: string,
  options: CallOptions = {},
): Promise<string> {
  if (!hasPronoun(scope)) return scope
  const resolved = withOrganisation(scope, await findOrganisation(connection, options))
  if (resolved !== undefined) return resolved
  throw unresolved(`"${PRONOUN}" is an organisation and has no sessions; write org:${PRONOUN}/members/*.`)
}

/** The same with the organisation's handle wherever the pronoun stood. @throws as {@link resolveScope} */
export async function withoutPronoun<One extends Written>(
  connection: Connection,
  written: One,
  options: CallOptions,
): Promise<One> {
  const { scope, recipientHandle } = written
  return {
    ...written,
    ...(scope !== undefined && { scope: await resolveScope(connection, scope, options) }),
    ...(recipientHandle === PRONOUN && { recipientHandle: await findOrganisation(connection, options) }),
  }
}

async function findOrganisation(connection: Connection, { signal }: CallOptions): Promise<string> {
  const { organisations = [] } = await connection.call({ route: 'getServerCard', signal }, ServerCard)
  const [org, ...others] = organisations
  if (org === undefined)
    throw unresolved(`"${PRONOUN}" stands for no organisation here; write the handle of the one you mean.`)
  if (others.length === 0) return org
  throw unresolved(`"${PRONOUN}" may be ${organisations.join(' or ')}; write which.`)
}

function unresolved(message: string): AgentdError {
  return new AgentdError('field-invalid', message, { field: 'scope' })
}
