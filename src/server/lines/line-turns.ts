/**
 * Lines in turns of the event loop: one read has twenty thousand short ones, and to refuse them all at once left nobody
 * else a word for as long.
 *
 * Only refusals are counted. What is accepted is as long as a frame, so one read has a few hundred of it at the most, and
 * they are to share one commit.
 *
 * @see R-51; HD-10
 */
import type { Line, LineSplitter } from '../../core/text/lines.ts'

/** Lines of one sender that are refused before others have their turn. */
export const REFUSALS_PER_TURN = 256

export class LineTurns {
  readonly #lines: LineSplitter
  #left = REFUSALS_PER_TURN
  #rest: Generator<Line, void, undefined> | undefined
  #restOctets = 0

  constructor(lines: LineSplitter) {
    this.#lines = lines
  }

  /** Whether there may be lines for another turn: nothing more may be fed until they are taken. */
  get isBusy(): boolean {
    return this.#rest !== undefined
  }

  /** The size of a chunk that has lines for another turn, in octets. */
  get heldOctets(): number {
    return this.#restOctets
  }

  /** The next piece of what is sent, when nothing is left of the one before. */
  feed(chunk: Buffer): void {
    this.#rest = this.#lines.feed(chunk)
    this.#restOctets = chunk.length
  }

  /** @returns the next line; undefined when there is none, or none in this turn @throws LineTooLong as the splitter does */
  next(): Line | undefined {
    if (this.#rest === undefined || this.#left === 0) return undefined
    const { value } = this.#rest.next()
    if (value === undefined) this.drop()
    return value ?? undefined
  }

  /** The line that was taken is refused. */
  refuse(): void {
    this.#left -= 1
  }

  /** Another turn begins. */
  renew(): void {
    this.#left = REFUSALS_PER_TURN
  }

  /** What is left is not wanted any more. */
  drop(): void {
    this.#rest = undefined
    this.#restOctets = 0
  }
}
