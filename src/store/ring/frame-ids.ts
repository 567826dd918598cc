/**
 * Where each frame is, by its id. Kept in memory: ids are random, and an index of them on disk would cost more
 * than the frames.
 *
 * Nothing is kept until somebody asks, and then only what came since is added: frames are accepted by the
 * hundred thousand, and few are ever looked for by their id. Those are mostly new, so the whole ring is only read
 * for one that is not among the newest, and in pages: whoever can wait lets others have their turn between them.
 */
import type { FrameId } from '../rows/row.ts'

/** Where ids are learned from. */
export interface IdSource {
  /** The newest, which are in memory already; any number of them, in order. */
  readonly newest: () => Iterable<FrameId>
  /** Those of frames that are retained after a place. */
  readonly after: (seq: number) => Iterable<FrameId>
  /**
   * A page of everything retained. Each page lies wholly behind the place it is asked for, and only behind the last
   * is there an empty one.
   */
  readonly page: (afterSeq: number) => readonly FrameId[]
}

/** What the ring holds just now. */
export interface Held {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly count: number
}

/** Ids added between two sweeps at least: a sweep looks at all of them, so many have to pay for one. */
const MIN_UNSWEPT = 1_024

export class FrameIds {
  readonly #seqs = new Map<string, number>()
  readonly #source: IdSource
  /** The newest frame whose id is known here. */
  #lastSeq = 0
  /** The place up to which older ones have been learned, page by page. */
  #pagedSeq = 0
  /** Whether all of those from before the first question are known as well. */
  #knowsOlder = false
  /** Ids added since those of frames that are gone were last taken out. */
  #unswept = 0

  constructor(source: IdSource) {
    this.#source = source
  }

  /**
   * The newest place an id was used at; the frame may be gone since. Reads what is not known yet.
   *
   * @param key - in lower case
   */
  find(key: string, held: Held): number | undefined {
    for (;;) {
      const known = this.findKnown(key, held)
      if (known !== undefined || this.learn(held)) return known
    }
  }

  /** As {@link find}, of the newest and of those that have been learned. */
  findKnown(key: string, held: Held): number | undefined {
    if (this.#lastSeq < held.lastSeq) {
      const { newest, after } = this.#source
      this.#add(this.#lastSeq === 0 ? newest() : after(this.#lastSeq), held)
      this.#lastSeq = held.lastSeq
    }
    return this.#seqs.get(key)
  }

  /**
   * Learns a page of older ones.
   *
   * @returns whether there was nothing left to learn
   */
  learn(held: Held): boolean {
    if (this.#knowsOlder) return true
    const page = this.#source.page(this.#pagedSeq)
    this.#add(page, held)
    for (const { seq } of page) if (seq > this.#pagedSeq) this.#pagedSeq = seq
    this.#knowsOlder = page.length === 0
    return this.#knowsOlder
  }

  /** Ids in memory, of frames that are gone too. */
  get size(): number {
    return this.#seqs.size
  }

  /** The store began anew. */
  clear(): void {
    this.#seqs.clear()
    this.#lastSeq = 0
    this.#pagedSeq = 0
    this.#knowsOlder = false
    this.#unswept = 0
  }

  #add(ids: Iterable<FrameId>, { firstSeq, count }: Held): void {
    for (const { seq, key } of ids) {
      // The same id may have been used again, once the dedup had forgotten it: the newest counts.
      if (seq > (this.#seqs.get(key) ?? 0)) this.#seqs.set(key, seq)
      this.#unswept += 1
    }
    if (this.#unswept > Math.max(MIN_UNSWEPT, count / 2)) this.#sweep(firstSeq)
  }

  #sweep(firstSeq: number): void {
    for (const [key, seq] of this.#seqs) if (seq < firstSeq) this.#seqs.delete(key)
    this.#unswept = 0
  }
}
