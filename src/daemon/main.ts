/**
 * The daemon as a program. `agentd serve` runs it in the foreground; a command that needs the daemon starts this file
 * in the background.
 *
 * It loads next to nothing before it knows that the rest can be loaded: Node opens the files of a graph all at once,
 * and where it may not, it prints a stack (HD-17).
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemErrorCode } from '../core/thrown.ts'
import { descriptorLimit } from '../host/socket/descriptors.ts'
import { EXIT } from './exit.ts'
import type { Adoption, AdoptionRequest } from './place/adopt-store.ts'
import type { RunOptions } from './run.ts'
import type { SqliteFound } from '../store/driver/driver.ts'

/** Below this nobody would be served: Node takes about twenty, the store and the socket ten, the rest are readers. */
const MIN_DESCRIPTORS = 64

/**
 * Runs a daemon until a signal ends it.
 *
 * @returns the exit code
 */
export async function runDaemon(options: RunOptions): Promise<number> {
  const limit = descriptorLimit()
  if (limit < MIN_DESCRIPTORS)
    return refuse(
      `The daemon needs ${MIN_DESCRIPTORS} descriptors, and ${limit} are allowed; raise "ulimit -n".`,
    )
  const run = await loadRun()
  return run === undefined ? refuse('Too many files are open on this machine.') : run(options)
}

/** @returns undefined where the system gives no descriptor for it */
async function loadRun(): Promise<((options: RunOptions) => Promise<number>) | undefined> {
  try {
    return (await import('./run.ts')).runUntilEnd
  } catch (error) {
    if (!/^E[MN]FILE$/.test(systemErrorCode(error) ?? '')) throw error
    return undefined
  }
}

/**
 * Takes a store back while no daemon runs (`agentd store adopt`).
 *
 * @throws Error only for a defect; whatever is refused is a value
 */
export async function adoptStore(request: AdoptionRequest): Promise<Adoption> {
  const { adoptStoreOffline } = await import('./run.ts')
  return adoptStoreOffline(request)
}

/** Which SQLite a store here is kept with (`agentd version --json`); no daemon is asked. */
export async function findSqlite(): Promise<SqliteFound> {
  const { describeDriver } = await import('../store/driver/driver.ts')
  return describeDriver()
}

/** Says it to whoever reads stderr: the starter's log, the journal, a terminal. */
function refuse(message: string): number {
  process.stderr.write(`agentd: ${message}\n`)
  return EXIT.lost
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await runDaemon({ flags: {} })
}
