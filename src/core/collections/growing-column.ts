/**
 * A column of numbers with room for twice as many whenever that is full.
 */

/** Numbers there is room for at first. */
const FIRST_ROOM = 256

type Numbers = Float64Array | Uint32Array

export class GrowingColumn {
  readonly #make: new (length: number) => Numbers
  #numbers: Numbers

  constructor(make: new (length: number) => Numbers) {
    this.#make = make
    this.#numbers = new make(FIRST_ROOM)
  }

  /** The number in a row; 0 where none was put. */
  at(row: number): number {
    return this.#numbers[row] ?? 0
  }

  set(row: number, value: number): void {
    if (row >= this.#numbers.length) this.#grow(row)
    this.#numbers[row] = value
  }

  #grow(row: number): void {
    const numbers = new this.#make(Math.max(2 * this.#numbers.length, row + 1))
    numbers.set(this.#numbers)
    this.#numbers = numbers
  }
}
