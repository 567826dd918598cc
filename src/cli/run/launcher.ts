/**
 * The command itself, as it is installed.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The file that starts it. */
export const LAUNCHER = fileURLToPath(new URL('../../../bin/agentd.cjs', import.meta.url))

/** How the runtimes are to start it: by this Node, and by a path that holds when a link is turned. */
export function ownLaunch(): { readonly node: string; readonly script: string } {
  return { node: process.execPath, script: realpathSync(LAUNCHER) }
}
