/**
 * Where VS Code keeps its configuration.
 */
import { join } from 'node:path'
import { configHome } from '../../host/config/paths.ts'
import type { RuntimePaths } from '../setup/paths.ts'

/** The default profile's folder. */
export function vscodeHome({ environment }: RuntimePaths): string {
  const base =
    environment.platform === 'darwin'
      ? join(environment.homeDir, 'Library', 'Application Support')
      : configHome(environment)
  return join(base, 'Code', 'User')
}
