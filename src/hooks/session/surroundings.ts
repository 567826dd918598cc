/**
 * What only a child of the runtime sees: variables that name its doors, and which process it is (OP-02).
 *
 * It comes in a header, since secrets stand in no argument list, and is read as what it is: somebody's word.
 */
import { MAX_SURROUNDINGS_LENGTH } from '../../core/limits.ts'
import type { Environment } from '../../host/config/paths.ts'
import { findForebear, parentOf, type Forebear } from '../../host/process/ancestry.ts'
import type { HookRuntime } from '../../runtimes/events/hook-runtime.ts'
import { objectOf, parseMembers, numberOf, textMember } from '../../core/text/json-object.ts'

/** Around one event. */
export interface Surroundings {
  /** Variables of the runtime's; empty where nobody said them. */
  readonly env: Environment['env']
  /** The runtime's process, where it was said. */
  readonly forebear: Forebear | undefined
  /** The process that asks, as the kernel says. */
  readonly peerPid: number | undefined
  /** Whether they were said at all. */
  readonly isTold: boolean
}

/** Characters of one variable. */
const MAX_VARIABLE_CHARS = 2_048

/** @param header - base64url of JSON: `env`, `pid`, `program`; undefined or anything else: nothing was said */
export function readSurroundings(header: string | undefined, peerPid: number | undefined): Surroundings {
  const isSmall = header !== undefined && header.length <= MAX_SURROUNDINGS_LENGTH
  const told = isSmall ? parseMembers(Buffer.from(header, 'base64url').toString('utf8')) : undefined
  if (told === undefined) return { env: {}, forebear: undefined, peerPid, isTold: false }
  const variables = Object.entries(objectOf(told['env'])).flatMap(([name, value]) =>
    typeof value === 'string' && value.length <= MAX_VARIABLE_CHARS ? [[name, value] as const] : [],
  )
  const pid = numberOf(told, 'pid')
  const path = textMember(told, 'program')
  const name = path?.slice(path.lastIndexOf('/') + 1) ?? ''
  const forebear = pid === undefined || !Number.isInteger(pid) || pid < 2 ? undefined : { pid, name, path }
  return { env: Object.fromEntries(variables), forebear, peerPid, isTold: true }
}

/** The runtime's process: what was said, or on Linux the nearest forebear of who asks that is no shell. */
export function runtimeProcess(
  { forebear, peerPid }: Surroundings,
  { platform }: Pick<Environment, 'platform'>,
): Forebear | undefined {
  if (forebear !== undefined || peerPid === undefined || platform !== 'linux') return forebear
  const parent = parentOf(peerPid)
  return parent === undefined ? undefined : findForebear(parent, platform)
}

/** Whether nobody sits at the session, as its runtime says; undefined where it says nothing here. */
export function isHeadless(
  { attendedVariable }: HookRuntime,
  { env, isTold }: Surroundings,
): boolean | undefined {
  if (!isTold || attendedVariable === undefined) return undefined
  return env[attendedVariable] === '0'
}
