/**
 * A one-shot command from its words to the daemon's answer.
 */
import { readPersonKey, readEnvironment, resolveSocketPath } from '../../host/config/paths.ts'
import { composeArguments } from './arguments.ts'
import type { VerbInvocation } from './argv.ts'
import { callOnce, type OneAnswer } from '../../client/http/one-call.ts'

/** What came of it, and the way to ask once more without reading stdin twice. */
export interface VerbRun {
  readonly answer: OneAnswer
  readonly again: () => Promise<OneAnswer>
}

/** @throws UsageError for what can be told to be wrong without asking the daemon */
export async function runVerb({ command, raw, socket, token }: VerbInvocation): Promise<VerbRun> {
  const environment = readEnvironment()
  const { path: socketPath } = resolveSocketPath(environment, socket)
  const body = composeArguments(command, raw)
  // An empty variable is how a shell says "none".
  const bearer = token ?? (environment.env['AGENTD_TOKEN'] || undefined)
  const personKey = bearer === undefined ? readPersonKey(environment) : undefined
  const path = `/v1/verbs/${command.verb}`
  const again = (): Promise<OneAnswer> =>
    callOnce({ socketPath, method: 'POST', path, body, token: bearer, personKey })
  return { answer: await again(), again }
}
