/**
 * The right to be the one daemon at a socket: by the kernel where possible, by a lock file otherwise.
 *
 * @see R-04; docs/reliability.md §1.2
 */
import { systemErrorCode } from '../../core/thrown.ts'
import type { Config } from '../../host/config/config.ts'
import { claimLockFile, type InstanceLock } from '../../host/process/instance-lock.ts'
import { noteOwner, removeOwner } from '../../host/process/instance-owner.ts'
import { HostRefusal, PlaceTaken } from '../../host/files/refusal.ts'
import { claimLockDatabase } from '../../store/file/lock-database.ts'

/** A held right, and what is not as it should be about it. */
export interface Instance {
  readonly lock: InstanceLock
  readonly details: readonly string[]
}

/**
 * @param onLost - told when a lock file was taken over; a lock of the kernel's cannot be
 * @throws PlaceTaken when another daemon has it, HostRefusal when something else stands there
 */
export async function claimInstance(config: Config, onLost: (why: string) => void): Promise<Instance> {
  const database = await usable(`${config.socketPath}.lock.db`, claimLockDatabase)
  if (database.kind === 'claimed') return hold(config, database.lock, [])
  if (database.kind === 'taken') throw alreadyRunning(config)
  const file = await usable(`${config.socketPath}.lock`, (path) =>
    claimLockFile(path, { onLost: (reason) => onLost(reason.message) }),
  )
  if (file.kind === 'taken') throw alreadyRunning(config)
  return hold(config, file.lock, [`The instance lock is a lock file: ${database.reason}.`])
}

/** Says whose the right is, as long as it is held: the lock itself does not tell others. */
function hold({ socketPath }: Config, lock: InstanceLock, details: readonly string[]): Instance {
  const fault = noteOwner(socketPath)
  return {
    lock: {
      release: () => {
        removeOwner(socketPath)
        return lock.release()
      },
    },
    details: fault === undefined ? details : [...details, fault],
  }
}

/** Something at the lock's name that is not ours, or no room for it, is not a defect. */
async function usable<T>(path: string, claim: (path: string) => Promise<T>): Promise<T> {
  try {
    return await claim(path)
  } catch (error) {
    if (!(error instanceof Error) || systemErrorCode(error) === undefined) throw error
    throw new HostRefusal(`The instance lock ${path} cannot be used: ${error.message}.`, { cause: error })
  }
}

function alreadyRunning({ socketPath }: Config): PlaceTaken {
  return new PlaceTaken(`A daemon is already serving ${socketPath}, or is about to.`)
}
