/** Where the hooks of earlier versions remembered; apart from its reader, since a start asks only whether it is there. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder, beside the socket. */
export function oldFolder(socketPath: string): string {
  return join(dirname(socketPath), 'hooks')
}

/** Whether there may be something to take over (OP-05). */
export function hasOldFiles(socketPath: string): boolean {
  return existsSync(oldFolder(socketPath))
}
