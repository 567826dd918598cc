/**
 * Where the files of a tool call are: their repository, their worktree, and their path as all worktrees name it.
 *
 * @see PD-08
 */
import { resolve } from 'node:path'
import { pathWithin } from '../../host/repository.ts'
import { MAX_EVENT_FILES } from '../../runtimes/events/budget.ts'
import { editedFiles } from '../../runtimes/edits/edits.ts'
import { viewedFiles } from '../../runtimes/edits/views.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import type { Places } from './places.ts'

/** A file of a tool call. */
export interface LocatedFile {
  readonly absolute: string
  /** Relative to the worktree. */
  readonly path: string
  readonly worktree: string
  /** The git common directory; undefined for a directory without git, which then is its own worktree. */
  readonly repository: string | undefined
  readonly branch: string | undefined
  /** What git keeps for this worktree alone; undefined without git, and where the disk did not say. */
  readonly gitDir: string | undefined
}

/** What the wire takes as a path and as a worktree, in octets. */
const MAX_PATH_OCTETS = 1_024
const MAX_WORKTREE_OCTETS = 512

/** Who asks where: looks are counted for each session. */
export interface Seeker {
  readonly places: Places
  readonly session: string
  readonly cwd: string | undefined
  /**
   * Where the session is known to work, asked for where a disk is late: a file is then placed by its name. Absent, such a
   * file has no place.
   */
  readonly home?: () => Home | undefined
}

/** What is remembered of where a session works. */
export interface Home {
  readonly worktree?: string | undefined
  readonly repository?: string | undefined
  readonly branch?: string | undefined
}

/** The files an event writes, as far as they are anybody's business: in a repository, or in the session's directory. */
export function locateEdits({ tool }: HookEvent, seeker: Seeker): Promise<readonly LocatedFile[]> {
  return tool === undefined ? Promise.resolve([]) : locateFiles(editedFiles(tool), seeker)
}

/** The same of the files an event reads. */
export function locateReads({ tool }: HookEvent, seeker: Seeker): Promise<readonly LocatedFile[]> {
  return tool === undefined ? Promise.resolve([]) : locateFiles(viewedFiles(tool), seeker)
}

/** One after the other: a call of many files is one look at a time. @param paths - absolute, or within the directory */
export async function locateFiles(paths: readonly string[], seeker: Seeker): Promise<readonly LocatedFile[]> {
  const found: LocatedFile[] = []
  for (const path of paths.slice(0, MAX_EVENT_FILES)) {
    const file = await locate(path, seeker)
    if (file !== undefined) found.push(file)
  }
  return found
}

async function locate(
  path: string,
  { cwd, places, session, home }: Seeker,
): Promise<LocatedFile | undefined> {
  if (path.includes('\0') || (cwd === undefined && !path.startsWith('/'))) return undefined
  const named = resolve(cwd ?? '/', path)
  const found = await places.find(named, session)
  if (found === undefined) return locateByText(named, home?.())
  if (found.isDirectory) return undefined
  const { checkout, real: absolute } = found
  const worktree = checkout?.worktree ?? (cwd && (await places.find(cwd, session))?.real)
  const within = worktree === undefined ? undefined : pathWithin(worktree, absolute)
  if (worktree === undefined || within === undefined) return undefined
  if (isTooLong(within, worktree)) return undefined
  const { commonDir, branch, gitDir } = checkout ?? {}
  return { absolute, path: within, worktree, repository: commonDir, branch, gitDir }
}

/** Links are not followed, since nobody answers where they lead: it is the file of that name. */
function locateByText(absolute: string, home: Home | undefined): LocatedFile | undefined {
  const { worktree, repository, branch } = home ?? {}
  const path = worktree === undefined ? undefined : pathWithin(worktree, absolute)
  if (worktree === undefined || path === undefined || isTooLong(path, worktree)) return undefined
  return { absolute, path, worktree, repository, branch, gitDir: undefined }
}

function isTooLong(path: string, worktree: string): boolean {
  return Buffer.byteLength(path) > MAX_PATH_OCTETS || Buffer.byteLength(worktree) > MAX_WORKTREE_OCTETS
}
