/**
 * Where paths lead to and which repository they are in, without waiting for a disk.
 *
 * File systems are somebody else's: one that hangs takes a thread for as long as it hangs. So each look has a time, each
 * session a number of looks, and all of them together fewer than the threads there are; and answers are remembered, those
 * of a disk that did not answer too (OP-10).
 */
import { dirname } from 'node:path'
import type { Clock, Timer } from '../../core/clock.ts'
import { findCheckout, lookAt, realPath, type Checkout } from '../../host/repository.ts'

/** What is asked of the file system; a value, so that a test brings one that hangs. */
export interface FileSystem {
  readonly realPath: (path: string) => Promise<string>
  readonly findCheckout: (path: string) => Promise<Checkout | undefined>
  readonly lookAt: (path: string) => Promise<'file' | 'directory' | undefined>
}

/** Where a path is. */
export interface FoundPlace {
  /** Without links, as far as it exists. */
  readonly real: string
  readonly isDirectory: boolean
  readonly isFile: boolean
  /** Undefined outside of every repository. */
  readonly checkout: Checkout | undefined
}

/** How long one look may take, in milliseconds (OP-10). */
export const LOOK_MS = 100

/** Looks of one session at a time. */
export const MAX_SESSION_LOOKS = 2

/** Looks of all sessions at a time: of the sixteen threads the daemon has, some are left for everything else. */
export const MAX_LOOKS = 10

/** How long an answer is good, in milliseconds, and that none came. */
const GOOD_MS = 5_000
const HANGING_MS = 30_000

/** Answers that are remembered. */
const MAX_ANSWERS = 2_048

interface Answer {
  readonly place: FoundPlace | undefined
  readonly untilMs: number
}

export class Places {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly #files: FileSystem
  readonly #answers = new Map<string, Answer>()
  readonly #open = new Map<string, Promise<FoundPlace | undefined>>()
  readonly #bySession = new Map<string, number>()
  #looks = 0

  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'after'>,
    files: FileSystem = { realPath, findCheckout, lookAt },
  ) {
    this.#clock = clock
    this.#files = files
  }

  /**
   * Where a path is.
   *
   * @param path - absolute
   * @param session - whose looks are counted
   * @returns undefined when the disk does not answer in time, or too many looks are under way
   */
  find(path: string, session: string): Promise<FoundPlace | undefined> {
    const known = this.known(path)
    if (known !== undefined) return Promise.resolve(known.place)
    return this.#open.get(path) ?? this.#ask(path, session)
  }

  /** Whether a file or a folder is there; a disk that does not answer has none. */
  async isThere(path: string, session: string): Promise<boolean> {
    const found = await this.find(path, session)
    return found?.isDirectory === true || found?.isFile === true
  }

  /** What was found before and is still good; undefined where nothing is known. */
  known(path: string): { readonly place: FoundPlace | undefined } | undefined {
    const answer = this.#answers.get(path)
    return answer !== undefined && answer.untilMs > this.#clock.monotonicMs() ? answer : undefined
  }

  #ask(path: string, session: string): Promise<FoundPlace | undefined> {
    const own = this.#bySession.get(session) ?? 0
    if (own >= MAX_SESSION_LOOKS || this.#looks >= MAX_LOOKS) return Promise.resolve(undefined)
    this.#count(session, 1)
    let timer: Timer | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = this.#clock.after(LOOK_MS, () => {
        this.#remember(path, undefined, HANGING_MS)
        resolve(undefined)
      })
    })
    const answered = Promise.race([late, this.#lookToEnd(path, session).finally(() => timer?.cancel())])
    this.#open.set(path, answered)
    return answered
  }

  /** Remembered however late it comes: the disk answers again. */
  async #lookToEnd(path: string, session: string): Promise<FoundPlace | undefined> {
    let place: FoundPlace | undefined
    try {
      place = await this.#look(path)
    } catch {
      // Not ours to look at: it is nowhere.
    }
    this.#count(session, -1)
    this.#open.delete(path)
    this.#remember(path, place, GOOD_MS)
    return place
  }

  async #look(path: string): Promise<FoundPlace> {
    const real = await this.#files.realPath(path)
    const what = await this.#files.lookAt(real)
    const isDirectory = what === 'directory'
    const folder = isDirectory ? real : dirname(real)
    // Many files are in few folders.
    const known = isDirectory ? undefined : this.known(folder)?.place
    const checkout = known === undefined ? await this.#files.findCheckout(folder) : known.checkout
    if (!isDirectory && known === undefined) {
      this.#remember(folder, { real: folder, isDirectory: true, isFile: false, checkout }, GOOD_MS)
    }
    return { real, isDirectory, isFile: what === 'file', checkout }
  }

  #count(session: string, change: 1 | -1): void {
    this.#looks += change
    const own = (this.#bySession.get(session) ?? 0) + change
    if (own === 0) this.#bySession.delete(session)
    else this.#bySession.set(session, own)
  }

  #remember(path: string, place: FoundPlace | undefined, goodMs: number): void {
    this.#answers.delete(path)
    this.#answers.set(path, { place, untilMs: this.#clock.monotonicMs() + goodMs })
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS) return
      this.#answers.delete(oldest)
    }
  }
}
