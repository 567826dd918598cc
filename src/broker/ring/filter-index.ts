/**
 * What stands at each place of a ring, as far as a filter looks: so that a look back reads what it wants, and not
 * all that lies between (HD-12).
 *
 * Two octets for each place, in memory: an index of kinds on disk would cost every frame a third of what writing it
 * costs. They stand in blocks, and a block says roughly what is in it, so that most are passed over whole.
 */
import { FactsTable, NO_FACTS, markOf, type Admitted, type IndexedFacts, type Search } from './facts-table.ts'

/** Places of one block. */
const BLOCK_PLACES = 1_024

interface Block {
  readonly codes: Uint16Array
  /** The marks of every number that has stood in it. */
  marks: number
}

/** An item and its place. */
export interface PlacedFacts extends IndexedFacts {
  readonly seq: number
}

export class FilterIndex {
  #facts = new FactsTable()
  readonly #blocks = new Map<number, Block>()
  /** The block that was written to last: most of what comes goes there. */
  #newest: { readonly number: number; readonly block: Block } | undefined
  /** The range of places known; there is nothing known while the first lies behind the last. */
  #firstSeq = 1
  #lastSeq = 0

  /** @param lastSeq - of the ring as it is: what comes next comes behind it */
  constructor(lastSeq = 0) {
    this.#firstSeq = lastSeq + 1
    this.#lastSeq = lastSeq
  }

  /** Everything from this place on is known. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** Octets held. */
  get bytes(): number {
    return this.#blocks.size * BLOCK_PLACES * Uint16Array.BYTES_PER_ELEMENT
  }

  /** The newest item of the ring, one place behind the last. */
  append(item: PlacedFacts): void {
    this.#put(item)
    this.#lastSeq = item.seq
  }

  /**
   * What lies before all that is known, any number of items.
   *
   * @param fromSeq - nothing else lies from here on
   */
  learn(items: Iterable<PlacedFacts>, fromSeq: number): void {
    for (const item of items) this.#put(item)
    this.#firstSeq = fromSeq
  }

  /** A place that holds nothing any more. */
  clear(seq: number): void {
    const block = this.#blocks.get(blockOf(seq))
    const code = block?.codes[seq % BLOCK_PLACES] ?? NO_FACTS
    if (block === undefined || code === NO_FACTS) return
    this.#facts.release(code)
    block.codes[seq % BLOCK_PLACES] = NO_FACTS
  }

  /** Nothing before this place is retained; it is let go of by the block. */
  dropBefore(seq: number): void {
    if (seq <= this.#firstSeq) return
    for (let number = blockOf(this.#firstSeq); number < blockOf(seq); number += 1) this.#dropBlock(number)
    this.#firstSeq = seq
  }

  /** The ring is another: what it holds up to its last place is to be learned. */
  reset(lastSeq: number): void {
    this.#facts = new FactsTable()
    this.#blocks.clear()
    this.#newest = undefined
    this.#firstSeq = lastSeq + 1
    this.#lastSeq = lastSeq
  }

  /** The first places behind one that hold what a search may want, in order. */
  after(seq: number, limit: number, search: Search): readonly number[] {
    const admitted = this.#facts.admitted(search)
    const found: number[] = []
    let next = Math.max(seq + 1, this.#firstSeq)
    while (next <= this.#lastSeq && found.length < limit) {
      const end = Math.min((blockOf(next) + 1) * BLOCK_PLACES, this.#lastSeq + 1)
      const codes = this.#codesWith(next, admitted)
      for (let at = codes === undefined ? end : next; at < end && found.length < limit; at += 1)
        if (admitted.codes[codes?.[at % BLOCK_PLACES] ?? NO_FACTS] === 1) found.push(at)
      next = end
    }
    return found
  }

  /** As {@link after}, before a place, newest first. */
  before(seq: number, limit: number, search: Search): readonly number[] {
    const admitted = this.#facts.admitted(search)
    const found: number[] = []
    let next = Math.min(seq - 1, this.#lastSeq)
    while (next >= this.#firstSeq && found.length < limit) {
      const end = Math.max(blockOf(next) * BLOCK_PLACES, this.#firstSeq)
      const codes = this.#codesWith(next, admitted)
      for (let at = codes === undefined ? -1 : next; at >= end && found.length < limit; at -= 1)
        if (admitted.codes[codes?.[at % BLOCK_PLACES] ?? NO_FACTS] === 1) found.push(at)
      next = end - 1
    }
    return found
  }

  /** The block of a place; undefined when there is none, or nothing in it that is wanted. */
  #codesWith(seq: number, { marks }: Admitted): Uint16Array | undefined {
    const block = this.#blocks.get(blockOf(seq))
    return block === undefined || (block.marks & marks) === 0 ? undefined : block.codes
  }

  #put(item: PlacedFacts): void {
    const block = this.#blockFor(blockOf(item.seq))
    const code = this.#facts.take(item)
    block.codes[item.seq % BLOCK_PLACES] = code
    block.marks |= markOf(code)
  }

  #blockFor(number: number): Block {
    if (this.#newest?.number === number) return this.#newest.block
    const block = this.#blocks.get(number) ?? { codes: new Uint16Array(BLOCK_PLACES), marks: 0 }
    this.#blocks.set(number, block)
    this.#newest = { number, block }
    return block
  }

  #dropBlock(number: number): void {
    const block = this.#blocks.get(number)
    if (block === undefined) return
    for (const code of block.codes) if (code !== NO_FACTS) this.#facts.release(code)
    this.#blocks.delete(number)
    if (this.#newest?.number === number) this.#newest = undefined
  }
}

function blockOf(seq: number): number {
  return Math.floor(seq / BLOCK_PLACES)
}
