/**
 * The right to be the one daemon of this user.
 *
 * Two things can give it: a lock the kernel drops with the process (`store/file/lock-database.ts`, preferred), and
 * the lock file here for machines without better-sqlite3.
 *
 * @see docs/reliability.md §1.2
 */
import { chmodSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/** A held right. `release` gives it back and is harmless when repeated. */
export interface InstanceLock {
  release(): Promise<void>
}

/** What happened to a claim. Every caller must look. */
export type InstanceClaim =
  | { readonly kind: 'claimed'; readonly lock: InstanceLock }
  | { readonly kind: 'taken' }

/** Who is told, once, that the lock went to somebody else: drain and exit, there may be a second daemon. */
export interface LockFileOptions {
  readonly onLost: (reason: Error) => void
}

/** The lock of a killed daemon is taken over after this; shorter, and a laptop's sleep looks like death. */
const STALE_MS = 60_000

/** How often the holder renews, so that a lost lock shows well before it can go stale. */
const RENEW_MS = 10_000

/**
 * Claims a lock file at `path`: a directory, 0700, whose time the holder renews.
 *
 * Weaker than the lock database, and only used without it. A process that dies by kill -9 keeps the others
 * out until the stale time of 60 s has passed; two that take over one stale lock at the same instant can both
 * believe in it for up to 10 s, until the loser's renewal finds out and `onLost` is called.
 *
 * @param path - in a directory that exists and is private
 */
export async function claimLockFile(path: string, options: LockFileOptions): Promise<InstanceClaim> {
  // On demand: the package hooks into the process' signals as soon as it is loaded.
  const { lock } = await import('proper-lockfile')
  let lost = false
  try {
    const release = await lock(path, {
      lockfilePath: path,
      realpath: false,
      stale: STALE_MS,
      update: RENEW_MS,
      onCompromised(reason) {
        lost = true
        options.onLost(reason)
      },
    })
    try {
      chmodSync(path, 0o700)
    } catch (error) {
      await release()
      throw error
    }
    let released: Promise<void> | undefined
    // A lost lock is another's by now and must not be removed.
    return { kind: 'claimed', lock: { release: () => (released ??= lost ? Promise.resolve() : release()) } }
  } catch (error) {
    if (systemErrorCode(error) === 'ELOCKED') return { kind: 'taken' }
    throw error
  }
}
