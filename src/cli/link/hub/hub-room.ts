/**
 * Whether the disk of a hub has room for what it may come to keep: it is full a week before anybody looks.
 *
 * @see FED-12
 */
import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatBytes } from '../../terminal/quantities.ts'
import { systemErrorCode } from '../../../core/thrown.ts'
import { BUCKET_MAX_OCTETS, STREAM_MAX_OCTETS } from '../../../link/hub-streams.ts'

/** A store has a folder for each stream and some files in it; beyond this the rest is taken for nothing. */
const MAX_FILES = 10_000

/** What is there. */
export interface HubRoom {
  /** Octets that its disk has for this user. */
  readonly free: number
  /** Octets that its store may grow by yet. */
  readonly wanted: number
}

/** @param realms - how many it serves @returns undefined for a store that is not there yet, or cannot be looked at */
export function readHubRoom(storePath: string, realms: number): HubRoom | undefined {
  try {
    const { bavail, bsize } = statfsSync(storePath)
    const most = realms * (STREAM_MAX_OCTETS + BUCKET_MAX_OCTETS)
    return { free: bavail * bsize, wanted: Math.max(0, most - octetsIn(storePath)) }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

/** A sentence where there is too little; undefined where there is enough. */
export function roomInWords({ free, wanted }: HubRoom, storePath: string): string | undefined {
  if (free >= wanted) return undefined
  return `The disk of ${storePath} has ${formatBytes(free)} left, and what the hub keeps for a week may grow by ${formatBytes(wanted)}: when it is full, nothing passes any more.`
}

function octetsIn(path: string): number {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .slice(0, MAX_FILES)
    .map((name) => statSync(join(path, name), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() === true ? found.blocks * BLOCK_OCTETS : 0), 0)
}

/** Of `blocks`, whatever the file system's own are. */
const BLOCK_OCTETS = 512
