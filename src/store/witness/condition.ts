/**
 * The condition of the store, as health tells it: what became of its file, and what was set aside.
 */
import type { Loss } from './witness.ts'

/** Its tables are of another version: damaged for this one, and perhaps sound for that. */
export class UnknownStore extends Error {
  override readonly name = 'UnknownStore'
  readonly code = 'SQLITE_CORRUPT'
}

export class Condition {
  readonly #path: string
  /** Set while the file is not at its place: nothing that is written outlives the process. */
  #loss: Loss | undefined
  /** Why it could not be put back when that was last tried. */
  #fault: string | undefined
  /** About another store, or a damaged one, that was set aside. */
  #aside: string | undefined

  constructor(path: string) {
    this.#path = path
  }

  get isKept(): boolean {
    return this.#loss === undefined
  }

  /** Sentences; none while all is well. */
  get details(): readonly string[] {
    const fault = this.#fault === undefined ? '' : `, and cannot be put back: ${this.#fault}`
    const loss = this.#loss && `Frames are kept in memory only: ${this.#path} ${this.#loss.why}${fault}.`
    return [loss, this.#aside].filter((sentence) => sentence !== undefined)
  }

  /** @param loss - undefined for what is at its place */
  found(loss: Loss | undefined): void {
    this.#loss = loss
    if (loss === undefined) this.#fault = undefined
  }

  cannotBePutBack(fault: string): void {
    this.#fault = fault
  }

  /** @param why - what was thrown when it was opened */
  isAside(path: string, why: unknown): void {
    this.#aside =
      why instanceof UnknownStore
        ? `A store of another version of agentd was set aside as ${path}; "agentd store adopt" of that version takes it back.`
        : `A damaged store was set aside as ${path}.`
  }

  otherIsAside(path: string): void {
    this.#aside = `Another store stood at the place of this one and is now ${path}.`
  }
}
