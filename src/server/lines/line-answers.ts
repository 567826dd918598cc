/**
 * Answers owed to a sender of lines, in the order of the lines; each is given when its turn is over.
 *
 * @see docs/http.md §§5, 9
 */

import { formatAnswer } from './answer-line.ts'

/** The answer to one line; undefined until the line's turn is over. */
interface Slot {
  text: string | undefined
}

export class LineAnswers {
  #slots: Slot[] = []
  #length = 0

  /** Characters of answers that are given and not written. */
  get length(): number {
    return this.#length
  }

  /** Whether nothing is owed. */
  get isEmpty(): boolean {
    return this.#slots.length === 0
  }

  /** A place for the answer to the next line. @returns what gives the answer */
  open(): (answer: object) => void {
    const slot: Slot = { text: undefined }
    this.#slots.push(slot)
    return (answer) => {
      slot.text = formatAnswer(answer)
      this.#length += slot.text.length
    }
  }

  /** Takes every answer that is given and has no other before it that is not, as lines. */
  take(): string {
    const open = this.#slots.findIndex(({ text }) => text === undefined)
    const given = open === -1 ? this.#slots : this.#slots.slice(0, open)
    this.#slots = open === -1 ? [] : this.#slots.slice(open)
    const text = given.map((slot) => slot.text).join('')
    this.#length -= text.length
    return text
  }
}
