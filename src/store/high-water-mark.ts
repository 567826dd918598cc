/**
 * The greatest number that was ever committed, in a file of its own beside the store.
 *
 * SQLite takes a damaged or shortened write-ahead log for one that ends earlier, and says nothing: frames would
 * be gone, and their numbers given out again. The mark is written after each commit and never
 * ahead of it, so a store that does not reach it has lost something. It is not flushed: it only has to outlive
 * the process, and whatever of it reaches the disk was true.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { createPrivateFile } from './private-file.ts'

/** `<epoch> <seq>`, always of one length, so that a later mark covers an earlier one. */
const PATTERN = /^([0-9a-f]{8}) (\d{16})$/
const LENGTH = 25

export class HighWaterMark {
  readonly #fd: number
  #isOpen = true

  /** @throws Error with the system's code when the file cannot be had */
  constructor(path: string) {
    createPrivateFile(path)
    this.#fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW)
  }

  /** The last number committed in an epoch, as far as this file knows; 0 when it says nothing of it. */
  seqOf(epoch: string): number {
    const buffer = Buffer.alloc(LENGTH)
    const length = readSync(this.#fd, buffer, 0, LENGTH, 0)
    const [, marked, seq] = PATTERN.exec(buffer.toString('latin1', 0, length)) ?? []
    return marked === epoch ? Number(seq) : 0
  }

  /** @throws Error with the system's code; the commit it was to mark stands all the same */
  advance(epoch: string, seq: number): void {
    writeSync(this.#fd, `${epoch} ${String(seq).padStart(16, '0')}`, 0, 'latin1')
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd)
    this.#isOpen = false
  }
}
