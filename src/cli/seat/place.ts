/**
 * Where the page's process is asked for something: a socket beside the daemon's.
 *
 * @see docs/ui.md "What the listener allows"
 */
import { basename, dirname, join } from 'node:path'

/** How the daemon's socket is called unless somebody names it otherwise. */
const USUAL_NAME = 'agentd.sock'

/** `ui.sock` beside `agentd.sock`, and `x.sock.ui` beside any other one: two daemons may share a folder. */
export function doorPath(socketPath: string): string {
  const name = basename(socketPath)
  return join(dirname(socketPath), name === USUAL_NAME ? 'ui.sock' : `${name}.ui`)
}
