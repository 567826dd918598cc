/**
 * Lines of any length, within a bound: of one that is too long only its beginning is kept, and reading goes on
 * behind it.
 */

/** A line with its number, counted from 1. */
export interface BoundedLine {
  /** Without its line break; one octet over the bound when the whole was more. */
  readonly line: Buffer
  readonly number: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** A streaming splitter. A trailing CR belongs to the line break; blank lines are skipped but counted. */
export class BoundedLines {
  #kept: Buffer[] = []
  #keptOctets = 0
  #count = 0
  readonly #maxOctets: number

  constructor(maxOctets: number) {
    this.#maxOctets = maxOctets
  }

  /** @returns the lines that this chunk completed */
  *feed(chunk: Buffer): Generator<BoundedLine, void, undefined> {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start)
      if (end === -1) break
      this.#keep(chunk.subarray(start, end))
      start = end + 1
      const line = this.#take()
      if (line !== undefined) yield line
    }
    this.#keep(chunk.subarray(start))
  }

  /** @returns the last line, when there was no break behind it */
  end(): BoundedLine | undefined {
    return this.#take()
  }

  /** Room for one octet that tells that there was more, and for a CR that may belong to the break. */
  #keep(piece: Buffer): void {
    const room = this.#maxOctets + 2 - this.#keptOctets
    const part = piece.subarray(0, room)
    if (part.length === 0) return
    // A chunk is a view of a larger pool: copied, so that what is kept does not pin it.
    this.#kept.push(Buffer.from(part))
    this.#keptOctets += part.length
  }

  #take(): BoundedLine | undefined {
    const kept = Buffer.concat(this.#kept)
    this.#kept = []
    this.#keptOctets = 0
    this.#count += 1
    const whole = kept.at(-1) === CARRIAGE_RETURN ? kept.subarray(0, -1) : kept
    const line = whole.subarray(0, this.#maxOctets + 1)
    return line.length === 0 ? undefined : { line, number: this.#count }
  }
}
