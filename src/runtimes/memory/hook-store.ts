/**
 * The files in which hooks remember: one per runtime session, 0600, in `hooks` beside the socket.
 *
 * Several hooks of one session may run at once. A change is read, made and written under a lock that is a file
 * of its own, and replaces the file by a rename, so that a reader never sees half of one.
 *
 * @see docs/http.md §1; R-02
 */
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { fingerprint } from './fingerprint.ts'
import { formatHookState, parseHookState } from './hook-state-text.ts'
import type { HookState } from './hook-state.ts'
import { readOwnFile } from '../../host/files/own-file.ts'
import { ensurePrivateDirectory, type Environment } from '../../host/config/paths.ts'

/** A change takes less than a millisecond; one that still holds the lock after this has died of something. */
const LOCK_STALE_MS = 1_000

/** A hook that hands messages over may take as long as a hook may live. */
const CLAIM_STALE_MS = 3_000

/** How long to try for the lock, and how often. */
const LOCK_TRIES = 40
const LOCK_PAUSE_MS = 5

/** Files looked at in one go; a machine has tens of sessions. */
const MAX_FILES = 512

/** How far a session is followed from one id to the next. */
const MAX_HEIRS = 16

/** What hooks remember, on disk. */
export class HookStore {
  readonly directory: string
  readonly #environment: Environment
  #isSafe = false

  /** @param socketPath - of the daemon; absolute */
  constructor(environment: Environment, socketPath: string) {
    this.#environment = environment
    this.directory = join(dirname(socketPath), 'hooks')
  }

  /** The file of a session. A pure function of both, so that other programs of ours find it too. */
  static fileName(runtime: string, sessionId: string): string {
    return `${runtime}-${fingerprint(`${runtime}:${sessionId}`).slice(0, 32)}.json`
  }

  /** @returns undefined when nothing is remembered, or nothing that may be trusted */
  read(fileName: string): HookState | undefined {
    const file = readOwnFile(join(this.directory, fileName), this.#environment.uid)
    return file.kind === 'text' ? parseHookState(file.text) : undefined
  }

  /** What is remembered of a session or of whoever carries it on. */
  find(runtime: string, sessionId: string): HookState | undefined {
    let state = this.read(HookStore.fileName(runtime, sessionId))
    for (let step = 0; state?.heir !== undefined && step < MAX_HEIRS; step += 1) {
      state = this.read(HookStore.fileName(runtime, state.heir))
    }
    return state
  }

  /** Whether the session of one address carries on that of another, under whatever ids between them. */
  carriesOn(address: string, predecessor: string): boolean {
    let state = this.list().find((one) => one.address === predecessor)
    for (let step = 0; state?.heir !== undefined && step < MAX_HEIRS; step += 1) {
      state = this.read(HookStore.fileName(state.runtime, state.heir))
      if (state?.address === address) return true
    }
    return false
  }

  /** Every session of which something is remembered, within the bound. */
  list(): readonly HookState[] {
    let names: readonly string[]
    try {
      names = readdirSync(this.directory)
    } catch {
      return []
    }
    const files = names.filter((name) => name.endsWith('.json')).slice(0, MAX_FILES)
    return files.map((name) => this.read(name)).filter((state) => state !== undefined)
  }

  /**
   * Changes what is remembered. Two changes never mix.
   *
   * @param change - gets what is there; what it gives is written, undefined leaves it alone
   * @returns what is there afterwards; undefined also when the lock was not to be had in time
   * @throws HostRefusal when the directory is not private
   */
  update(
    fileName: string,
    change: (state: HookState | undefined) => HookState | undefined,
  ): HookState | undefined {
    this.#requireDirectory()
    const lock = this.#lock(fileName)
    if (lock === undefined) return undefined
    try {
      const before = this.read(fileName)
      const after = change(before)
      if (after === undefined) return before
      this.#write(fileName, formatHookState(after))
      return after
    } finally {
      lock.release()
    }
  }

  /** Takes a right that only one process of a session may have at a time; undefined when another has it. */
  claim(fileName: string, purpose: string): Claim | undefined {
    this.#requireDirectory()
    return takeClaim(join(this.directory, `${fileName}.${purpose}`), CLAIM_STALE_MS)
  }

  /** Forgets a session. */
  remove(fileName: string): void {
    tryUnlink(join(this.directory, fileName))
  }

  #requireDirectory(): void {
    if (!this.#isSafe) ensurePrivateDirectory(this.directory, this.#environment)
    this.#isSafe = true
  }

  #lock(fileName: string): Claim | undefined {
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      const lock = takeClaim(join(this.directory, `${fileName}.lock`), LOCK_STALE_MS)
      if (lock !== undefined) return lock
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS)
    }
    return undefined
  }

  #write(fileName: string, content: string): void {
    const draft = join(this.directory, `${fileName}.${process.pid}.new`)
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
    const file = openSync(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
    try {
      writeSync(file, content)
    } finally {
      closeSync(file)
    }
    renameSync(draft, join(this.directory, fileName))
  }
}

/** A right held until it is released. */
export interface Claim {
  readonly release: () => void
}

/** Whoever makes the file has the right; one that is too old was left behind. */
function takeClaim(path: string, staleMs: number): Claim | undefined {
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

function tryUnlink(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already, or the next one finds it stale.
  }
}
