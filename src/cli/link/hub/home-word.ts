/**
 * A path as a person types it: below the home directory with a tilde, quoted where a shell wants that.
 */
import { shellWord } from '../../../core/text/shell-word.ts'
import type { Environment } from '../../../host/config/paths.ts'

export function homeWord(path: string, { homeDir }: Pick<Environment, 'homeDir'>): string {
  // A shell reads the tilde only where no quote stands in front of it.
  return path.startsWith(`${homeDir}/`) ? `~/${shellWord(path.slice(homeDir.length + 1))}` : shellWord(path)
}
