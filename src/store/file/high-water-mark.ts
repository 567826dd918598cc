/**
 * The greatest number that was ever committed, in a file of its own beside the store.
 *
 * SQLite takes a damaged or shortened write-ahead log for one that ends earlier, and says nothing: frames would
 * be gone, and their numbers given out again. The mark is written after each commit and never
 * ahead of it, so a store that does not reach it has lost something. It is not flushed: it only has to outlive
 * the process, and whatever of it reaches the disk was true.
 *
 * Beside the number it says what the store held then, so that a daemon after one that was killed need not count
 * its rows again.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { createPrivateFile } from './private-file.ts'
import type { Totals } from './totals.ts'

/** `<epoch> <seq> <frames> <bytes>`, always of one length, so that a later mark covers an earlier one. */
const PATTERN = /^([0-9a-f]{8}) (\d{16})(?: (\d{16}) (\d{16}))? *$/
const NUMBER_LENGTH = 16
const LENGTH = 59

/** What the file says of one epoch. */
export interface Mark {
  /** The last number committed; 0 when nothing is known of it. */
  readonly seq: number
  /** What the store held after that commit, and after what was forgotten since; undefined when nobody knows. */
  readonly totals: Totals | undefined
}

const NOTHING_KNOWN: Mark = { seq: 0, totals: undefined }

export class HighWaterMark {
  readonly #fd: number
  #isOpen = true

  /** The mark of a store. @throws Error as the constructor */
  static beside(storePath: string): HighWaterMark {
    return new HighWaterMark(storePath.replace(/\.db$/, '.mark'))
  }

  /** @throws Error with the system's code when the file cannot be had */
  constructor(path: string) {
    createPrivateFile(path)
    this.#fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW)
  }

  /** What this file knows of an epoch. */
  read(epoch: string): Mark {
    const buffer = Buffer.alloc(LENGTH)
    const length = readSync(this.#fd, buffer, 0, LENGTH, 0)
    const [, marked, seq, frames, bytes] = PATTERN.exec(buffer.toString('latin1', 0, length)) ?? []
    if (marked !== epoch) return NOTHING_KNOWN
    const totals = frames === undefined ? undefined : { frames: Number(frames), bytes: Number(bytes) }
    return { seq: Number(seq), totals }
  }

  /**
   * @param totals - undefined while they are about to change without a new number
   * @throws Error with the system's code; the commit it was to mark stands all the same
   */
  advance(epoch: string, seq: number, totals?: Totals): void {
    const words = totals === undefined ? [seq] : [seq, totals.frames, totals.bytes]
    const text = [epoch, ...words.map((word) => String(word).padStart(NUMBER_LENGTH, '0'))].join(' ')
    writeSync(this.#fd, text.padEnd(LENGTH), 0, 'latin1')
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd)
    this.#isOpen = false
  }
}
