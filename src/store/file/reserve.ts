/**
 * The reserve: room on the disk that is given up when forgetting needs some (HD-15).
 *
 * To delete is to write: into the log first, and from there into the database. On a full disk neither grows, so the one
 * way out that a person has would be closed.
 */
import { randomFillSync } from 'node:crypto'
import { closeSync, constants, lstatSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from '../driver/database.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { isFull } from '../driver/driver.ts'
import { createPrivateFile } from './private-file.ts'

/** A log as long as it gets before it is written back (1 000 pages), and what one step of forgetting adds to it. */
export const RESERVE_BYTES = 6 * 1024 * 1024

/** It is only laid by where that leaves as much again: a small disk is not filled for its own good. */
const LEFT_BYTES = RESERVE_BYTES

const CHUNK_BYTES = 256 * 1024

export class Reserve {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Lays it by where it is not there and there is room; otherwise nothing happens. */
  ensure(): void {
    try {
      if (sizeOf(this.#path) < RESERVE_BYTES && hasRoom(dirname(this.#path))) this.#fill()
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
      // Half of it would only take the room away.
      this.release()
    }
  }

  /** Gives it up. @returns whether there was one */
  release(): boolean {
    try {
      if (sizeOf(this.#path) === 0) return false
      rmSync(this.#path, { force: true })
      return true
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
      return false
    }
  }

  /** Does it, and once more with the room of the reserve where the disk is full. */
  lend(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!isFull(error) || !this.release()) throw error
      act()
    }
  }

  /** With what no file system packs into less. */
  #fill(): void {
    createPrivateFile(this.#path)
    const file = openSync(this.#path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW)
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      for (let at = 0; at < RESERVE_BYTES; at += CHUNK_BYTES) writeSync(file, randomFillSync(chunk))
    } finally {
      closeSync(file)
    }
  }
}

/**
 * Runs deletions that overwrite what they delete, on pages that are given up whole too. Where not even the reserve is
 * enough for that, they only delete: to be rid of it comes first.
 */
export function overwriting(database: Database, reserve: Reserve, erase: () => void): void {
  database.pragma('secure_delete = ON')
  try {
    reserve.lend(erase)
  } catch (error) {
    if (!isFull(error)) throw error
    database.pragma('secure_delete = FAST')
    erase()
  } finally {
    database.pragma('secure_delete = FAST')
  }
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function hasRoom(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize >= RESERVE_BYTES + LEFT_BYTES
}
