/**
 * How a daemon ends: its exit codes, and what ends a start with which (HD-15, HD-17).
 */
import { messageOf, systemErrorCode } from '../core/thrown.ts'
import { HostRefusal } from '../host/files/refusal.ts'

/** After sysexits(3): a refusal of the place is a configuration error, unless it may be over at the next try. */
export const EXIT = { done: 0, defect: 70, lost: 75, refused: 78 } as const

/** What SQLite and the system say of a disk or a process in trouble. */
const PASSING = /^(?:SQLITE_(?:IOERR|NOMEM|FULL)|(?:ENOSPC|EDQUOT|EMFILE|ENFILE|ENOMEM|EAGAIN|EIO)$)/

/** What the system says of a place that is not for us. */
const OF_PLACE = /^(?:EACCES|EPERM|EROFS|ENOTDIR|ELOOP|ENAMETOOLONG)$/

/** @returns undefined for what is neither a refusal nor the system's word: a defect */
export function toStartRefusal(error: unknown): HostRefusal | undefined {
  if (error instanceof HostRefusal) return error
  const code = systemErrorCode(error) ?? ''
  if (!PASSING.test(code) && !OF_PLACE.test(code)) return undefined
  return new HostRefusal(`The daemon cannot start: ${messageOf(error)}.`, { cause: error })
}

/** Whether what was refused may be over at the next start: no room, no descriptor, a disk that does not answer. */
export function mayPass({ cause }: HostRefusal): boolean {
  return PASSING.test(systemErrorCode(cause) ?? '')
}
