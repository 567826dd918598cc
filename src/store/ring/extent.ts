/**
 * The extent of the ring: from which place to which it reaches, and how much it holds.
 */
import type { OpenStore } from '../file/open.ts'
import type { Totals } from '../file/totals.ts'

export class Extent {
  /** Of the newest frame ever committed. */
  lastSeq: number
  /** Of the oldest frame still there; one past `lastSeq` when there is none. */
  firstSeq: number
  #frames: number
  #bytes: number

  constructor({ lastSeq, firstSeq, totals }: Pick<OpenStore, 'lastSeq' | 'firstSeq' | 'totals'>) {
    this.lastSeq = lastSeq
    this.firstSeq = firstSeq ?? lastSeq + 1
    this.#frames = totals.frames
    this.#bytes = totals.bytes
  }

  get totals(): Totals {
    return { frames: this.#frames, bytes: this.#bytes }
  }

  get frames(): number {
    return this.#frames
  }

  get bytes(): number {
    return this.#bytes
  }

  add({ frames, bytes }: Totals): void {
    this.#frames += frames
    this.#bytes += bytes
  }

  remove({ frames, bytes }: Totals): void {
    this.#frames -= frames
    this.#bytes -= bytes
  }

  /** The store began anew. */
  reset(): void {
    this.lastSeq = 0
    this.firstSeq = 1
    this.#frames = 0
    this.#bytes = 0
  }
}
