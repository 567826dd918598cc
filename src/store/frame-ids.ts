/**
 * Where each frame is, by its id. Kept in memory: ids are random, and an index of them on disk would cost more
 * than the frames.
 *
 * Nothing is kept until somebody asks, and then only what came since is added: frames are accepted by the
 * hundred thousand, and few are ever looked for by their id. Those are mostly new, so the whole ring is only read
 * for one that is not among the newest.
 */

/** An id and its place. */
export interface FrameId {
  readonly seq: number
  readonly key: string
}

/** Where ids are learned from. */
export interface IdSource {
  /** The newest, which are in memory already; any number of them, in order. */
  readonly newest: () => Iterable<FrameId>
  /** Those of frames that are retained after a place. */
  readonly after: (seq: number) => Iterable<FrameId>
  /** Of everything retained, in any order. */
  readonly all: () => Iterable<FrameId>
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
  /** Whether those from before the first question are known as well. */
  #knowsOlder = false
  /** Ids added since those of frames that are gone were last taken out. */
  #unswept = 0

  constructor(source: IdSource) {
    this.#source = source
  }

  /**
   * The newest place an id was used at; the frame may be gone since.
   *
   * @param key - in lower case
   */
  find(key: string, held: Held): number | undefined {
    const { newest, after, all } = this.#source
    if (this.#lastSeq < held.lastSeq) this.#learn(this.#lastSeq === 0 ? newest() : after(this.#lastSeq), held)
    const known = this.#seqs.get(key)
    if (known !== undefined || this.#knowsOlder) return known
    this.#learn(all(), held)
    this.#knowsOlder = true
    return this.#seqs.get(key)
  }

  /** Ids in memory, of frames that are gone too. */
  get size(): number {
    return this.#seqs.size
  }

  /** The store began anew. */
  clear(): void {
    this.#seqs.clear()
    this.#lastSeq = 0
    this.#knowsOlder = false
    this.#unswept = 0
  }

  #learn(ids: Iterable<FrameId>, { firstSeq, lastSeq, count }: Held): void {
    for (const { seq, key } of ids) {
      // The same id may have been used again, once the dedup had forgotten it: the newest counts.
      if (seq > (this.#seqs.get(key) ?? 0)) this.#seqs.set(key, seq)
      this.#unswept += 1
    }
    this.#lastSeq = lastSeq
    if (this.#unswept > Math.max(MIN_UNSWEPT, count / 2)) this.#sweep(firstSeq)
  }

  #sweep(firstSeq: number): void {
    for (const [key, seq] of this.#seqs) if (seq < firstSeq) this.#seqs.delete(key)
    this.#unswept = 0
  }
}
