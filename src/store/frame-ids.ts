/**
 * Where each frame is, by its id. Kept in memory: ids are random, and an index of them on disk would cost more
 * than the frames.
 */
export class FrameIds {
  /** At first of the frames this daemon has accepted itself, after the first miss of all. */
  readonly #seqs = new Map<string, number>()
  readonly #readAll: () => readonly { readonly seq: number; readonly frame_id: string }[]
  #knowsAll = false

  /** @param readAll - reads the ids of every retained frame; asked once, when an older one is first looked for */
  constructor(readAll: () => readonly { readonly seq: number; readonly frame_id: string }[]) {
    this.#readAll = readAll
  }

  /** @param frameId - in lower case */
  find(frameId: string): number | undefined {
    const known = this.#seqs.get(frameId)
    if (known !== undefined || this.#knowsAll) return known
    for (const { seq, frame_id: id } of this.#readAll()) {
      this.#seqs.set(id, Math.max(seq, this.#seqs.get(id) ?? 0))
    }
    this.#knowsAll = true
    return this.#seqs.get(frameId)
  }

  add(frameId: string, seq: number): void {
    this.#seqs.set(frameId, seq)
  }

  /** A frame is gone; the same id may have been used again since, once the dedup had forgotten it. */
  remove(frameId: string, seq: number): void {
    if (this.#seqs.get(frameId) === seq) this.#seqs.delete(frameId)
  }

  /** The store began anew. */
  clear(): void {
    this.#seqs.clear()
  }
}
