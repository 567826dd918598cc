/**
 * Agents that work in a worktree and have registered nowhere, as their processes show it (Linux).
 *
 * Looking at all processes takes milliseconds, so nobody waits for it: an edit begins a look, and a later one is told what it
 * found.
 */
import type { Broker } from '../../broker/broker.ts'
import type { Clock } from '../../core/clock.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { listProcessesIn } from '../../host/observation/processes-in.ts'
import type { ObservedProcess } from '../../host/observation/observed-process.ts'
import type { Environment } from '../../host/config/paths.ts'
import { findAgents, findSessionProcess, type AgentProgram } from '../../runtimes/agent-programs.ts'
import type { HookMemory } from '../memory/hook-memory.ts'
import type { Places } from '../places/places.ts'

/** Between two looks at the processes of a worktree, in milliseconds. */
export const SCAN_EVERY_MS = 30_000

/** How long a program has to register before it counts as silent, in milliseconds. */
export const REGISTERING_MS = 30_000

/** Worktrees whose processes are remembered, and silent agents of one whose places are looked at. */
export const MAX_WORKTREES = 64
export const MAX_AGENTS = 16

/** In whose name is looked: a session's own looks are for what it asks. */
const LOOKER = 'processes'

/** An agent that nobody has heard of. */
export type SilentAgent = ObservedProcess & AgentProgram

interface Scan {
  readonly atMs: number
  readonly agents: readonly SilentAgent[]
}

/** What they are found with. */
export interface SilentAgentsParts {
  readonly broker: Broker
  readonly clock: Pick<Clock, 'monotonicMs' | 'nowMs'>
  readonly environment: Pick<Environment, 'platform' | 'uid'>
  readonly memory: HookMemory
  readonly places: Places
}

export class SilentAgents {
  readonly #parts: SilentAgentsParts
  readonly #scans = new BoundedMap<string, Scan>({ most: MAX_WORKTREES, atOnce: 1 })
  #isScanning = false

  constructor(parts: SilentAgentsParts) {
    this.#parts = parts
  }

  /** Those that the last look found and that are silent still. Begins another look where the last is old. */
  in(worktree: string): readonly SilentAgent[] {
    const { clock, environment } = this.#parts
    if (environment.platform !== 'linux') return []
    const scan = this.#scans.get(worktree)
    if (scan === undefined || clock.monotonicMs() - scan.atMs >= SCAN_EVERY_MS) this.#scan(worktree)
    if (scan === undefined || scan.agents.length === 0) return []
    const pids = this.#knownPids(worktree)
    return pids === undefined ? [] : scan.agents.filter(({ pid }) => !pids.has(pid))
  }

  /** One at a time, and within the bound of all looks. */
  #scan(worktree: string): void {
    if (this.#isScanning) return
    this.#isScanning = true
    const isTaken = this.#parts.places.looks.take({
      session: LOOKER,
      look: async () => {
        const agents = await this.#find(worktree)
        this.#scans.set(worktree, { atMs: this.#parts.clock.monotonicMs(), agents })
        this.#isScanning = false
      },
      // One that never came to its turn is tried again with the next edit.
      late: (isHanging) => {
        if (!isHanging) this.#isScanning = false
      },
    })
    if (isTaken === undefined) this.#isScanning = false
  }

  async #find(worktree: string): Promise<readonly SilentAgent[]> {
    const { clock, environment, places } = this.#parts
    const { found: processes } = await listProcessesIn({ roots: [worktree], pids: new Set() }, environment)
    const pids = this.#knownPids(worktree)
    if (pids === undefined) return []
    const nowMs = clock.nowMs()
    const unknown = findAgents(processes).filter((agent) => {
      const isNew = agent.startedMs === undefined || nowMs - agent.startedMs < REGISTERING_MS
      return !isNew && findSessionProcess(agent, { processes, pids }) === undefined
    })
    const silent: SilentAgent[] = []
    // Bounded only now: of those that are known there may be more.
    for (const agent of unknown.slice(0, MAX_AGENTS)) {
      // A worktree may lie within another one.
      // oxlint-disable-next-line eslint/no-await-in-loop
      const place = await places.find(agent.cwd, LOOKER)
      if (place?.checkout === undefined || place.checkout.worktree === worktree) silent.push(agent)
    }
    return silent
  }

  /** Processes that sessions have named; undefined where one that works here has named none, and may be any of them. */
  #knownPids(worktree: string): ReadonlySet<number> | undefined {
    const { broker, memory } = this.#parts
    const pids = new Set<number>()
    for (const { facts, lifeline } of broker.sessions.all()) {
      if (lifeline !== undefined) pids.add(lifeline.pid)
      else if (facts.worktree === worktree) return undefined
    }
    for (const { pid } of memory.list()) if (pid !== undefined) pids.add(pid)
    return pids
  }
}
