/**
 * One budget for what waits in memory, over all connections: bodies and lines that are not finished, requests behind
 * others, what a look back has found, answers that are not taken.
 *
 * Streams are not in it: each has a bound of its own (`limits.subscription_bytes`), and reads from the ring beyond it.
 *
 * @see; HD-09
 */
import { AgentdError } from '../../core/errors.ts'

/** What a request may hold and still be counted among the small ones: the largest frame, with its wrapper. */
const SMALL_OCTETS = 72 * 1024

/** Of the budget, what only the small ones may have: large bodies alone shut nobody's frames out. */
const SMALL_SHARE = 1 / 4

/** When it is worth while to come again, in milliseconds: whoever is slow is cut within seconds. */
const RETRY_MS = 1_000

/** The bound; read each time, because it may be reloaded. */
export interface MemoryBounds {
  /** Octets that may wait at once. */
  readonly waitingBytes: number
}

export class MemoryBudget {
  readonly #bounds: MemoryBounds
  #usedBytes = 0

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds
  }

  /** Octets that wait now. Over {@link maxBytes} by what may not be refused any more, such as the answer to a POST. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  get maxBytes(): number {
    return this.#bounds.waitingBytes
  }

  /** A new account, which holds nothing. */
  open(): MemoryCharge {
    return new MemoryCharge(this)
  }

  /** Whether somebody who holds so much may hold so much more. */
  hasRoom(heldOctets: number, moreOctets: number): boolean {
    const isSmall = heldOctets + moreOctets <= SMALL_OCTETS
    const limit = isSmall ? this.maxBytes : this.maxBytes * (1 - SMALL_SHARE)
    return this.#usedBytes + moreOctets <= limit
  }

  /** For {@link MemoryCharge} alone. */
  add(octets: number): void {
    this.#usedBytes += octets
  }
}

/** What one request, or one connection, holds. */
export class MemoryCharge {
  readonly #budget: MemoryBudget
  #heldOctets = 0
  #isReleased = false

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /**
   * Holds so much from now on, instead of what it held.
   *
   * @throws AgentdError `busy` when that is more than before and there is no room; nothing has changed then
   */
  hold(octets: number): void {
    const more = octets - this.#heldOctets
    if (more > 0 && !this.#budget.hasRoom(this.#heldOctets, more)) throw outOfMemory()
    this.owe(octets)
  }

  /** As {@link hold}, for what is there already and cannot be refused. */
  owe(octets: number): void {
    if (this.#isReleased) return
    this.#budget.add(octets - this.#heldOctets)
    this.#heldOctets = octets
  }

  /** It is over: nothing is held, now and later. */
  release(): void {
    this.owe(0)
    this.#isReleased = true
  }
}

function outOfMemory(): AgentdError {
  return new AgentdError(
    'busy',
    'As much waits in memory as may: bodies, lines and answers of all connections.',
    {
      retryAfterMs: RETRY_MS,
    },
  )
}
