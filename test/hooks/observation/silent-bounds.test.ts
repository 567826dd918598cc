/** How many agents and worktrees a look at silent ones goes through: real processes (OB-03). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { HookMemory } from '../../../src/hooks/memory/hook-memory.ts'
import { keyOf, newHookState } from '../../../src/hooks/memory/hook-state.ts'
import {
  MAX_AGENTS,
  MAX_WORKTREES,
  REGISTERING_MS,
  SilentAgents,
} from '../../../src/hooks/observation/silent-agents.ts'
import { Places } from '../../../src/hooks/places/places.ts'
import { Workbench } from '../../broker/workbench.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { runsOnLinux } from '../../support/needs.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { KeptRecords } from '../desk-in-process.ts'

const WITHIN = { timeout: 15_000, interval: 5 }

/** A process that is called as an agent is. Use it with `await using`. */
async function startAgent(cwd: string) {
  const child = spawn('sleep', ['1000'], { cwd, argv0: 'claude', stdio: 'ignore' })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? -1,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** Ends them all. */
function allOf(agents: readonly Awaited<ReturnType<typeof startAgent>>[]) {
  return {
    pids: agents.map(({ pid }) => pid),
    async [Symbol.asyncDispose]() {
      await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()))
    },
  }
}

/** Looks at a time when all have had the time to register. @param known - processes that have */
function openLooks(known: readonly number[] = []): SilentAgents {
  const clock = new FakeClock(Date.now() + 2 * REGISTERING_MS)
  const { broker } = new Workbench()
  const memory = new HookMemory(new KeptRecords(), clock)
  for (const pid of known) {
    const state = { ...newHookState('claude-code', `s${pid}`, clock.nowMs()), pid }
    memory.update(keyOf(state), () => state)
  }
  return new SilentAgents({
    broker,
    clock,
    memory,
    environment: readEnvironment(),
    places: new Places({ clock, threads: 4 }),
  })
}

/** What the look that was begun by asking has found. */
async function foundIn(looks: SilentAgents, worktree: string): Promise<readonly number[]> {
  await vi.waitFor(() => expect(looks.in(worktree)).not.toEqual([]), WITHIN)
  return looks.in(worktree).map(({ pid }) => pid)
}

describe.runIf(runsOnLinux('/proc'))('agents that say nothing', () => {
  test('are told of up to the bound of one worktree, and one more is not (OB-03)', async () => {
    await using dir = await createTempDir()
    const root = realpathSync(dir.path)
    const started = Array.from({ length: MAX_AGENTS }, () => startAgent(root))
    await using agents = allOf(await Promise.all(started))
    const within = await foundIn(openLooks(), root)
    await using another = await startAgent(root)

    const beyond = await foundIn(openLooks(), root)

    expect([within.length, beyond.length]).toEqual([MAX_AGENTS, MAX_AGENTS])
    expect(new Set(within)).toEqual(new Set(agents.pids))
    expect([...agents.pids, another.pid]).toEqual(expect.arrayContaining([...beyond]))
  })

  test('are found behind as many that have registered, which are left out before they are counted (OB-03)', async () => {
    await using dir = await createTempDir()
    const root = realpathSync(dir.path)
    const started = Array.from({ length: MAX_AGENTS }, () => startAgent(root))
    await using agents = allOf(await Promise.all(started))
    await using silent = await startAgent(root)

    expect(await foundIn(openLooks(agents.pids), root)).toEqual([silent.pid])
  })

  test('are remembered of so many worktrees, and with one more the oldest are forgotten (OB-03)', async () => {
    await using dir = await createTempDir()
    const nested = Array.from({ length: MAX_WORKTREES + 1 }, (_, i) => 'w/'.repeat(i + 1))
    const [oldest = '', ...others] = nested.map((path) => join(realpathSync(dir.path), path, '.'))
    const last = others.pop() ?? ''
    mkdirSync(last, { recursive: true })
    await using agent = await startAgent(last)
    const looks = openLooks()
    for (const worktree of [oldest, ...others]) await foundIn(looks, worktree)
    const before = looks.in(oldest)

    const found = await foundIn(looks, last)

    expect(found).toEqual([agent.pid])
    expect(before.map(({ pid }) => pid)).toEqual([agent.pid])
    // Two go together.
    expect(others.slice(1).every((worktree) => looks.in(worktree).length === 1)).toBe(true)
    expect(looks.in(oldest)).toEqual([])
  })
})
