/**
 * A right that one process has at a time, as a file.
 */
import { lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/** A right held until it is released. */
export interface Claim {
  readonly release: () => void
}

/** Whoever makes the file has the right; one that is too old was left behind. @returns undefined when another has it */
export function takeClaim(path: string, staleMs: number): Claim | undefined {
  // Told apart by what it says: a file that is made anew may well have the inode of the one before.
  const owner = `${process.pid} ${performance.timeOrigin + performance.now()}`
  if (!makeFile(path, owner) && !(removeStale(path, staleMs) && makeFile(path, owner))) return undefined
  // Only our own file: had we been too slow, another may hold the right by now.
  return { release: () => readText(path) === owner && tryUnlink(path) }
}

function makeFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

function removeStale(path: string, staleMs: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return true
  if (Date.now() - found.mtimeMs < staleMs) return false
  // Moved aside first: of two that find it stale, one gets it.
  const aside = `${path}.${process.pid}.old`
  try {
    renameSync(path, aside)
  } catch {
    return false
  }
  tryUnlink(aside)
  return true
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Removes a file that may be gone already. */
export function tryUnlink(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already, or the next one finds it stale.
  }
}
