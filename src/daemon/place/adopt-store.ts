/**
 * What is done to the store while no daemon has it: one that was set aside is taken back (HD-14).
 */
import { dirname, join } from 'node:path'
import { systemClock } from '../../core/clock.ts'
import { resolveConfig, type Config, type ConfigFlags } from '../../host/config/config.ts'
import { ensurePrivateDirectory, type Environment } from '../../host/config/paths.ts'
import { HostRefusal, PlaceTaken } from '../../host/files/refusal.ts'
import { bootId } from '../../host/process/processes.ts'
import { adoptStore as putInPlace, type Adopted } from '../../store/file/adopt.ts'
import type { Driver } from '../../store/driver/database.ts'
import { loadDriver } from '../../store/driver/driver.ts'
import { NotAdopted } from '../../store/file/past-store.ts'
import { claimInstance } from './instance.ts'

/** Whose store, and which file is to take its place. */
export interface AdoptionRequest {
  readonly environment: Environment
  readonly flags: ConfigFlags
  /** An absolute path. */
  readonly file: string
}

/** A store that has its place again. */
interface Placed extends Adopted {
  readonly path: string
}

/** What came of it. `mayPass`: another try may succeed with the same file. */
export type Adoption =
  | ({ readonly kind: 'adopted' } & Placed)
  | { readonly kind: 'refused'; readonly message: string; readonly mayPass: boolean }

/**
 * Takes a store back. No daemon of this user starts at the socket meanwhile.
 *
 * @throws Error only for a defect
 */
export async function adoptStore(request: AdoptionRequest): Promise<Adoption> {
  try {
    return { kind: 'adopted', ...(await adopt(request)) }
  } catch (error) {
    if (!(error instanceof NotAdopted || error instanceof HostRefusal)) throw error
    const mayPass = error instanceof NotAdopted ? error.mayPass : error instanceof PlaceTaken
    return { kind: 'refused', message: error.message, mayPass }
  }
}

/** @throws HostRefusal when a directory or the configuration is not safe to use, NotAdopted for the file */
async function adopt({ environment, flags, file }: AdoptionRequest): Promise<Placed> {
  const config = resolveConfig(environment, flags)
  const driver = await loadDriver()
  if (typeof driver === 'string') throw new HostRefusal(`There is no SQLite to keep a store with: ${driver}.`)
  for (const directory of [dirname(config.socketPath), config.stateDir])
    ensurePrivateDirectory(directory, environment)
  const path = join(config.stateDir, 'ring.db')
  return { path, ...(await adoptAlone(driver, config, { path, file, environment })) }
}

/** Under the lock that every daemon at this socket takes first. */
async function adoptAlone(
  driver: Driver,
  config: Config,
  { path, file, environment }: { path: string; file: string; environment: Environment },
): Promise<Adopted> {
  const { lock } = await claimPlace(config)
  try {
    const place = { path, ack: config.ack, bootId: bootId(), nowMs: () => systemClock.nowMs() }
    return await putInPlace({ driver, place, past: { path: file, uid: environment.uid } })
  } finally {
    await lock.release()
  }
}

/** @throws PlaceTaken with what to do about it */
async function claimPlace(config: Config): ReturnType<typeof claimInstance> {
  try {
    return await claimInstance(config, () => {})
  } catch (error) {
    if (!(error instanceof PlaceTaken)) throw error
    const message = `A daemon serves ${config.socketPath}; run "agentd stop" first, and then this again.`
    throw new PlaceTaken(message, { cause: error })
  }
}
