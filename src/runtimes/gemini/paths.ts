/**
 * Where the Gemini CLI keeps its configuration.
 */
import { join } from 'node:path'
import type { RuntimePaths } from '../setup/paths.ts'

/** `~/.gemini`, which cannot be moved. */
export function geminiHome({ environment }: RuntimePaths): string {
  return join(environment.homeDir, '.gemini')
}
