/**
 * Which processes work in some folders, as the machine shows it to this user without asking anybody.
 *
 * Linux shows it under /proc, for this user's processes; macOS through `lsof`. What of others is not shown is counted.
 */
import type { Environment } from '../config/paths.ts'
import { listInProc } from './proc-processes.ts'
import { listByLsof } from './lsof-processes.ts'
import type { ObservedProcess, ProcessWish } from './observed-process.ts'
import type { Seen } from './unseen.ts'

/** Those that are found, in the order of their numbers. */
export async function listProcessesIn(
  wish: ProcessWish,
  { platform, uid }: Pick<Environment, 'platform' | 'uid'>,
): Promise<Seen<readonly ObservedProcess[]>> {
  if (platform === 'linux') return listInProc(wish)
  if (platform === 'darwin') return listByLsof(wish, uid)
  return { found: [], unseen: [{ what: 'processes', why: `are not shown on ${platform}` }] }
}
