/**
 * Who a command speaks for that an agent's runtime runs: the session that the runtime names to it.
 *
 * @see docs/http.md §12; HO-04
 */
import { readPersonKey, resolveSocketPath } from '../../host/config/paths.ts'
import { sessionVariables } from '../../host/process/session-variables.ts'
import type { CommandContext } from '../run/command-context.ts'

/** How long the daemon may take to name the session, in milliseconds. */
const ASK_MS = 2_000

/** The same with the token of that session; unchanged where one is given, or a person types. */
export async function asOwnSession(context: CommandContext): Promise<CommandContext> {
  const { environment, socket, token } = context
  if (token !== undefined || Object.keys(sessionVariables(environment)).length === 0) return context
  // The records of the runtimes, which only such a command needs.
  const { findSessionToken } = await import('../../runtimes/git/session-of.ts')
  const { path: socketPath } = resolveSocketPath(environment, socket)
  const personKey = readPersonKey(environment)
  const signal = AbortSignal.timeout(ASK_MS)
  return { ...context, token: await findSessionToken({ environment, socketPath, personKey, signal }) }
}
