/**
 * An `Environment` that sees nothing of the machine the tests run on.
 */
import { join } from 'node:path'
import type { Environment } from '../../src/host/config/paths.ts'

/** Somebody else; files can be given to them when the tests run as root. */
export const FOREIGN_UID = 12_345

export const ownUid = process.getuid?.() ?? -1

/** Only root can give a file away. */
export const isRoot = ownUid === 0

/** A user whose home and runtime directories are below `root`, and do not exist yet. */
export function surroundings(root: string, changes: Partial<Environment> = {}): Environment {
  return {
    env: {},
    uid: ownUid,
    userName: 'alice',
    homeDir: join(root, 'home'),
    platform: 'linux',
    runUserDir: join(root, 'run-user'),
    ...changes,
  }
}
