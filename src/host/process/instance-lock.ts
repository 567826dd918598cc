/**
 * The right to be the one daemon of this user.
 *
 * Two things can give it: a lock the kernel drops with the process (`store/file/lock-database.ts`, preferred), and
 * the lock file here for machines without SQLite.
 *
 * @see docs/reliability.md §1.2
 */
import { linkSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { describeNobody, describeSelf, ownerState } from './lock-owner.ts'

/** A held right. `release` gives it back and is harmless when repeated. */
export interface InstanceLock {
  release(): Promise<void>
}

/** What happened to a claim. Every caller must look. */
export type InstanceClaim =
  | { readonly kind: 'claimed'; readonly lock: InstanceLock }
  | { readonly kind: 'taken' }

/** Who is told, once, that the lock went to somebody else: drain and exit, there may be a second daemon. */
export interface LockFileOptions {
  readonly onLost: (reason: Error) => void
}

/** An owner that cannot be seen from here has to renew its claim this often; shorter, and a sleep looks like death. */
const STALE_MS = 60_000

/** How often the holder renews, and looks whether it still is the holder. */
const RENEW_MS = 10_000

/** How often to look again when another was faster: each time somebody else has got further. */
const MAX_TRIES = 16

/** The name of a claim: its number. */
const CLAIM = /^\d{1,15}$/

/** How the name of a claim begins that has no number yet. */
const DRAFT = 'draft.'

/**
 * Claims a lock file at `path`: a directory, 0700, of numbered claims. The highest one counts.
 *
 * A claim is made under the next number, when the process behind the highest is seen to be gone; whoever then finds a
 * higher one than his own withdraws. Since the highest is never removed, no two can both find that they have it: one
 * that decided on an old sight of the directory finds what came meanwhile. A claim says whose it is from its first
 * moment, so one that does not was cut short by a crash, and is nobody's.
 *
 * @param path - in a directory that exists and is private
 * @throws Error with the system's code
 */
export async function claimLockFile(path: string, options: LockFileOptions): Promise<InstanceClaim> {
  ensureDirectory(path)
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const highest = highestIn(path)
    if (highest > 0 && isHeld(join(path, String(highest)))) return { kind: 'taken' }
    const mine = highest + 1
    if (!make(path, mine)) continue
    if (highestIn(path) === mine) {
      removeBelow(path, mine)
      return { kind: 'claimed', lock: hold(path, mine, options) }
    }
    rmSync(join(path, String(mine)), { force: true })
  }
  return { kind: 'taken' }
}

function ensureDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}

/** 0 when there is none. */
function highestIn(path: string): number {
  return Math.max(0, ...numbersIn(path))
}

function numbersIn(path: string): readonly number[] {
  return readdirSync(path)
    .filter((name) => CLAIM.test(name))
    .map(Number)
}

function isHeld(claim: string): boolean {
  const state = ownerState(claim)
  if (state !== 'unknown') return state === 'alive'
  const found = statSync(claim, { throwIfNoEntry: false })
  return found === undefined || Date.now() - found.mtimeMs < STALE_MS
}

/** @returns false when another has made it, or has won meanwhile and removed the draft */
function make(path: string, mine: number): boolean {
  const draft = join(path, `${DRAFT}${process.pid}.${process.hrtime.bigint()}`)
  try {
    writeFileSync(draft, describeSelf(), { flag: 'wx', mode: 0o600 })
    linkSync(draft, join(path, String(mine)))
    return true
  } catch (error) {
    if (!/^E(EXIST|NOENT)$/.test(systemErrorCode(error) ?? '')) throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** And what starters left that were killed before they had a number. */
function removeBelow(path: string, mine: number): void {
  const drafts = readdirSync(path).filter((name) => name.startsWith(DRAFT))
  for (const draft of drafts) rmSync(join(path, draft), { force: true })
  for (const number of numbersIn(path)) if (number < mine) rmSync(join(path, String(number)), { force: true })
}

/** Renews the claim until it is given back or lost. */
function hold(path: string, mine: number, { onLost }: LockFileOptions): InstanceLock {
  const claim = join(path, String(mine))
  const timer = setInterval(() => {
    const fault = renew(path, mine)
    if (fault === undefined) return
    clearInterval(timer)
    onLost(fault)
  }, RENEW_MS)
  timer.unref()
  return {
    release: async () => {
      clearInterval(timer)
      giveBack(claim)
    },
  }
}

/** @returns why it is lost */
function renew(path: string, mine: number): Error | undefined {
  try {
    const now = new Date()
    utimesSync(join(path, String(mine)), now, now)
    return highestIn(path) === mine ? undefined : new Error(`The lock ${path} went to another process.`)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    // A system in need says nothing about the lock; the next time it may.
    return code === 'ENOENT' ? new Error(`The lock ${path} was removed.`, { cause: error }) : undefined
  }
}

/** The highest claim stays, so that none is ever made under its number again; one that is gone already was another's to remove. */
function giveBack(claim: string): void {
  try {
    writeFileSync(claim, describeNobody(), { flag: 'r+' })
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}
