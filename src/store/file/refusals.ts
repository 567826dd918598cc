/**
 * What a disk that refuses means to who asked: `store-full`, and a sentence in the health of the daemon.
 */
import { messageOf } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Logger } from '../../core/log.ts'
import { driverFailure } from '../driver/driver.ts'

/** How long a refused sender should wait, in milliseconds. */
const RETRY_MS = 1_000

export class Refusals {
  readonly #log: Logger
  /** Why the last turn was refused; cleared by the next that was not. */
  #reason: string | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** Sentences for the health; none while all is well. */
  get details(): readonly string[] {
    return this.#reason === undefined ? [] : [`The store refuses frames: ${this.#reason}.`]
  }

  clear(): void {
    this.#reason = undefined
  }

  /** Does it. @throws what {@link translate} makes of what it throws */
  translating(act: () => void): void {
    try {
      act()
    } catch (error) {
      throw this.translate(error)
    }
  }

  /**
   * A disk that refuses is the sender's to know, and so is a store that cannot be begun anew for whatever reason
   * (HD-14); anything else is a defect and goes to the top as it is.
   */
  translate(error: unknown): unknown {
    if (driverFailure(error) === undefined) return error
    this.#reason = messageOf(error)
    this.#log.error('store-refused', { message: this.#reason })
    const message = 'The store cannot take frames now; nothing was delivered. Send it again later.'
    return new AgentdError('store-full', message, { retryAfterMs: RETRY_MS, cause: error })
  }
}
