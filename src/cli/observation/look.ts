/**
 * One look at a place: what sessions told the daemon about it, and what the machine shows of whoever said nothing. Nothing is
 * written, locked or sent.
 *
 * @see docs/commands.md "What the machine shows"
 */
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { RosterSession } from '../../client/index.ts'
import { UsageError } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Environment } from '../../host/config/paths.ts'
import { findGitFolders, type GitFolders } from '../../host/observation/git-folders.ts'
import { isWithin } from '../../host/observation/observed-process.ts'
import { findHolders, type Holder } from '../../host/observation/open-files.ts'
import type { Seen, Unseen } from '../../host/observation/unseen.ts'
import { listWorktrees, type ObservedWorktree } from '../../host/observation/worktrees.ts'
import { isAbsence, whyNot } from '../../host/peek.ts'
import { realPath } from '../../host/repository.ts'
import { readChangedFiles } from './changed-files.ts'
import { announcersOf, type AnnouncedFile } from './announced.ts'
import { lookAtProcesses, type SeenProcesses } from './seen-processes.ts'
import type { Told } from './told.ts'

/** A worktree, who has its index open, and who told of the commit that its head moved to. */
export interface SeenWorktree extends ObservedWorktree {
  /** Undefined where there is no lock, and where the system does not show it. */
  readonly holders: readonly Holder[] | undefined
  readonly saidBy: string | undefined
}

/** What one look found. */
export interface Observation {
  /** The folder that was asked about, without links. */
  readonly path: string
  /** The git common directory; undefined outside of every repository. */
  readonly repository: string | undefined
  /** The worktree that was asked about; undefined in a bare repository too. */
  readonly worktree: string | undefined
  /** The user whose repository it is; undefined outside of one. */
  readonly ownerUid: number | undefined
  readonly worktrees: readonly SeenWorktree[]
  /** Undefined where no daemon was there to be asked. */
  readonly sessions: readonly RosterSession[] | undefined
  readonly processes: SeenProcesses
  /** Undefined where git did not say, as in a bare repository and outside of every one. */
  readonly changed: readonly AnnouncedFile[] | undefined
  readonly unseen: readonly Unseen[]
}

/** What a look is taken with. */
export interface LookWish {
  readonly path: string
  readonly environment: Environment
  /** Undefined where no daemon was there to be asked. */
  readonly told: Told | undefined
}

/** @throws UsageError for a path that is not there, or may not be looked at */
export async function observePlace({ path, environment, told }: LookWish): Promise<Observation> {
  const folder = await requireFolder(path)
  const git = await findGitFolders(folder)
  const worktrees = git.found === undefined ? NOTHING : await lookAtWorktrees(git.found, told, environment)
  const roots = rootsOf(folder, worktrees.found)
  const sessions = told?.sessions.filter((session) => isHere(session, roots, git.found?.commonDir))
  const [processes, changed] = await Promise.all([
    lookAtProcesses({ roots, sessions: told?.sessions, here: sessions }, environment),
    git.found?.worktree === undefined
      ? { found: undefined, unseen: [] }
      : lookAtChanges(git.found.worktree, { environment, git: git.found, roots, told }),
  ])
  return {
    path: folder,
    repository: git.found?.commonDir,
    worktree: git.found?.worktree,
    ownerUid: git.found === undefined ? undefined : (await stat(git.found.commonDir)).uid,
    worktrees: worktrees.found,
    sessions,
    processes: processes.found,
    changed: changed.found,
    unseen: [...git.unseen, ...worktrees.unseen, ...processes.unseen, ...changed.unseen],
  }
}

const NOTHING = { found: [], unseen: [] } as const

async function requireFolder(path: string): Promise<string> {
  const named = resolve(path)
  try {
    const found = await stat(named)
    return await realPath(found.isDirectory() ? named : dirname(named))
  } catch (error) {
    throw new UsageError(`${safeLine(path)} ${isAbsence(error) ? 'is not there' : whyNot(error)}.`, {
      cause: error,
    })
  }
}

async function lookAtWorktrees(
  folders: GitFolders,
  told: Told | undefined,
  { platform }: Pick<Environment, 'platform'>,
): Promise<Seen<readonly SeenWorktree[]>> {
  const { found, unseen } = await listWorktrees(folders)
  const looked = found.map((worktree) => {
    const { indexLock, moved } = worktree
    return {
      ...worktree,
      holders: indexLock && findHolders(indexLock.path, platform),
      saidBy: moved && told?.commits.get(moved.to),
    }
  })
  return { found: looked, unseen }
}

/** All worktrees and the folder that was asked about, which may be a bare repository or none. */
function rootsOf(folder: string, worktrees: readonly ObservedWorktree[]): readonly string[] {
  const paths = worktrees.flatMap(({ path, isGone }) => (path === undefined || isGone ? [] : [path]))
  return isWithin(folder, paths) ? paths : [...paths, folder]
}

function isHere(
  { cwd, repository, worktree }: RosterSession,
  roots: readonly string[],
  commonDir: string | undefined,
): boolean {
  if (commonDir !== undefined && repository === commonDir) return true
  return [worktree, cwd].some((place) => place !== null && isWithin(place, roots))
}

async function lookAtChanges(
  worktree: string,
  {
    environment,
    git,
    roots,
    told,
  }: Pick<LookWish, 'environment' | 'told'> & { readonly git: GitFolders; readonly roots: readonly string[] },
): Promise<Seen<readonly AnnouncedFile[] | undefined>> {
  const { found, unseen } = await readChangedFiles({ worktree, environment })
  const place = { worktree, repository: git.commonDir, roots }
  return {
    found: found?.map((file) => ({ ...file, announcedBy: announcersOf(file.path, place, told) })),
    unseen,
  }
}
