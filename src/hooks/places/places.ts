/**
 * Where paths lead to and which repository they are in, without waiting for a disk.
 *
 * File systems are somebody else's: one that hangs takes a thread for as long as it hangs. So looks are bounded, and answers
 * are remembered, those of a disk that did not answer too (OP-10).
 */
import { dirname } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { findCheckout, lookAt, realPath, type Checkout } from '../../host/repository.ts'
import { Looks } from './looks.ts'

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

/** How long an answer is good, in milliseconds, and that none came. */
export const GOOD_MS = 5_000
export const HANGING_MS = 30_000

/** Answers that are remembered, and how many are forgotten together. */
export const MAX_ANSWERS = 2_048
const FORGOTTEN_AT_ONCE = 64

/** What places are found with. */
export interface PlacesParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>
  /** On which file systems are asked. */
  readonly threads: number
  readonly files?: FileSystem | undefined
}

interface Answer {
  readonly place: FoundPlace | undefined
  readonly untilMs: number
}

export class Places {
  readonly #clock: PlacesParts['clock']
  readonly #files: FileSystem
  readonly #answers = new BoundedMap<string, Answer>({ most: MAX_ANSWERS, atOnce: FORGOTTEN_AT_ONCE })
  readonly #open = new Map<string, Promise<FoundPlace | undefined>>()
  /** The one bound of all looks at file systems. */
  readonly looks: Looks

  constructor({ clock, files = { realPath, findCheckout, lookAt }, threads }: PlacesParts) {
    this.#clock = clock
    this.looks = new Looks(clock, threads)
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
    const answered = this.looks.take({
      session,
      look: () => this.#lookToEnd(path),
      late: (isHanging) => {
        if (isHanging) this.#remember(path, undefined, HANGING_MS)
        else this.#open.delete(path)
      },
    })
    if (answered === undefined) return Promise.resolve(undefined)
    this.#open.set(path, answered)
    return answered
  }

  /** Remembered however late it comes: the disk answers again. */
  async #lookToEnd(path: string): Promise<FoundPlace | undefined> {
    let place: FoundPlace | undefined
    try {
      place = await this.#look(path)
    } catch {
      // Not ours to look at: it is nowhere.
    }
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
    // Of what is not there, the folder may not be there either.
    if (what === 'file' && known === undefined) {
      this.#remember(folder, { real: folder, isDirectory: true, isFile: false, checkout }, GOOD_MS)
    }
    return { real, isDirectory, isFile: what === 'file', checkout }
  }

  #remember(path: string, place: FoundPlace | undefined, goodMs: number): void {
    this.#answers.set(path, { place, untilMs: this.#clock.monotonicMs() + goodMs })
  }
}
