/**
 * Where an edited file is: its repository, its worktree, and its path as all worktrees name it.
 *
 * @see PD-08
 */
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findCheckout, pathWithin, realPath } from '../../host/repository.ts'
import { MAX_EVENT_FILES } from '../events/budget.ts'
import { editedFiles } from './edits.ts'
import type { HookEvent } from '../events/event.ts'

/** An edited file. */
export interface LocatedFile {
  readonly absolute: string
  /** Relative to the worktree. */
  readonly path: string
  readonly worktree: string
  /** The git common directory; undefined for a directory without git, which then is its own worktree. */
  readonly repository: string | undefined
  readonly branch: string | undefined
}

/** What the wire takes as a path and as a worktree, in octets. */
const MAX_PATH_OCTETS = 1_024
const MAX_WORKTREE_OCTETS = 512

/** The files an event writes, as far as they are anybody's business: in a repository, or in the session's directory. */
export function locateEdits({ tool, cwd }: HookEvent): readonly LocatedFile[] {
  if (tool === undefined) return []
  const paths = editedFiles(tool).slice(0, MAX_EVENT_FILES)
  return paths.map((path) => locate(path, cwd)).filter((file) => file !== undefined)
}

function locate(path: string, cwd: string | undefined): LocatedFile | undefined {
  if (path.includes('\0') || (cwd === undefined && !path.startsWith('/'))) return undefined
  const absolute = realPath(resolve(cwd ?? '/', path))
  if (isDirectory(absolute)) return undefined
  const found = findCheckout(dirname(absolute))
  const worktree = found?.worktree ?? (cwd === undefined ? undefined : realPath(cwd))
  const within = worktree === undefined ? undefined : pathWithin(worktree, absolute)
  if (worktree === undefined || within === undefined) return undefined
  if (Buffer.byteLength(within) > MAX_PATH_OCTETS || Buffer.byteLength(worktree) > MAX_WORKTREE_OCTETS)
    return undefined
  return { absolute, path: within, worktree, repository: found?.commonDir, branch: found?.branch }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Not there yet, or not any more.
    return false
  }
}
