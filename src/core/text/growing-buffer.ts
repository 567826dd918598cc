/**
 * Octets that come in pieces, in one piece: many small ones would cost a hundred times what they hold.
 */

/** What a first piece of room is, in octets. */
const LEAST_ROOM = 256

const NOTHING = Buffer.alloc(0)

export class GrowingBuffer {
  readonly #mostOctets: number
  #octets: Buffer = NOTHING
  #length = 0

  /** @param mostOctets - beyond which nobody appends; room is not made for more */
  constructor(mostOctets: number) {
    this.#mostOctets = mostOctets
  }

  /** Octets so far. */
  get length(): number {
    return this.#length
  }

  /** Octets there is room for, which is what it costs; less than twice its length, or a few hundred. */
  get room(): number {
    return this.#octets.length
  }

  /** Copies a piece, so that a view of a larger one does not pin that. */
  append(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#octets.length) this.#grow(length)
    piece.copy(this.#octets, this.#length)
    this.#length = length
  }

  /** What there is, which is the caller's from now on; it begins anew. */
  take(): Buffer {
    const whole = this.#octets.subarray(0, this.#length)
    this.#octets = NOTHING
    this.#length = 0
    return whole
  }

  #grow(length: number): void {
    const doubled = Math.min(this.#mostOctets, 2 * this.#octets.length)
    const grown = Buffer.allocUnsafeSlow(Math.max(length, doubled, LEAST_ROOM))
    this.#octets.copy(grown, 0, 0, this.#length)
    this.#octets = grown
  }
}
