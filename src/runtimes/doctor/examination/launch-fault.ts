/**
 * Whether what a line or an entry names can be started.
 */
import type { Launch } from '../../setup/files/launch.ts'
import { isProgram, isReadable } from '../../setup/paths.ts'

/** Why it cannot be started; the end of a sentence. */
export function launchFault({ node, script }: Launch): string | undefined {
  if (!isProgram(node)) return `${node} is gone, or must not be run`
  return isReadable(script) ? undefined : `${script} is gone`
}
