/**
 * The worktrees of a repository, as git's own files name them.
 *
 * @see gitrepository-layout(5); git-worktree(1)
 */
import { opendir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isAbsence, peekFile, whyNot } from '../peek.ts'
import { lookAt } from '../repository.ts'
import type { GitFolders } from './git-folders.ts'
import { readHead, type ObservedHead } from './head.ts'
import { lookAtIndexLock, type IndexLock } from './index-lock.ts'
import type { Seen, Unseen } from './unseen.ts'

/** One worktree. */
export interface ObservedWorktree extends ObservedHead {
  readonly gitDir: string
  /** Its root; undefined for the bare repository itself, and where git's files do not say. */
  readonly path: string | undefined
  readonly isBare: boolean
  /** Git still knows it, and its folder is gone. */
  readonly isGone: boolean
  /** Why it is not to be pruned; empty where nobody said why, undefined where it may be. */
  readonly locked: string | undefined
  readonly indexLock: IndexLock | undefined
}

/** Worktrees that are looked at; more are named as not seen. */
export const MAX_WORKTREES = 256

/** Each of these holds a line or a few. */
const SMALL = { most: 65_536 }

/** The main one first, then the linked ones by their folders. */
export async function listWorktrees(folders: GitFolders): Promise<Seen<readonly ObservedWorktree[]>> {
  const linked = await listLinked(folders.commonDir)
  const looked = await Promise.all([
    lookAtMain(folders),
    ...linked.found.map((gitDir) => lookAtLinked(gitDir, folders.commonDir)),
  ])
  return {
    found: looked.map(({ found }) => found),
    unseen: [...linked.unseen, ...looked.flatMap(({ unseen }) => unseen)],
  }
}

async function listLinked(commonDir: string): Promise<Seen<readonly string[]>> {
  const what = join(commonDir, 'worktrees')
  const found: string[] = []
  try {
    for await (const entry of await opendir(what)) {
      if (found.length === MAX_WORKTREES)
        return {
          found: found.toSorted(),
          unseen: [{ what, why: `is looked at up to ${MAX_WORKTREES} worktrees` }],
        }
      found.push(join(what, entry.name))
    }
  } catch (error) {
    if (!isAbsence(error)) return { found, unseen: [{ what, why: whyNot(error) }] }
  }
  return { found: found.toSorted(), unseen: [] }
}

async function lookAtMain(folders: GitFolders): Promise<Seen<ObservedWorktree>> {
  const { commonDir } = folders
  const config = await peekFile(join(commonDir, 'config'), SMALL)
  const text = config.kind === 'text' ? config.text : ''
  const isBare = /^\s*bare\s*=\s*true\s*$/im.test(text)
  const named = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(text)?.[1]
  const path = isBare ? undefined : mainPath(folders, named)
  const unseen: Unseen[] =
    isBare || path !== undefined ? [] : [{ what: commonDir, why: 'does not say where its main worktree is' }]
  if (config.kind === 'unreadable') unseen.push({ what: join(commonDir, 'config'), why: config.why })
  return lookInside({ gitDir: commonDir, path, isBare, locked: undefined }, commonDir, unseen)
}

/** Of a submodule the configuration names it; otherwise it is around `.git`, or whoever asks stands in it. */
function mainPath(
  { commonDir, gitDir, worktree }: GitFolders,
  named: string | undefined,
): string | undefined {
  if (named !== undefined) return resolve(commonDir, named)
  if (basename(commonDir) === '.git') return dirname(commonDir)
  return gitDir === commonDir ? worktree : undefined
}

async function lookAtLinked(gitDir: string, commonDir: string): Promise<Seen<ObservedWorktree>> {
  const what = join(gitDir, 'gitdir')
  const [named, locked] = await Promise.all([peekFile(what, SMALL), peekFile(join(gitDir, 'locked'), SMALL)])
  const line = named.kind === 'text' ? named.text.split('\n', 1)[0]?.trimEnd() : undefined
  const unseen: Unseen[] = []
  if (!line)
    unseen.push({ what, why: named.kind === 'unreadable' ? named.why : 'does not say where its worktree is' })
  const path = line ? dirname(resolve(gitDir, line)) : undefined
  const reason = locked.kind === 'absent' ? undefined : locked.kind === 'text' ? locked.text.trim() : ''
  return lookInside({ gitDir, path, isBare: false, locked: reason }, commonDir, unseen)
}

async function lookInside(
  place: Pick<ObservedWorktree, 'gitDir' | 'path' | 'isBare' | 'locked'>,
  commonDir: string,
  before: readonly Unseen[],
): Promise<Seen<ObservedWorktree>> {
  const { gitDir, path } = place
  const [head, lock, root] = await Promise.all([
    readHead({ gitDir, commonDir }),
    lookAtIndexLock(gitDir),
    path === undefined ? undefined : lookAt(path),
  ])
  return {
    found: {
      ...place,
      ...head.found,
      indexLock: lock.found,
      isGone: path !== undefined && root !== 'directory',
    },
    unseen: [...before, ...head.unseen, ...lock.unseen],
  }
}
