/**
 * Where Cursor keeps its configuration.
 */
import { join } from 'node:path'
import type { RuntimePaths } from '../setup/paths.ts'

/** `~/.cursor`, which cannot be moved. */
export function cursorHome({ environment }: RuntimePaths): string {
  return join(environment.homeDir, '.cursor')
}
