/**
 * Newline-delimited JSON: bytes in any pieces, whole lines out, never more than one line in memory.
 */

import { GrowingBuffer } from './growing-buffer.ts'

/** What becomes of a line over the bound: the stream ends with it, or only its beginning is kept and reading goes on. */
export type LongLinePolicy = 'refuse' | 'cut'

/** A line with its number in the stream, counted from 1. */
export interface Line {
  /** Without its line break; cut to one octet over the bound when the whole was more. */
  readonly line: Buffer
  readonly number: number
}

/** A line that outgrew its bound; what follows it cannot be told apart any more. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** A streaming splitter. A trailing CR belongs to the line break; blank lines are skipped but counted. */
export class LineSplitter {
  readonly #rest: GrowingBuffer
  #count = 0
  readonly #maxBytes: number
  readonly #cuts: boolean

  constructor(maxBytes: number, policy: LongLinePolicy) {
    this.#maxBytes = maxBytes
    // One octet that tells of more, and a CR that may belong to the break.
    this.#rest = new GrowingBuffer(maxBytes + 2)
    this.#cuts = policy === 'cut'
  }

  /** Lines seen so far, the one being read not included. */
  get count(): number {
    return this.#count
  }

  /** Bytes of the unfinished line, as far as they are kept. */
  get pendingBytes(): number {
    return this.#rest.length
  }

  /** What the unfinished line costs in memory, in octets. */
  get heldBytes(): number {
    return this.#rest.room
  }

  /**
   * @returns the lines this chunk completed; each is a part of the chunk where the chunk has all of it
   * @throws LineTooLong when a line, finished or not, is over the bound and is not to be cut
   */
  *feed(chunk: Buffer): Generator<Line, void, undefined> {
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

  /** The last line, when the stream ended without a line break. @throws LineTooLong as {@link feed} */
  end(): Line | undefined {
    const line = this.#take(Buffer.alloc(0))
    if (line.length === 0) return undefined
    this.#count += 1
    return { line, number: this.#count }
  }

  #take(tail: Buffer): Buffer {
    const line = this.#rest.length === 0 ? tail : this.#whole(tail)
    const whole = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line
    if (whole.length <= this.#maxBytes) return whole
    if (!this.#cuts) throw tooLong()
    return whole.subarray(0, this.#maxBytes + 1)
  }

  #keep(tail: Buffer): void {
    const part = this.#cuts ? tail.subarray(0, this.#room) : tail
    if (part.length === 0) return
    // A last CR may turn out to belong to the break.
    const own = this.#rest.length + part.length - (part.at(-1) === CARRIAGE_RETURN ? 1 : 0)
    if (own > this.#maxBytes && !this.#cuts) throw tooLong()
    this.#rest.append(part)
  }

  #whole(tail: Buffer): Buffer {
    const rest = this.#rest.take()
    return tail.length === 0 ? rest : Buffer.concat([rest, tail])
  }

  /** Room for one octet that tells that there was more, and for a CR that may belong to the break. */
  get #room(): number {
    return this.#maxBytes + 2 - this.#rest.length
  }
}

function tooLong(): LineTooLong {
  return new LineTooLong('a line is over the size limit')
}
