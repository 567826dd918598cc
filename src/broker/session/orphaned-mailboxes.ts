/**
 * What still waits for sessions whose lease ran out: an agent that comes back, or its successor, finds it.
 */
import type { Mailbox } from './mailbox.ts'

export class OrphanedMailboxes {
  readonly #byAddress = new Map<string, Mailbox>()

  /** Keeps what waits, and lets go of what retention has emptied meanwhile. @returns false for nothing */
  leave(address: string, mailbox: Mailbox | undefined): boolean {
    for (const [left, mail] of this.#byAddress) if (mail.unread === 0) this.#byAddress.delete(left)
    if (mailbox === undefined || mailbox.unread === 0) return false
    this.#byAddress.set(address, mailbox)
    return true
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
}
