/**
 * What a hook's process tells of its surroundings: only a child of the runtime sees them (OP-02).
 */
import { MAX_SURROUNDINGS_LENGTH } from '../core/limits.ts'
import type { Environment } from '../host/config/paths.ts'
import { describeProcess, findForebear, type Forebear } from '../host/process/ancestry.ts'
import { EVENT_NAMES, RUNTIMES } from './catalogue.ts'
import { sessionIdOf } from './events/event.ts'
import { parseMembers } from '../core/text/json-object.ts'
import { wireNameOf } from './events/members.ts'

/** Variables that name a session, its process or its doors, or the handle it is to go by; no other is told. */
const VARIABLES: readonly string[] = RUNTIMES.flatMap(
  ({ attendedVariable, pidVariable, sessionVariable, wake }) =>
    [attendedVariable, pidVariable, sessionVariable, ...(wake?.variables ?? [])].filter(
      (name) => name !== undefined,
    ),
).concat('AGENTD_AS')

/** Whether a payload is the start of a session, by whatever name its runtime has for it. */
export function isSessionStart(payload: string): boolean {
  const members = parseMembers(payload)
  const name = members && wireNameOf(members)
  return name !== undefined && Object.hasOwn(EVENT_NAMES, name) && EVENT_NAMES[name] === 'session-start'
}

/**
 * The surroundings as a header takes them; undefined for more than that.
 *
 * @param isStart - the process is looked for as well, which costs as much as the rest together
 */
export function tellSurroundings(
  runtime: string | undefined,
  environment: Environment,
  isStart: boolean,
): string | undefined {
  const env = Object.fromEntries(
    VARIABLES.map((name) => [name, environment.env[name]]).filter(([, value]) => value !== undefined),
  )
  const process = isStart ? runtimeProcess(runtime, environment) : undefined
  const told = {
    env,
    ...(process !== undefined && { pid: process.pid, program: process.path ?? process.name }),
  }
  const header = Buffer.from(JSON.stringify(told)).toString('base64url')
  return header.length <= MAX_SURROUNDINGS_LENGTH ? header : undefined
}

/** What the runtime says itself, or the nearest forebear that is no shell. */
function runtimeProcess(id: string | undefined, { env }: Environment): Forebear | undefined {
  const variable = RUNTIMES.find((runtime) => runtime.id === id)?.pidVariable
  const said = variable === undefined ? Number.NaN : Number(env[variable])
  return (Number.isInteger(said) && said > 1 ? describeProcess(said) : undefined) ?? findForebear()
}

/** The runtime's own id of the session that a payload is from; undefined for what is no payload. */
export function findSessionId(payload: string): string | undefined {
  const members = parseMembers(payload)
  return members && sessionIdOf(members)
}
