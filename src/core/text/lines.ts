/**
 * Newline-delimited JSON: bytes in any pieces, whole lines out, never more than one line in memory.
 */

/** A line that outgrew its bound; what follows it cannot be told apart any more. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** A streaming splitter. A trailing CR belongs to the line break; blank lines are skipped but counted. */
export class LineSplitter {
  #rest: Buffer[] = []
  #restBytes = 0
  #count = 0
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Lines seen so far, the one being read not included. */
  get count(): number {
    return this.#count
  }

  /** Bytes of the unfinished line. */
  get pendingBytes(): number {
    return this.#restBytes
  }

  /**
   * @returns the lines this chunk completed, with their number in the stream, counted from 1
   * @throws LineTooLong when a line, finished or not, is over the bound
   */
  *feed(chunk: Buffer): Generator<{ line: Buffer; number: number }> {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start)
      if (end === -1) break
      const line = this.#take(chunk.subarray(start, end))
      start = end + 1
      this.#count += 1
      if (line.length > 0) yield { line, number: this.#count }
    }
    this.#keep(chunk.subarray(start))
  }

  /** The last line, when the stream ended without a line break. */
  end(): { line: Buffer; number: number } | undefined {
    const line = this.#take(Buffer.alloc(0))
    if (line.length === 0) return undefined
    this.#count += 1
    return { line, number: this.#count }
  }

  #take(tail: Buffer): Buffer {
    const line = this.#rest.length === 0 ? tail : Buffer.concat([...this.#rest, tail])
    this.#rest = []
    this.#restBytes = 0
    const whole = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line
    if (whole.length > this.#maxBytes) throw tooLong()
    return whole
  }

  #keep(tail: Buffer): void {
    if (tail.length === 0) return
    // A last CR may turn out to belong to the break.
    const own = this.#restBytes + tail.length - (tail.at(-1) === CARRIAGE_RETURN ? 1 : 0)
    if (own > this.#maxBytes) throw tooLong()
    // A chunk is a view of a larger pool: copied, so that a slow sender does not pin it.
    this.#rest.push(Buffer.from(tail))
    this.#restBytes += tail.length
  }
}

function tooLong(): LineTooLong {
  return new LineTooLong('a line is over the size limit')
}
