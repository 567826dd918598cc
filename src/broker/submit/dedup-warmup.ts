/**
 * What was accepted before this daemon's time, taken over bit by bit: nobody has to wait for it at the start, and
 * nothing is compared with it, or lost from it, before all of it is there.
 *
 * @see R-14, ACQ-25
 */
import { AgentdError } from '../../core/errors.ts'
import { OWN_WORK, type Background } from '../ring/background.ts'
import type { RecentPage, RecentPast } from '../session/ledger.ts'

/** Whoever remembers submissions, and takes over those of the last daemon. */
interface Heir {
  inherit(page: RecentPage): void
}

export class DedupWarmup {
  /** Undefined when all of it has been taken over. */
  #past: RecentPast | undefined
  readonly #heir: Heir

  constructor(past: RecentPast, heir: Heir) {
    this.#past = past
    this.#heir = heir
  }

  /** All that is left, now. @throws AgentdError when the disk refuses; it can be asked again */
  finish(): void {
    while (this.#past !== undefined) this.#step()
  }

  /** All that is left, a page per turn of the loop. What the disk refuses is left to `finish`. */
  async goOn(background: Background): Promise<void> {
    try {
      await background.until(() => this.#step() || undefined, OWN_WORK)
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
    }
  }

  /** @returns whether there is nothing left */
  #step(): boolean {
    const page = this.#past?.nextPage()
    if (page === undefined) this.#past = undefined
    else this.#heir.inherit(page)
    return page === undefined
  }
}
