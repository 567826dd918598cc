/**
 * Variables by which an agent runtime names its session to the programs it starts.
 *
 * Held here, and against the records of the runtimes by a test, so that the pipe need not load those.
 */
import type { Environment } from '../config/paths.ts'

/** Their names. */
export const SESSION_VARIABLES: readonly string[] = ['CLAUDE_CODE_SESSION_ID', 'GEMINI_SESSION_ID']

/** The ids of sessions are shorter. */
const MAX_VALUE_LENGTH = 256

/** Those that are set. */
export function sessionVariables({ env }: Environment): Readonly<Record<string, string>> {
  const pairs = SESSION_VARIABLES.flatMap((name) => {
    const value = env[name]
    return value === undefined || value.length > MAX_VALUE_LENGTH ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}
