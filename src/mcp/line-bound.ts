/**
 * Lines of a bounded length: one that is too long is left out, and those behind it still come through.
 *
 * Without it, one huge message would end the connection, and with it the session's only way to its peers.
 */
import { Transform, type TransformCallback } from 'node:stream'

const LINE_FEED = 0x0a

/** What is done besides passing lines on. */
export interface LineRules {
  readonly maxOctets: number
  /** Called once for every line that was left out. */
  readonly onDropped: () => void
  /** Whether a line, its end included, is somebody else's; it goes no further then. */
  readonly takes: (line: Buffer) => boolean
  /** Told what an unfinished line holds, in octets; throws where that is more than may be held. */
  readonly holds: (octets: number) => void
  /** Calls back when more may come in. */
  readonly onceRead: (goOn: () => void) => void
}

/** Passes whole lines on, in order; a last line without its end is dropped with the stream. */
export class LineBound extends Transform {
  readonly #rules: LineRules
  #parts: Buffer[] = []
  #octets = 0
  /** The line at hand is too long already: everything up to its end is left out. */
  #isDropping = false

  constructor(rules: LineRules) {
    super()
    this.#rules = rules
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#take(chunk.subarray(start, end + 1))
      this.#endLine()
      start = end + 1
    }
    this.#take(chunk.subarray(start))
    try {
      this.#rules.holds(this.#octets)
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)))
    }
    // Who does not read the answers is not read from either: neither side's queue can grow.
    this.#rules.onceRead(done)
  }

  #take(part: Buffer): void {
    if (this.#isDropping || part.length === 0) return
    this.#parts.push(part)
    this.#octets += part.length
    if (this.#octets <= this.#rules.maxOctets) return
    this.#parts = []
    this.#octets = 0
    this.#isDropping = true
    this.#rules.onDropped()
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts)
    if (!this.#isDropping && !this.#rules.takes(line)) this.push(line)
    this.#parts = []
    this.#octets = 0
    this.#isDropping = false
  }
}
