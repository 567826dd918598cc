/**
 * The newest frames in memory, in front of the disk: live reads and resumes after a short drop never touch it.
 */
import type { DeliveryRecord } from '../../broker/ring/delivery.ts'
import { PackedFrames } from '../../broker/ring/memory/packed-frames.ts'
import type { Retained } from '../../broker/ring/retained.ts'

/** Frames and octets of text the tail holds at the most; half a minute of a busy daemon. */
const MAX_FRAMES = 4_096
const MAX_LENGTH = 8 * 1024 * 1024

export class Tail {
  /** Without holes, except where a frame was forgotten. */
  readonly #frames = new PackedFrames()
  #length = 0
  readonly #onLeave: (seq: number, delivery: DeliveryRecord) => void

  /** @param onLeave - told of the receipts of each frame that makes room for a newer one, where somebody has looked at them */
  constructor(onLeave: (seq: number, delivery: DeliveryRecord) => void) {
    this.#onLeave = onLeave
  }

  /** Whether every retained frame after a place is here. `lastSeq` is the ring's. */
  covers(afterSeq: number, lastSeq: number): boolean {
    return afterSeq >= lastSeq || this.reaches(afterSeq)
  }

  /** Whether it reaches back to a place behind which there is something. */
  reaches(afterSeq: number): boolean {
    const { firstSeq, endSeq } = this.#frames
    return firstSeq < endSeq && firstSeq <= afterSeq + 1
  }

  /** Puts in a turn's frames, each with its place. */
  append(turn: readonly Retained[]): void {
    this.#frames.append(turn)
    for (const { text } of turn) this.#length += text.length
    while (this.#frames.endSeq - this.#frames.firstSeq > MAX_FRAMES || this.#length > MAX_LENGTH)
      this.#shift()
  }

  after(seq: number, limit: number): readonly Retained[] {
    return this.#frames.from(seq + 1, 1, limit)
  }

  get(seq: number): Retained | undefined {
    return this.#frames.get(seq)
  }

  /** Drops frames that were forgotten. */
  drop(seqs: Iterable<number>): void {
    for (const seq of seqs) {
      if (this.#frames.has(seq)) this.#length -= this.#frames.charsAt(seq)
      this.#frames.remove(seq)
    }
  }

  /** Drops what was trimmed from the disk; the tail is newer than that nearly always. */
  dropBefore(seq: number): void {
    while (this.#frames.firstSeq < Math.min(seq, this.#frames.endSeq)) this.#shift()
  }

  clear(): void {
    this.#frames.clear()
    this.#length = 0
  }

  #shift(): void {
    const { firstSeq } = this.#frames
    if (this.#frames.has(firstSeq)) this.#length -= this.#frames.charsAt(firstSeq)
    const delivery = this.#frames.lookedAt(firstSeq)
    if (delivery !== undefined) this.#onLeave(firstSeq, delivery)
    this.#frames.dropFirst()
  }
}
