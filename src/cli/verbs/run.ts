/**
 * A one-shot command from its words to what came of it.
 */
import {
  readPersonKey,
  readEnvironment,
  resolveSocketPath,
  type Environment,
} from '../../host/config/paths.ts'
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

/** Who calls, and where. */
export type VerbCaller = Pick<VerbInvocation, 'socket' | 'token' | 'as'>

/** @throws UsageError for what can be told to be wrong without asking the daemon */
export async function runVerb({ command, raw, ...caller }: VerbInvocation): Promise<VerbRun> {
  const isSession = bearerOf(caller, readEnvironment()) !== undefined
  return callVerb(command.verb, composeArguments(command, raw, isSession), caller)
}

/** The same with arguments that were composed already. */
export async function callVerb(
  verb: string,
  body: Readonly<Record<string, unknown>>,
  caller: VerbCaller,
): Promise<VerbRun> {
  const environment = readEnvironment()
  const { path: socketPath } = resolveSocketPath(environment, caller.socket)
  const bearer = bearerOf(caller, environment)
  const handle = caller.as ?? (environment.env['AGENTD_AS'] || undefined)
  const personKey = bearer === undefined ? readPersonKey(environment) : undefined
  const again = async (): Promise<VerbOutcome> => {
    const headers = handle === undefined || bearer !== undefined ? {} : { [AS_HEADER]: handle }
    const path = `/v1/verbs/${verb}`
    const call = { socketPath, method: 'POST', path, body, headers, token: bearer, personKey } as const
    return readOutcome(await callOnce(call), socketPath)
  }
  return { outcome: await again(), again }
}

/** An empty variable is how a shell says "none". */
function bearerOf({ token }: VerbCaller, { env }: Environment): string | undefined {
  return token ?? (env['AGENTD_TOKEN'] || undefined)
}
