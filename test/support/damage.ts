/**
 * Ways to damage a file, as disks and people do. Never on one that this process has open: closing it again would
 * drop SQLite's locks.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { requireDriver } from './rings.ts'
import type { TempDir } from './temp-dir.ts'

/** Takes back what version 5 added. */
export const WITHOUT_ORIGINS = `
  ALTER TABLE frames DROP COLUMN origin; ALTER TABLE mailboxes DROP COLUMN holes; DROP TABLE marks;
  DROP TABLE link_cursors; DROP TABLE link_acks; DROP TABLE reports; DROP TABLE remote_receipts; DROP TABLE holes;
`

/** Runs SQL on a database, as somebody with a tool of their own does. */
export async function alterDatabase(path: string, statements: string): Promise<void> {
  const driver = await requireDriver()
  const database = new driver(path)
  database.exec(statements)
  database.close()
}

/** Flips one bit. */
export function flipBit(path: string, offset: number, bit = 0): void {
  const file = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, offset)
  byte[0] = (byte[0] ?? 0) ^ (1 << bit)
  writeSync(file, byte, 0, 1, offset)
  closeSync(file)
}

/** Fills part of a file with zeros. */
export function zero(path: string, offset: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length), 0, length, offset)
  closeSync(file)
}

export function truncate(path: string, length: number): void {
  truncateSync(path, length)
}

export function sizeOf(path: string): number {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  closeSync(file)
  return size
}

/** Where a needle stands in a file; -1 when it does not. */
export function offsetOf(path: string, needle: string): number {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(fstatSync(file).size)
  readSync(file, bytes, 0, bytes.length, 0)
  closeSync(file)
  return bytes.indexOf(needle)
}

/**
 * Copies the store out from under the process that has it open: what kill -9 would leave, since what was
 * written is the kernel's.
 */
export function copyStore(from: TempDir, to: TempDir): void {
  for (const name of ['ring.db', 'ring.db-wal', 'ring.mark']) {
    if (existsSync(from.file(name))) copyFileSync(from.file(name), to.file(name))
  }
}
