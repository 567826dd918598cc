/**
 * The files that a patch in the form of Codex's `apply_patch` touches.
 *
 * @see docs/runtimes.md §2.1
 */

const HEADER = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/

/** Where a patch begins; also inside a shell command that hands one over. */
export const PATCH_BEGIN = '*** Begin Patch'

/** Files looked for in one patch. */
const MAX_FILES = 64

/** @returns paths as they stand in the patch, each once */
export function patchedFiles(patch: string): readonly string[] {
  const start = patch.indexOf(PATCH_BEGIN)
  if (start === -1) return []
  const files = new Set<string>()
  for (const line of patch.slice(start).split('\n')) {
    const path = HEADER.exec(line.trimEnd())?.[1]
    if (path !== undefined) files.add(path)
    if (files.size === MAX_FILES || line.startsWith('*** End Patch')) break
  }
  return [...files]
}
