/**
 * What still waits for sessions whose lease ran out: an agent that comes back, or its successor, finds it.
 */
import type { Mailbox } from './mailbox.ts'

/** Mailboxes that are kept so; the one left longest ago goes first. As many as there may be sessions by default. */
export const MAX_ORPHANED = 4_096

export class OrphanedMailboxes {
  readonly #byAddress = new Map<string, Mailbox>()
  readonly #onGone: (mailbox: Mailbox) => void

  /** @param onGone - told of each that is not kept any longer */
  constructor(onGone: (mailbox: Mailbox) => void) {
    this.#onGone = onGone
  }

  /** Keeps what waits, and lets go of what retention has emptied meanwhile. @returns false for nothing */
  leave(mailbox: Mailbox): boolean {
    // Perhaps it was shown, perhaps not: whoever carries on is told so.
    mailbox.handed.takeBack()
    for (const [left, mail] of this.#byAddress) if (mail.unread === 0) this.#let(left, mail)
    if (mailbox.unread === 0) return false
    mailbox.close()
    this.#byAddress.set(mailbox.address, mailbox)
    const [oldest] = this.#byAddress
    if (oldest !== undefined && this.#byAddress.size > MAX_ORPHANED) this.#let(...oldest)
    return true
  }

  all(): Iterable<Mailbox> {
    return this.#byAddress.values()
  }

  /** Hands it over, once. */
  take(address: string): Mailbox | undefined {
    const left = this.#byAddress.get(address)
    this.#byAddress.delete(address)
    return left
  }

  /** The sequence began anew: the places name nothing any more. */
  clear(): void {
    this.#byAddress.clear()
  }

  #let(address: string, mailbox: Mailbox): void {
    this.#byAddress.delete(address)
    this.#onGone(mailbox)
  }
}
