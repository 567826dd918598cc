/**
 * Which session runs this git: by its token, or by the id its runtime leaves in the environment and what the daemon
 * remembers of it.
 */
import type { Environment } from '../../host/config/paths.ts'
import { RUNTIMES } from '../catalogue.ts'
import { memberOf, objectOf, textMember } from '../../core/text/json-object.ts'
import { callDaemon } from './daemon-call.ts'

/** Runtimes that name their session to the programs it runs, and the variable. */
const RUNTIME_VARIABLES = RUNTIMES.flatMap(({ id, sessionVariable }) =>
  sessionVariable === undefined ? [] : [[id, sessionVariable] as const],
)

const TOKEN_VARIABLE = 'AGENTD_TOKEN'

/** All variables by which a session can be known; where none is set, a person runs git. */
export const SESSION_VARIABLES: readonly string[] = [
  TOKEN_VARIABLE,
  ...RUNTIME_VARIABLES.map(([, variable]) => variable),
]

/** How the daemon is asked. */
interface Asking {
  readonly environment: Environment
  readonly socketPath: string
  readonly personKey: string | undefined
  readonly signal: AbortSignal
}

/** The bearer token of the session; undefined for a person. */
export async function findSessionToken({ environment, ...place }: Asking): Promise<string | undefined> {
  const token = environment.env[TOKEN_VARIABLE]
  if (token) return token
  for (const [runtime, variable] of RUNTIME_VARIABLES) {
    const id = environment.env[variable]
    if (!id) continue
    const path = `/v1/hooks/${runtime}?session=${encodeURIComponent(id)}`
    const { value } = await callDaemon({ ...place, method: 'GET', path, token: undefined })
    const found = textMember(objectOf(memberOf(value, 'session')), 'token')
    if (found !== undefined) return found
  }
  return undefined
}
