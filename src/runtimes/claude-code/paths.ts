/**
 * Where Claude Code keeps its configuration.
 */
import { join } from 'node:path'
import { folderFrom, type RuntimePaths } from '../setup/paths.ts'

/** `$CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export function claudeHome({ environment }: RuntimePaths): string {
  return folderFrom(environment, 'CLAUDE_CONFIG_DIR') ?? join(environment.homeDir, '.claude')
}

/** The file Claude Code itself keeps its servers in; only read here. */
export function claudeState({ environment }: RuntimePaths): string {
  return join(folderFrom(environment, 'CLAUDE_CONFIG_DIR') ?? environment.homeDir, '.claude.json')
}
