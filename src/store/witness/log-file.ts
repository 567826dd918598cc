/**
 * The write-ahead log as a file: whether the pages that SQLite counts in it are there.
 *
 * A log that was cut short is written on behind the cut, so its length says nothing a moment later; what is left out
 * in between reads as zeros. Nothing locks this file, so to open it beside SQLite takes no lock away.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs'

/** Octets of its head, and of the head of each page in it. */
const HEAD = 32
const PAGE_HEAD = 24

/** Where each of them has the salt of this life of the log, and how long that is. */
const SALT_IN_HEAD = 16
const SALT_IN_PAGE_HEAD = 8
const SALT_LENGTH = 8

/** What the log was at a look. */
export interface LogState {
  /** New with every life of the log. */
  readonly salt: string
  readonly pages: number
}

/** What is looked for in it. */
export interface LogLook {
  readonly pageSize: number
  /** How many pages SQLite counts; at least one. */
  readonly pages: number
  /** What it was at the look before; undefined at the first. */
  readonly before: LogState | undefined
}

/**
 * Looks for the last page there is and the last one there was.
 *
 * @returns what it is now; undefined when one of them is missing
 * @throws Error with the system's code
 */
export function lookAtLog(path: string, { pageSize, pages, before }: LogLook): LogState | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const salt = readSalt(file, SALT_IN_HEAD)
    const known = before?.salt === salt ? [before.pages, pages] : [pages]
    const isThere = (page: number): boolean => {
      const at = HEAD + (page - 1) * (PAGE_HEAD + pageSize)
      return readSalt(file, at + SALT_IN_PAGE_HEAD) === salt
    }
    return known.every(isThere) ? { salt, pages } : undefined
  } finally {
    closeSync(file)
  }
}

function readSalt(file: number, at: number): string {
  const salt = Buffer.alloc(SALT_LENGTH)
  return salt.toString('hex', 0, readSync(file, salt, 0, SALT_LENGTH, at))
}
