/**
 * Which repository and worktree a directory belongs to, read from git's own files.
 *
 * Nothing is spawned: a hook has no time for `git rev-parse`. All worktrees of one repository share its common
 * directory, so that is the repository's name; what cannot be read counts as no repository.
 *
 * @see gitrepository-layout(5); PD-08
 */
import { closeSync, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** Where a file is, as git sees it. */
export interface Checkout {
  /** The git common directory, absolute and without links: one for all worktrees of a repository. */
  readonly commonDir: string
  /** The root of the working tree. */
  readonly worktree: string
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
const MAX_LEVELS = 64

/** `.git`, `commondir` and `HEAD` hold one line each. */
const MAX_LINE_BYTES = 8_192

const BRANCH = /^ref: refs\/heads\/(.+)$/

/**
 * The repository a path lies in, whether it exists or not.
 *
 * @param path - absolute; a file or a directory
 */
export function findCheckout(path: string): Checkout | undefined {
  let directory = realPath(path)
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const gitDir = findGitDir(directory)
    if (gitDir !== undefined) return describe(directory, gitDir)
    const parent = dirname(directory)
    if (parent === directory) return undefined
    directory = parent
  }
  return undefined
}

/** @param path - absolute; a file or a directory, whether it exists or not */
export function locatePath(path: string): PathPlace {
  const real = realPath(path)
  const found = findCheckout(real)
  return { real, repository: found?.commonDir, worktree: found?.worktree }
}

/**
 * The path without links, as far as it exists: a file that is about to be written has a real directory.
 *
 * @param path - absolute
 */
export function realPath(path: string): string {
  const missing: string[] = []
  let existing = resolve(path)
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    try {
      return join(realpathSync(existing), ...missing)
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
function findGitDir(directory: string): string | undefined {
  const dotGit = join(directory, '.git')
  const found = lookAt(dotGit)
  if (found === 'directory') return lookAt(join(dotGit, 'HEAD')) === undefined ? undefined : dotGit
  if (found !== 'file') return undefined
  const named = /^gitdir: (.+)$/.exec(readLine(dotGit) ?? '')?.[1]
  return named === undefined ? undefined : resolve(directory, named)
}

function describe(worktree: string, gitDir: string): Checkout {
  const common = readLine(join(gitDir, 'commondir'))
  const commonDir = realPath(common === undefined || common === '' ? gitDir : resolve(gitDir, common))
  const branch = BRANCH.exec(readLine(join(gitDir, 'HEAD')) ?? '')?.[1]
  return { commonDir, worktree, branch }
}

function lookAt(path: string): 'file' | 'directory' | undefined {
  try {
    const found = lstatSync(path)
    if (found.isDirectory()) return 'directory'
    return found.isFile() ? 'file' : undefined
  } catch {
    return undefined
  }
}

/** The first line of a small file; undefined for what is no such file. */
function readLine(path: string): string | undefined {
  if (lookAt(path) !== 'file') return undefined
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    if (!fstatSync(file).isFile()) return undefined
    const bytes = Buffer.alloc(MAX_LINE_BYTES)
    const length = readSync(file, bytes, 0, MAX_LINE_BYTES, 0)
    return bytes.toString('utf8', 0, length).split('\n', 1)[0]?.trimEnd()
  } catch {
    return undefined
  } finally {
    closeSync(file)
  }
}
