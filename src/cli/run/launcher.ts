/**
 * The command itself, as it is installed.
 */
import { realpathSync } from 'node:fs'
import { PACKAGE_ROOT } from '../../host/package.ts'

/** The file that starts it. */
export const LAUNCHER = `${PACKAGE_ROOT}/bin/agentd.cjs`

/** How the runtimes are to start it: by this Node, and by a path that holds when a link is turned. */
export function ownLaunch(): { readonly node: string; readonly script: string } {
  return { node: process.execPath, script: realpathSync(LAUNCHER) }
}
