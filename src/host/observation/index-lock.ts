/**
 * The lock of a worktree's index: there while git writes it, and left behind by a git that was killed.
 *
 * It is looked at and never taken. Who holds it is what the kernel says of open files; git closes it before an editor is
 * opened and holds it all the same, so that nobody has it open says nothing.
 */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsence, whyNot } from '../peek.ts'
import type { Seen } from './unseen.ts'

/** A lock that is there. */
export interface IndexLock {
  readonly path: string
  /** Wall time in milliseconds. */
  readonly sinceMs: number
  /** The user whose it is. */
  readonly uid: number
  /** Equal for two looks at one lock. */
  readonly identity: string
}

/** @param gitDir - of one worktree; `found` is undefined where there is none */
export async function lookAtIndexLock(gitDir: string): Promise<Seen<IndexLock | undefined>> {
  const path = join(gitDir, 'index.lock')
  try {
    const { birthtimeMs, ctimeMs, ino, uid } = await lstat(path)
    const sinceMs = birthtimeMs > 0 ? Math.min(birthtimeMs, ctimeMs) : ctimeMs
    return { found: { path, sinceMs, uid, identity: `${ino} ${sinceMs}` }, unseen: [] }
  } catch (error) {
    if (isAbsence(error)) return { found: undefined, unseen: [] }
    return { found: undefined, unseen: [{ what: path, why: whyNot(error) }] }
  }
}
