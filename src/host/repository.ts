/**
 * Which repository and worktree a directory belongs to, read from git's own files.
 *
 * Nothing is spawned: a hook has no time for `git rev-parse`. Nothing blocks either: a file system may be somebody
 * else's, and hang (OP-10). All worktrees of one repository share its common directory, so that is the repository's name;
 * what cannot be read counts as no repository.
 *
 * @see gitrepository-layout(5); PD-08
 */
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { peekFile } from './peek.ts'
import { findRepositoryId } from './repository-id.ts'

/** Where a file is, as git sees it. */
export interface Checkout {
  /** The git common directory, absolute and without links: one for all worktrees of a repository. */
  readonly commonDir: string
  /** What the repository is called on every machine (FED-68); undefined where it comes from nowhere. */
  readonly repositoryId?: string | undefined
  /** The root of the working tree. */
  readonly worktree: string
  /** What git keeps for this worktree alone: its `HEAD`, its index and the log of both. */
  readonly gitDir: string
  /** The branch that is checked out; undefined for a detached head. */
  readonly branch: string | undefined
}

/** Where a path leads to, and what is around it. */
export interface PathPlace {
  /** Without links, as far as it exists. */
  readonly real: string
  /** As {@link Checkout.commonDir}; undefined outside of every repository. */
  readonly repository: string | undefined
  readonly worktree: string | undefined
}

/** Directories looked at on the way up. */
export const MAX_LEVELS = 64

/** `.git`, `commondir` and `HEAD` hold one line each. */
const MAX_LINE_BYTES = 8_192

const BRANCH = /^ref: refs\/heads\/(.+)$/

/**
 * The repository a path lies in, whether it exists or not.
 *
 * @param path - absolute; a file or a directory
 */
export async function findCheckout(path: string): Promise<Checkout | undefined> {
  let directory = await realPath(path)
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const gitDir = await findGitDir(directory)
    if (gitDir !== undefined) return describe(directory, gitDir)
    const parent = dirname(directory)
    if (parent === directory) return undefined
    directory = parent
  }
  return undefined
}

/** @param path - absolute; a file or a directory, whether it exists or not */
export async function locatePath(path: string): Promise<PathPlace> {
  const real = await realPath(path)
  const found = await findCheckout(real)
  return { real, repository: found?.commonDir, worktree: found?.worktree }
}

/**
 * The path without links, as far as it exists: a file that is about to be written has a real directory.
 *
 * @param path - absolute
 */
export async function realPath(path: string): Promise<string> {
  const missing: string[] = []
  let existing = resolve(path)
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    try {
      return join(await realpath(existing), ...missing)
    } catch {
      // Missing, a loop of links, or not ours to look at: its name is all there is.
      missing.unshift(basename(existing))
      existing = dirname(existing)
    }
  }
  return resolve(path)
}

/** A path as every worktree of its repository names it; undefined outside of `root` and for git's own files. */
export function pathWithin(root: string, path: string): string | undefined {
  const within = relative(root, path)
  if (within === '' || within === '..' || within.startsWith('../') || isAbsolute(within)) return undefined
  return within === '.git' || within.startsWith('.git/') ? undefined : within
}

/** The git directory of a working tree: a directory, or a file that names one (worktrees, submodules). */
async function findGitDir(directory: string): Promise<string | undefined> {
  const dotGit = join(directory, '.git')
  const found = await lookAt(dotGit)
  if (found === 'directory') return (await lookAt(join(dotGit, 'HEAD'))) === undefined ? undefined : dotGit
  if (found !== 'file') return undefined
  const named = /^gitdir: (.+)$/.exec((await readLine(dotGit)) ?? '')?.[1]
  return named === undefined ? undefined : resolve(directory, named)
}

async function describe(worktree: string, gitDir: string): Promise<Checkout> {
  const common = await readLine(join(gitDir, 'commondir'))
  const named = common === undefined || common === '' ? gitDir : resolve(gitDir, common)
  const [commonDir, head, repositoryId] = await Promise.all([
    realPath(named),
    readLine(join(gitDir, 'HEAD')),
    findRepositoryId(named),
  ])
  return { commonDir, repositoryId, worktree, gitDir, branch: BRANCH.exec(head ?? '')?.[1] }
}

/** What is at a path; what is a link, a device or not ours to look at is none of them. */
export async function lookAt(path: string): Promise<'file' | 'directory' | undefined> {
  try {
    const found = await lstat(path)
    if (found.isDirectory()) return 'directory'
    return found.isFile() ? 'file' : undefined
  } catch {
    return undefined
  }
}

/** The first line of a small file; undefined for what is no such file. */
async function readLine(path: string): Promise<string | undefined> {
  const peeked = await peekFile(path, { most: MAX_LINE_BYTES })
  return peeked.kind === 'text' ? peeked.text.split('\n', 1)[0]?.trimEnd() : undefined
}
