/**
 * Where the Codex CLI keeps its configuration.
 */
import { join } from 'node:path'
import { folderFrom, type RuntimePaths } from '../setup/paths.ts'

/** `$CODEX_HOME`, or `~/.codex`. */
export function codexHome({ environment }: RuntimePaths): string {
  return folderFrom(environment, 'CODEX_HOME') ?? join(environment.homeDir, '.codex')
}
