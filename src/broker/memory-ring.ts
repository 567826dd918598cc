/**
 * The replay ring in memory: the newest accepted frames, in order, within a count, a size and an age.
 *
 * It begins a new epoch with every daemon, so a cursor from another life is told apart (ACQ-21).
 */
import { formatEventId } from '../protocol/event-id.ts'
import type { RetainedFrame, Retention } from './ring.ts'

/** What one retained frame costs besides its text: the record, its index entry, its place in the deque. */
const RECORD_OVERHEAD_BYTES = 512

/** Trimmed places at the front of the array before it is compacted. */
const COMPACT_AFTER = 4_096

export class MemoryRing {
  readonly epoch: string
  readonly #retention: Retention
  /** Retained frames behind `#head` places that have been trimmed. */
  #frames: RetainedFrame[] = []
  #head = 0
  #lastSeq = 0
  #bytes = 0
  readonly #byFrameId = new Map<string, RetainedFrame>()

  constructor(epoch: string, retention: Retention) {
    this.epoch = epoch
    this.#retention = retention
  }

  /** The durability that an answer can stand for. */
  get ack(): 'memory' {
    return 'memory'
  }

  /** Of the newest frame ever appended; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Of the oldest frame still there; one past `lastSeq` when there is none. */
  get firstSeq(): number {
    return this.#lastSeq - this.count + 1
  }

  get count(): number {
    return this.#frames.length - this.#head
  }

  get bytes(): number {
    return this.#bytes
  }

  eventId(seq: number): string {
    return formatEventId(this.epoch, seq)
  }

  /** The id of the oldest retained frame, or null. */
  get oldestEventId(): string | null {
    return this.count === 0 ? null : this.eventId(this.firstSeq)
  }

  /** Gives a frame its place and trims what falls out of retention. */
  append(retained: RetainedFrame): void {
    this.#lastSeq += 1
    retained.seq = this.#lastSeq
    this.#frames.push(retained)
    this.#bytes += sizeOf(retained)
    this.#byFrameId.set(retained.frameId, retained)
    this.#trim(retained.acceptedAtMs)
  }

  /** Up to `limit` frames after a place, in order. */
  read(afterSeq: number, limit: number): readonly RetainedFrame[] {
    const start = this.#head + Math.max(0, afterSeq + 1 - this.firstSeq)
    return this.#frames.slice(start, start + limit)
  }

  get(seq: number): RetainedFrame | undefined {
    return seq < this.firstSeq ? undefined : this.#frames[this.#head + seq - this.firstSeq]
  }

  findByFrameId(frameId: string): RetainedFrame | undefined {
    return this.#byFrameId.get(frameId.toLowerCase())
  }

  #trim(nowMs: number): void {
    const { maxFrames, maxBytes, maxAgeMs } = this.#retention
    for (;;) {
      const oldest = this.#frames[this.#head]
      if (oldest === undefined || this.count <= 1) break
      const over = this.count > maxFrames || this.#bytes > maxBytes || oldest.acceptedAtMs < nowMs - maxAgeMs
      if (!over) break
      this.#drop(oldest)
    }
    if (this.#head > COMPACT_AFTER && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head)
      this.#head = 0
    }
  }

  #drop(oldest: RetainedFrame): void {
    this.#bytes -= sizeOf(oldest)
    if (this.#byFrameId.get(oldest.frameId) === oldest) this.#byFrameId.delete(oldest.frameId)
    this.#head += 1
  }
}

/** Bytes a frame is charged with; text counts twice, because V8 may keep it in two-byte units. */
function sizeOf(retained: RetainedFrame): number {
  return retained.text.length * 2 + RECORD_OVERHEAD_BYTES
}
