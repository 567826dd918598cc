/**
 * Which repository a path is in, the bare ones included, and what on the way to it looks like one and is none.
 *
 * Git itself is not asked: it would refuse a repository of another user, and a repository's configuration may name
 * programs for it to run.
 *
 * @see gitrepository-layout(5); docs/commands.md "What the machine shows"
 */
import { basename, dirname, join } from 'node:path'
import { peekFile } from '../peek.ts'
import { findCheckout, lookAt, MAX_LEVELS, realPath } from '../repository.ts'
import type { Seen, Unseen } from './unseen.ts'

/** Where git keeps what belongs to a path. */
export interface GitFolders {
  /** One for all worktrees. */
  readonly commonDir: string
  /** Of the worktree the path is in; in a bare repository the same. */
  readonly gitDir: string
  /** Undefined in a bare repository. */
  readonly worktree: string | undefined
}

/** `.git` and `HEAD` hold a line each. */
const LINE = { most: 8_192 }

/** @param path - absolute; `found` is undefined outside of every repository */
export async function findGitFolders(path: string): Promise<Seen<GitFolders | undefined>> {
  const checkout = await findCheckout(path)
  const unseen: Unseen[] = []
  let directory = await realPath(path)
  for (let level = 0; level < MAX_LEVELS && directory !== checkout?.worktree; level += 1) {
    if (basename(directory) !== '.git' && (await isGitFolder(directory))) {
      return { found: { commonDir: directory, gitDir: directory, worktree: undefined }, unseen }
    }
    const odd = await findOddity(directory)
    if (odd !== undefined) unseen.push(odd)
    if (dirname(directory) === directory) break
    directory = dirname(directory)
  }
  return { found: checkout, unseen }
}

/** Whether a folder is what git keeps, without a worktree around it. */
async function isGitFolder(directory: string): Promise<boolean> {
  if ((await lookAt(join(directory, 'HEAD'))) !== 'file') return false
  const [objects, refs] = await Promise.all(['objects', 'refs'].map((name) => lookAt(join(directory, name))))
  return objects === 'directory' && refs === 'directory'
}

/** A `.git` that leads to no repository. */
async function findOddity(directory: string): Promise<Unseen | undefined> {
  const what = join(directory, '.git')
  const kind = await lookAt(what)
  const peeked = await peekFile(kind === 'directory' ? join(what, 'HEAD') : what, LINE)
  if (peeked.kind === 'unreadable')
    return { what, why: kind === 'directory' ? `has a HEAD that ${peeked.why}` : peeked.why }
  if (kind === 'directory') return { what, why: 'has no HEAD' }
  return peeked.kind === 'absent' ? undefined : { what, why: 'names no folder of git' }
}
