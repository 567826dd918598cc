/**
 * Which processes are agents, by what their programs are called, and whose they are where a session has named its process.
 *
 * A name is no proof: whatever is shown of such a process says what it is called, and not who it is.
 */
import type { ObservedProcess } from '../host/observation/observed-process.ts'
import { parentOf } from '../host/process/ancestry.ts'
import { RUNTIMES } from './catalogue.ts'

const PROGRAMS: ReadonlyMap<string, string> = new Map(
  RUNTIMES.flatMap(({ id, agentPrograms }) => agentPrograms.map((program) => [program, id] as const)),
)

/** A process that is called as an agent runtime is. */
export interface AgentProgram {
  readonly program: string
  /** Its runtime's id. */
  readonly runtime: string
}

/** @returns undefined for what is called otherwise */
export function findAgentProgram({ names }: Pick<ObservedProcess, 'names'>): AgentProgram | undefined {
  const program = names.find((name) => PROGRAMS.has(name))
  const runtime = program === undefined ? undefined : PROGRAMS.get(program)
  return program === undefined || runtime === undefined ? undefined : { program, runtime }
}

/** Forebears looked at; a process stands tens of levels deep in the worst of terminals. */
export const MAX_FOREBEARS = 64

/** The processes around one, and those that sessions have named. */
export interface KnownProcesses {
  readonly processes: readonly ObservedProcess[]
  readonly pids: ReadonlySet<number>
}

/**
 * The process of the session that another process belongs to: itself, the nearest of its forebears, or the one that it
 * started in its own place, as scripts do that start a program of the same name.
 *
 * @returns undefined where no session has named any of them
 */
export function findSessionProcess(
  process: ObservedProcess,
  { processes, pids }: KnownProcesses,
): number | undefined {
  const parents = new Map(processes.map((one) => [one.pid, one.parentPid]))
  let current: number | undefined = process.pid
  for (let step = 0; step < MAX_FOREBEARS && current !== undefined && current > 1; step += 1) {
    if (pids.has(current)) return current
    current = parents.get(current) ?? parentOf(current)
  }
  const program = findAgentProgram(process)?.program
  const started = processes.find(
    (one) => one.parentPid === process.pid && pids.has(one.pid) && findAgentProgram(one)?.program === program,
  )
  return program === undefined ? undefined : started?.pid
}

/** The agents among them. One that was started by another of the same program, in its place, is left out. */
export function findAgents(
  processes: readonly ObservedProcess[],
): readonly (ObservedProcess & AgentProgram)[] {
  const agents = processes.flatMap((process) => {
    const program = findAgentProgram(process)
    return program === undefined ? [] : [{ ...process, ...program }]
  })
  const programs = new Map(agents.map(({ pid, program }) => [pid, program]))
  return agents.filter(
    ({ parentPid, program }) => parentPid === undefined || programs.get(parentPid) !== program,
  )
}
