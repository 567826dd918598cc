/**
 * A one-shot command from its words to what came of it.
 */
import { readPersonKey, readEnvironment, resolveSocketPath } from '../../host/config/paths.ts'
import { AS_HEADER } from '../../protocol/http/headers.ts'
import { composeArguments } from './arguments.ts'
import type { VerbInvocation } from './argv.ts'
import { callOnce } from '../../client/http/one-call.ts'
import { readOutcome, type VerbOutcome } from './report.ts'

/** What came of it, and the way to ask once more without reading stdin twice. */
export interface VerbRun {
  readonly outcome: VerbOutcome
  readonly again: () => Promise<VerbOutcome>
}

/** @throws UsageError for what can be told to be wrong without asking the daemon */
export async function runVerb({ command, raw, socket, token, as }: VerbInvocation): Promise<VerbRun> {
  const environment = readEnvironment()
  const { path: socketPath } = resolveSocketPath(environment, socket)
  // An empty variable is how a shell says "none".
  const bearer = token ?? (environment.env['AGENTD_TOKEN'] || undefined)
  const handle = as ?? (environment.env['AGENTD_AS'] || undefined)
  const body = composeArguments(command, raw, bearer !== undefined)
  const personKey = bearer === undefined ? readPersonKey(environment) : undefined
  const path = `/v1/verbs/${command.verb}`
  const again = async (): Promise<VerbOutcome> => {
    const headers = handle === undefined || bearer !== undefined ? {} : { [AS_HEADER]: handle }
    const call = { socketPath, method: 'POST', path, body, headers, token: bearer, personKey } as const
    return readOutcome(await callOnce(call), socketPath)
  }
  return { outcome: await again(), again }
}
