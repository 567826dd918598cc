/**
 * Which handovers were written where a command is given: the newest of another repository is nobody's concern here.
 *
 * @see OP-25, HO-04
 */
import { isAbsolute } from 'node:path'
import type { TakeOverOptions } from '../../client/index.ts'
import { findCheckout, type Checkout } from '../../host/repository.ts'

/** Pointers of one handover that are looked for. */
const MAX_REFS = 8

type Admits = NonNullable<TakeOverOptions['admits']>

/**
 * Yes to those whose writer works in this repository, here or on another machine, or that point into it; and to those of which neither is known. Outside
 * of every repository, yes to all.
 */
export async function writtenIn(directory: string): Promise<Admits> {
  const own = await findCheckout(directory)
  if (own === undefined) return () => true
  return async ({ node, pointerRefs, repositoryId }, writer) => {
    // Its paths are another machine's (FED-67).
    if (node !== undefined) return repositoryId !== undefined && repositoryId === own.repositoryId
    const place = writer?.repository ?? writer?.worktree ?? undefined
    if (place !== undefined) return place === own.commonDir || place === own.worktree
    const paths = pointerRefs.filter((ref) => isAbsolute(ref)).slice(0, MAX_REFS)
    return paths.length === 0 || anyIn(paths, own)
  }
}

async function anyIn(paths: readonly string[], { commonDir }: Checkout): Promise<boolean> {
  for (const path of paths) if ((await findCheckout(path))?.commonDir === commonDir) return true
  return false
}
