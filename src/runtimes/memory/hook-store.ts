/**
 * The files in which hooks remember: one per runtime session, 0600, in `hooks` beside the socket.
 *
 * Several hooks of one session may run at once. A change is read, made and written under a lock that is a file
 * of its own, and replaces the file by a rename, so that a reader never sees half of one.
 *
 * @see docs/http.md §1; R-02
 */
import { closeSync, constants, lstatSync, openSync, readdirSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { takeClaim, tryUnlink, type Claim } from './claim.ts'
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

/** Files that are kept at the most, once a session begins; room for those that begin meanwhile. */
const KEPT_FILES = MAX_FILES / 2

/** A lock, a claim or a draft that is older than this was left behind; each lives for seconds. */
const LEFT_OVER_MS = 60_000

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
    const files = names.filter(isState).slice(0, MAX_FILES)
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

  /**
   * Removes what nobody needs any more: sessions of which nothing was heard for too long, what a killed hook has left, and
   * of the ended ones the oldest, so that those that live are within the bound of {@link list} (HD-22).
   *
   * @param keepMs - how long a session is remembered
   */
  sweep(nowMs: number, keepMs: number): void {
    const files = this.#ages(nowMs)
    for (const { name, ageMs } of files) {
      if (ageMs > (isState(name) ? keepMs : LEFT_OVER_MS)) tryUnlink(join(this.directory, name))
    }
    const kept = files.filter(({ name, ageMs }) => isState(name) && ageMs <= keepMs)
    const surplus = kept.length - KEPT_FILES
    if (surplus <= 0) return
    const ended = kept.filter(({ name }) => this.read(name)?.endedMs !== undefined)
    for (const { name } of ended.toSorted((a, b) => b.ageMs - a.ageMs).slice(0, surplus)) {
      tryUnlink(join(this.directory, name))
    }
  }

  #ages(nowMs: number): readonly { readonly name: string; readonly ageMs: number }[] {
    try {
      return readdirSync(this.directory).flatMap((name) => {
        const found = lstatSync(join(this.directory, name), { throwIfNoEntry: false })
        return found === undefined ? [] : [{ name, ageMs: nowMs - found.mtimeMs }]
      })
    } catch {
      return []
    }
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

function isState(name: string): boolean {
  return name.endsWith('.json')
}
