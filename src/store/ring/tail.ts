/**
 * The newest frames in memory, in front of the disk: live reads and resumes after a short drop never touch it.
 */
import type { Retained } from '../../broker/ring/retained.ts'

/** Frames and octets of text the tail holds at the most; half a minute of a busy daemon. */
const MAX_FRAMES = 4_096
const MAX_LENGTH = 8 * 1024 * 1024

/** Places given up before the array is compacted. */
const COMPACT_AFTER = 64

export class Tail {
  /** Without holes, except where a frame was forgotten. */
  #frames: Retained[] = []
  #head = 0
  #length = 0
  readonly #onLeave: (frame: Retained) => void

  /** @param onLeave - told of each frame that has to make room for a newer one */
  constructor(onLeave: (frame: Retained) => void) {
    this.#onLeave = onLeave
  }

  /** Whether every retained frame after a place is here. `lastSeq` is the ring's. */
  covers(afterSeq: number, lastSeq: number): boolean {
    return afterSeq >= lastSeq || this.reaches(afterSeq)
  }

  /** Whether it reaches back to a place behind which there is something. */
  reaches(afterSeq: number): boolean {
    const first = this.#frames[this.#head]
    return first !== undefined && first.seq <= afterSeq + 1
  }

  push(frame: Retained): void {
    this.#frames.push(frame)
    this.#length += frame.text.length
    while (this.#frames.length - this.#head > MAX_FRAMES || this.#length > MAX_LENGTH) this.#shift()
    // What has left must not be held by its place: an envelope may be a megabyte.
    if (this.#head > COMPACT_AFTER && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head)
      this.#head = 0
    }
  }

  after(seq: number, limit: number): readonly Retained[] {
    const start = this.#lowerBound(seq + 1)
    return this.#frames.slice(start, start + limit)
  }

  get(seq: number): Retained | undefined {
    const frame = this.#frames[this.#lowerBound(seq)]
    return frame?.seq === seq ? frame : undefined
  }

  /** Drops frames that were forgotten. */
  drop(isGone: (frame: Retained) => boolean): void {
    this.#frames = this.#frames.slice(this.#head).filter((frame) => !isGone(frame))
    this.#head = 0
    this.#length = this.#frames.reduce((sum, { text }) => sum + text.length, 0)
  }

  /** Drops what was trimmed from the disk; the tail is newer than that nearly always. */
  dropBefore(seq: number): void {
    const first = this.#frames[this.#head]
    if (first !== undefined && first.seq < seq) this.drop((frame) => frame.seq < seq)
  }

  clear(): void {
    this.#frames = []
    this.#head = 0
    this.#length = 0
  }

  #shift(): void {
    const leaving = this.#frames[this.#head]
    if (leaving !== undefined) {
      this.#length -= leaving.text.length
      this.#onLeave(leaving)
    }
    this.#head += 1
  }

  /** The first place whose sequence number is not less than `seq`. */
  #lowerBound(seq: number): number {
    let low = this.#head
    let high = this.#frames.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#frames[middle]?.seq ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }
}
