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

/** Where npx puts what it was asked to run, and npm takes it away again. */
const NPX_CACHE = /\/_npx\/[0-9a-f]+\/node_modules\//

/** Whether this agentd was fetched for one command, and is not installed. */
export function isBorrowed(): boolean {
  return NPX_CACHE.test(realpathSync(LAUNCHER))
}
