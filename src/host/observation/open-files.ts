/**
 * Who has a file open, as Linux shows it under /proc for this user's processes.
 *
 * @see proc(5)
 */
import { opendirSync, readlinkSync } from 'node:fs'
import { describeProcess } from '../process/ancestry.ts'

/** A process that has it open. */
export interface Holder {
  readonly pid: number
  readonly name: string
}

/** Open files of one process that are looked at, and of all together. */
export const MAX_DESCRIPTORS_EACH = 4_096
export const MAX_DESCRIPTORS = 131_072

/**
 * @param path - without links
 * @returns undefined where the system does not show it, or there are too many open files to look at
 */
export function findHolders(
  path: string,
  platform: NodeJS.Platform,
  most = MAX_DESCRIPTORS,
): readonly Holder[] | undefined {
  if (platform !== 'linux') return undefined
  let left = most
  const holders: Holder[] = []
  for (const pid of namesIn('/proc', MAX_DESCRIPTORS)) {
    if (!/^\d+$/.test(pid)) continue
    const open = namesIn(`/proc/${pid}/fd`, MAX_DESCRIPTORS_EACH)
    left -= open.length
    if (left < 0) return undefined
    if (!open.some((descriptor) => linkOf(`/proc/${pid}/fd/${descriptor}`) === path)) continue
    holders.push({ pid: Number(pid), name: describeProcess(Number(pid))?.name ?? '' })
  }
  return holders
}

/** As many as may be; nothing for what is somebody else's, or gone. */
function namesIn(folder: string, most: number): readonly string[] {
  const names: string[] = []
  try {
    const entries = opendirSync(folder)
    try {
      for (let entry = entries.readSync(); entry !== null && names.length < most; entry = entries.readSync())
        names.push(entry.name)
    } finally {
      entries.closeSync()
    }
  } catch {
    // What was read of it until then counts.
  }
  return names
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
