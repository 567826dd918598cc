/**
 * One at a time: what two processes of one user must not do at once, and neither for long.
 */
import { systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from './refusal.ts'

/** The lock of a killed holder is taken over after this. */
const STALE_MS = 5_000

/** How often the holder renews it. */
const RENEW_MS = 1_000

/** How often to ask again for a lock that is held, and the pauses between: about fifteen seconds in all. */
const RETRIES = { retries: 60, factor: 1, minTimeout: 250, maxTimeout: 250 }

/**
 * Does something under the lock at `path`, a directory that is made and removed.
 *
 * @param path - in a directory that exists and is private
 * @throws HostRefusal when somebody else holds it for too long
 */
export async function underFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await claim(path)
  try {
    return await work()
  } finally {
    await release()
  }
}

async function claim(path: string): Promise<() => Promise<void>> {
  // On demand: the package hooks into the process' signals as soon as it is loaded.
  const { lock } = await import('proper-lockfile')
  let isLost = false
  try {
    const release = await lock(path, {
      lockfilePath: path,
      realpath: false,
      stale: STALE_MS,
      update: RENEW_MS,
      retries: RETRIES,
      // Only after standing still for longer than the stale time; what is at work checks each file itself.
      onCompromised() {
        isLost = true
      },
    })
    return () => (isLost ? Promise.resolve() : release())
  } catch (error) {
    if (systemErrorCode(error) !== 'ELOCKED') throw error
    throw new HostRefusal(`The lock ${path} is held by another agentd; wait for its end and try again.`, {
      cause: error,
    })
  }
}
