/**
 * The work tree a directory is in, without asking git: for commands, which a person waits for and may hang with.
 *
 * What a hook or the daemon asks goes through `repository.ts`, where nothing blocks.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Its top. @param directory - absolute; @returns undefined outside of every one */
export function findWorkTree(directory: string): string | undefined {
  for (let folder = directory; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
  }
  return undefined
}
