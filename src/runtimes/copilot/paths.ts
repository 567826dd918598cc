/**
 * Where the Copilot CLI keeps its configuration.
 */
import { join } from 'node:path'
import { folderFrom, type RuntimePaths } from '../setup/paths.ts'

/** `$COPILOT_HOME`, or `~/.copilot`. */
export function copilotHome({ environment }: RuntimePaths): string {
  return folderFrom(environment, 'COPILOT_HOME') ?? join(environment.homeDir, '.copilot')
}
