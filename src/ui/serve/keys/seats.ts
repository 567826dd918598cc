/**
 * The tokens of browsers that have signed in: kept as digests, in memory, for a day at the most.
 *
 * A browser that finds somebody at the port after a broken connection asks for a proof before it says a word: what only
 * who holds the digest of its token can work out, and nobody can work the token out from.
 *
 * @see SEAT-16; docs/ui.md "What the listener allows"
 */
import { createHash, createHmac } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { newToken } from '../../../core/ids.ts'

/** How long a browser stays signed in, in milliseconds. */
export const SEAT_MS = 86_400_000

/** Browsers signed in at once; the one that came first goes. */
export const MAX_SEATS = 32

/** A browser that is signed in. */
export interface Seat {
  readonly digest: Buffer
  readonly openedMs: number
}

export class Seats {
  readonly #clock: Clock
  /** Digest in base64 → seat, in the order they came. */
  readonly #seats = new Map<string, Seat>()
  readonly #onEnd: (seat: Seat) => void

  /** @param onEnd - called once for each that ends, however it does */
  constructor(clock: Clock, onEnd: (seat: Seat) => void) {
    this.#clock = clock
    this.#onEnd = onEnd
  }

  /** @returns the token, which is told here and nowhere else */
  open(): string {
    this.#endLate()
    const [first] = this.#seats.values()
    if (this.#seats.size >= MAX_SEATS && first !== undefined) this.end(first)
    const token = newToken()
    const digest = digestOf(token)
    const seat = { digest, openedMs: this.#clock.monotonicMs() }
    this.#seats.set(digest.toString('base64'), seat)
    this.#clock.after(SEAT_MS, () => this.#endLate())
    return token
  }

  /** The living seat of a token. */
  find(token: string): Seat | undefined {
    this.#endLate()
    return this.#seats.get(digestOf(token).toString('base64'))
  }

  end(seat: Seat): void {
    if (this.#seats.delete(seat.digest.toString('base64'))) this.#onEnd(seat)
  }

  /** For each living seat what its browser expects, in base64url. */
  prove(nonce: string): readonly string[] {
    this.#endLate()
    return [...this.#seats.values()].map(({ digest }) =>
      createHmac('sha256', digest).update(nonce).digest('base64url'),
    )
  }

  #endLate(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const seat of this.#seats.values()) {
      if (nowMs - seat.openedMs >= SEAT_MS) this.end(seat)
    }
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
