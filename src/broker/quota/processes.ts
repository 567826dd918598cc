/**
 * Processes that are told apart by what the kernel calls them, as objects that quotas are kept by.
 */
import { BoundedMap } from '../../core/collections/bounded.ts'

/** Processes that are told apart; the longest silent goes first, and has its burst again. */
export const MAX_PROCESSES = 4_096

/** Processes that are forgotten together. */
const FORGOTTEN_AT_ONCE = 256

export class Processes {
  readonly #byPid = new BoundedMap<number, object>({ most: MAX_PROCESSES, atOnce: FORGOTTEN_AT_ONCE })
  /** The last one asked for: most submissions are followed by another of the same process. */
  #last: { readonly pid: number; readonly process: object } | undefined

  /** What stands for a process; the same for every connection of it. */
  of(pid: number): object {
    if (this.#last?.pid === pid) return this.#last.process
    const process = this.#byPid.get(pid) ?? {}
    this.#byPid.set(pid, process)
    this.#last = { pid, process }
    return process
  }
}
