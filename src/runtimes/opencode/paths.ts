/**
 * Where OpenCode keeps its configuration.
 */
import { join } from 'node:path'
import { configHome } from '../../host/config/paths.ts'
import type { RuntimePaths } from '../setup/paths.ts'

/** `$XDG_CONFIG_HOME/opencode`. */
export function opencodeHome({ environment }: RuntimePaths): string {
  return join(configHome(environment), 'opencode')
}
