/**
 * Lines of a bounded length: one that is too long is left out, and those behind it still come through.
 *
 * Without it, one huge message would end the connection, and with it the session's only way to its peers.
 */
import { Transform, type TransformCallback } from 'node:stream'

const LINE_FEED = 0x0a

/** Passes whole lines on, in order; a last line without its end is dropped with the stream. */
export class LineBound extends Transform {
  readonly #maxOctets: number
  readonly #onDropped: () => void
  #parts: Buffer[] = []
  #octets = 0
  /** The line at hand is too long already: everything up to its end is left out. */
  #isDropping = false

  /** @param onDropped - called once for every line that was left out */
  constructor(maxOctets: number, onDropped: () => void) {
    super()
    this.#maxOctets = maxOctets
    this.#onDropped = onDropped
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#take(chunk.subarray(start, end + 1))
      this.#endLine()
      start = end + 1
    }
    this.#take(chunk.subarray(start))
    done()
  }

  #take(part: Buffer): void {
    if (this.#isDropping || part.length === 0) return
    this.#parts.push(part)
    this.#octets += part.length
    if (this.#octets <= this.#maxOctets) return
    this.#parts = []
    this.#isDropping = true
    this.#onDropped()
  }

  #endLine(): void {
    if (!this.#isDropping) this.push(Buffer.concat(this.#parts))
    this.#parts = []
    this.#octets = 0
    this.#isDropping = false
  }
}
