/**
 * What waits for a session that lives turn by turn.
 *
 * @see docs/http.md §7, AC-183
 */
import { LooseDrainReply, UnreadReply } from '../protocol/http/inbox-replies.ts'
import type { ForeignWish } from '../protocol/address/foreign.ts'
import type { Via } from '../protocol/http/requests.ts'
import type { Connection } from './http/connection.ts'
import { toDrained, type Drained } from './reply/inbox-results.ts'

/** What is taken from the mailbox, and how it is handed over. */
export interface DrainOptions {
  /** How many items at most; default 20. */
  readonly maxItems?: number | undefined
  /** How many octets of items at most; default 4 000: small, because an agent pays for every octet. */
  readonly maxBytes?: number | undefined
  /** `text` adds the digest that can be put before a model as it is. Default `json`. */
  readonly format?: 'json' | 'text' | undefined
  /** Look without taking: nothing is marked seen. */
  readonly peek?: boolean | undefined
  /** What was called `handed` before was shown (`seen`), or waits again (`returned`), before this one looks. */
  readonly handed?: 'seen' | 'returned' | undefined
  /** What they are from now on: `handed` until the next drain proves it or takes it back. Default `seen`. */
  readonly state?: 'seen' | 'handed' | undefined
  /** How the items reach their reader; goes into the senders' receipts. Default `inbox`. */
  readonly via?: Via | undefined
  /** What other principals sent over a link: `count` leaves it waiting and says how much of whom there is. Default `show`. */
  readonly foreign?: ForeignWish | undefined
  /** Gives up with the signal's reason; items of an answer on its way are lost. */
  readonly signal?: AbortSignal | undefined
}

/** How waiting is given up. */
export interface WaitOptions {
  /** Gives up with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A session's mailbox; the daemon refuses it to a session registered without one. */
export class Inbox {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Takes what waits, oldest first. Each item is handed over once; a lost answer loses its items. */
  async drain(options: DrainOptions = {}): Promise<Drained> {
    const { maxItems, maxBytes, format, peek, handed, state, via, foreign, signal } = options
    const body = { max_items: maxItems, max_bytes: maxBytes, format, peek, handed, state, via, foreign }
    return toDrained(await this.#connection.call({ route: 'drainInbox', body, signal }, LooseDrainReply))
  }

  /**
   * Waits until something is unread.
   *
   * @param timeoutMs - at most ten minutes
   * @returns how many items wait; 0 when the time was over first
   */
  async wait(timeoutMs: number, { signal }: WaitOptions = {}): Promise<number> {
    const query = { timeout_ms: timeoutMs }
    const { unread } = await this.#connection.call(
      { route: 'waitInbox', query, signal, holdMs: timeoutMs },
      UnreadReply,
    )
    return unread
  }
}
