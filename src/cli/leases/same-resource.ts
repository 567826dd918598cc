/**
 * Whether two announcements are about the same, and where: what `agentd lock` tells of others, and `agentd unlock` looks for.
 *
 * @see memo §4.4, AC-034; FED-67
 */
import { join, resolve } from 'node:path'
import { locatePath, pathWithin } from '../../host/repository.ts'
import { isAbsolutePath, plainPath } from '../../protocol/board/resource-path.ts'
import type { BoardLine } from '../items/board-line.ts'

/** What somebody names, from the folder that it is named in. */
export interface NamedResource {
  /** As it was written, without `./` or `file://`. */
  readonly plain: string
  /** As a path, absolute and without links as far as it exists; a name that is no file has one too. */
  readonly absolute: string
  /** Within the worktree around it; undefined outside of every one. */
  readonly path: string | undefined
  readonly worktree: string | undefined
  readonly repository: string | undefined
}

/** Where an announcement of the same is. `unknown`: it was not said where, or it is no file of a repository. */
export type SameWhere = 'here' | 'other-worktree' | 'other-repository' | 'other-machine' | 'unknown'

/** @param resource - as it was written; @param folder - absolute, where relative paths begin */
export async function nameResource(resource: string, folder: string): Promise<NamedResource> {
  const plain = plainPath(resource)
  const { real, repository, worktree } = await locatePath(resolve(folder, plain))
  const path = worktree === undefined ? undefined : pathWithin(worktree, real)
  return { plain, absolute: real, path, worktree, repository }
}

type Placed = Pick<BoardLine, 'resource' | 'path' | 'worktree' | 'repository' | 'node'>

/** @returns undefined for what is about something else */
export function whereSame(line: Placed, named: NamedResource): SameWhere | undefined {
  const plain = plainPath(line.resource)
  const isSameText = plain === named.plain
  const isSamePath = named.path !== undefined && line.path === named.path
  if (line.node !== undefined) return isSameText || isSamePath ? 'other-machine' : undefined
  const absolute = absoluteOf(line)
  if (absolute === named.absolute) return 'here'
  if (!isSameText && !isSamePath) return undefined
  if (line.worktree === undefined || named.worktree === undefined) return isSameText ? 'unknown' : undefined
  // The same name from another folder of one worktree is another file.
  if (line.worktree === named.worktree) return isSamePath ? 'here' : undefined
  const isSameRepository = line.repository !== undefined && line.repository === named.repository
  if (isSameRepository) return isSamePath ? 'other-worktree' : undefined
  // A name such as "deploy" may mean one thing for all of them; a path of another repository is another file.
  return isSameText && !plain.includes('/') ? 'other-repository' : undefined
}

function absoluteOf({ resource, path, worktree }: Placed): string | undefined {
  if (isAbsolutePath(resource) && worktree === undefined) return plainPath(resource)
  return worktree === undefined ? undefined : join(worktree, path)
}
