/**
 * Texts of one length and of plain characters, in rows of octets: a hundred thousand digests are one object.
 */

/** Rows there is room for at first. */
const FIRST_ROOM = 256

export class FixedTexts {
  readonly #length: number
  #octets: Buffer
  /** By row, those of another length. */
  readonly #others = new Map<number, string>()

  /** @param length - characters of each, all of them below U+0100 */
  constructor(length: number) {
    this.#length = length
    this.#octets = Buffer.alloc(FIRST_ROOM * length)
  }

  set(row: number, text: string): void {
    const at = row * this.#length
    if (at >= this.#octets.length) this.#grow(row)
    if (this.#others.size > 0) this.#others.delete(row)
    if (text.length === this.#length) this.#octets.write(text, at, 'latin1')
    else this.#others.set(row, text)
  }

  isAt(row: number, text: string): boolean {
    const other = this.#others.get(row)
    if (other !== undefined || text.length !== this.#length) return other === text
    const at = row * this.#length
    return this.#octets.toString('latin1', at, at + this.#length) === text
  }

  #grow(row: number): void {
    const octets = Buffer.alloc(Math.max(2 * this.#octets.length, (row + 1) * this.#length))
    this.#octets.copy(octets)
    this.#octets = octets
  }
}
