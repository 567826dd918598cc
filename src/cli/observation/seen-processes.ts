/** Who works in some folders, as the machine shows it, beside what sessions have said of their processes. */
import type { RosterSession } from '../../client/index.ts'
import type { Environment } from '../../host/config/paths.ts'
import type { ObservedProcess } from '../../host/observation/observed-process.ts'
import { listProcessesIn } from '../../host/observation/processes-in.ts'
import type { Seen } from '../../host/observation/unseen.ts'

/** One process that is worth a line: an agent, a git, or one that a session has named. */
export interface SeenProcess extends ObservedProcess {
  readonly program: string
  /** The runtime its program is of; undefined for another program. */
  readonly runtime: string | undefined
  /** The session whose process it is, or was started by; undefined where none has said so. */
  readonly session: RosterSession | undefined
}

/** What was seen. */
export interface SeenProcesses {
  readonly listed: readonly SeenProcess[]
  /** Others that work there: shells, editors, servers. */
  readonly others: number
}

/** Where is looked, and what sessions there are. */
interface ProcessLook {
  readonly roots: readonly string[]
  /** All that are known; undefined where no daemon was there to be asked. */
  readonly sessions: readonly RosterSession[] | undefined
  /** Those of them that work there. */
  readonly here: readonly RosterSession[] | undefined
}

const GIT = /^git(?:-|$)/

/** Those of this command itself are left out. */
export async function lookAtProcesses(
  { roots, sessions = [], here = [] }: ProcessLook,
  environment: Environment,
): Promise<Seen<SeenProcesses>> {
  const { findAgents, findSessionProcess } = await import('../../runtimes/agent-programs.ts')
  const bySession = new Map(
    sessions.flatMap((session) => (session.pid ? [[session.pid, session] as const] : [])),
  )
  const ofHere = new Set(here.flatMap(({ pid }) => pid ?? []))
  const { found, unseen } = await listProcessesIn({ roots, pids: ofHere }, environment)
  const processes = found.filter(({ pid, parentPid }) => pid !== process.pid && parentPid !== process.pid)
  const agents = new Map(findAgents(processes).map((agent) => [agent.pid, agent]))
  const pids = new Set(bySession.keys())
  const listed = processes.flatMap((one): SeenProcess[] => {
    const agent = agents.get(one.pid)
    const isGit = one.names.some((name) => GIT.test(name))
    if (agent === undefined && !isGit && !ofHere.has(one.pid)) return []
    const sessionPid = findSessionProcess(one, { processes, pids })
    const session = sessionPid === undefined ? undefined : bySession.get(sessionPid)
    return [{ ...one, program: agent?.program ?? one.names[0] ?? '', runtime: agent?.runtime, session }]
  })
  return { found: { listed, others: processes.length - listed.length }, unseen }
}
