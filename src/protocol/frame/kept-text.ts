/**
 * A string that something is asked of, and the last one that was accepted in the same place: the frames of one sender carry
 * the same handles again and again, and what was good once is good again.
 */
import { NO, endOfString, startsWith } from '../../core/text/octets.ts'

const QUOTE = 0x22

/** Longer ones are not kept, in octets. */
const MAX_KEPT = 64

const NOTHING = Buffer.alloc(0)

export class KeptText {
  /** What was accepted last: a text of its own, that keeps nothing of what it was cut out of. */
  text = ''
  readonly #accepts: (text: string) => boolean
  readonly #room = Buffer.alloc(MAX_KEPT)
  #octets: Buffer = NOTHING

  constructor(accepts: (text: string) => boolean) {
    this.#accepts = accepts
  }

  /** @returns behind its end; {@link NO} where what stands there is not taken */
  scan(octets: Buffer, at: number): number {
    if (octets[at] !== QUOTE) return NO
    const start = at + 1
    const known = start + this.#octets.length
    if (octets[known] === QUOTE && known > start && startsWith(octets, start, this.#octets)) return known + 1
    const end = endOfString(octets, start)
    if (end === NO) return NO
    const text = octets.toString('utf8', start, end)
    if (!this.#accepts(text)) return NO
    this.text = text
    this.#keep(octets, start, end)
    return end + 1
  }

  #keep(octets: Buffer, start: number, end: number): void {
    const length = end - start
    if (length > MAX_KEPT) {
      this.#octets = NOTHING
      return
    }
    for (let i = 0; i < length; i += 1) this.#room[i] = octets[start + i] ?? 0
    if (this.#octets.length !== length) this.#octets = this.#room.subarray(0, length)
  }
}
