/**
 * Which session runs this git: by its token, or by the id its runtime leaves in the environment and what our
 * own hooks remember of it.
 */
import { RUNTIMES } from '../catalogue.ts'
import { HookStore } from '../memory/hook-store.ts'
import type { Environment } from '../../host/config/paths.ts'

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

/** The bearer token of the session; undefined for a person. */
export function findSessionToken(environment: Environment, socketPath: string): string | undefined {
  const token = environment.env[TOKEN_VARIABLE]
  if (token) return token
  const store = new HookStore(environment, socketPath)
  for (const [runtime, variable] of RUNTIME_VARIABLES) {
    const id = environment.env[variable]
    const found = id ? store.find(runtime, id)?.token : undefined
    if (found) return found
  }
  return undefined
}
