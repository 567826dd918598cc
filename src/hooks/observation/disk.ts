/** What is asked of the disk around an edit: a few calls, each of which may take long where a file system hangs. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { lookAtIndexLock, type IndexLock } from '../../host/observation/index-lock.ts'

/** A file at one moment. */
export interface FileLook {
  /** Equal for two looks at one file that nobody has changed between them; empty where there is none. */
  readonly stamp: string
  /** When the kernel saw it change last, in milliseconds of wall time; 0 where there is none. */
  readonly changedMs: number
}

/** A worktree at one moment. */
export interface WorktreeLook {
  /** Of the log of its head, which git only lengthens; undefined where it keeps none. */
  readonly logBytes: number | undefined
  readonly lock: IndexLock | undefined
}

/** How a file is. @param path - absolute; a link is looked at as what it is */
export async function lookAtFile(path: string): Promise<FileLook> {
  try {
    const { ctimeMs, ino, mtimeMs, size } = await lstat(path)
    return { stamp: `${ino} ${size} ${mtimeMs}`, changedMs: ctimeMs }
  } catch {
    return { stamp: '', changedMs: 0 }
  }
}

/** How a worktree is. @param gitDir - of this worktree alone */
export async function lookAtWorktree(gitDir: string): Promise<WorktreeLook> {
  const [logBytes, lock] = await Promise.all([logBytesOf(gitDir), lookAtIndexLock(gitDir)])
  return { logBytes, lock: lock.found }
}

/** How long the log of its head is; undefined where there is none. */
export async function logBytesOf(gitDir: string): Promise<number | undefined> {
  try {
    return (await lstat(join(gitDir, 'logs', 'HEAD'))).size
  } catch {
    return undefined
  }
}
