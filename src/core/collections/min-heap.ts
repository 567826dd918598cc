/**
 * A binary heap of numbers: the least of what is in it comes out first, each in logarithmic time.
 */

export class MinHeap {
  readonly #numbers: number[] = []

  push(number: number): void {
    let hole = this.#numbers.push(number) - 1
    while (hole > 0) {
      const above = (hole - 1) >> 1
      const parent = this.#numbers[above]
      if (parent === undefined || parent <= number) break
      this.#numbers[hole] = parent
      hole = above
    }
    this.#numbers[hole] = number
  }

  /** Takes the least out; undefined when there is nothing left. */
  pop(): number | undefined {
    const least = this.#numbers[0]
    const last = this.#numbers.pop()
    if (last !== undefined && this.#numbers.length > 0) this.#sink(last)
    return least
  }

  /** Puts a number where it belongs, from the top down. */
  #sink(number: number): void {
    let hole = 0
    for (;;) {
      const below = this.#lesserChild(hole)
      const child = this.#numbers[below]
      if (child === undefined || number <= child) break
      this.#numbers[hole] = child
      hole = below
    }
    this.#numbers[hole] = number
  }

  #lesserChild(hole: number): number {
    const left = 2 * hole + 1
    const [one, other] = [this.#numbers[left], this.#numbers[left + 1]]
    return one !== undefined && other !== undefined && other < one ? left + 1 : left
  }
}
