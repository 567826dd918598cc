/**
 * What the replay ring keeps of an accepted frame.
 */
import type { Frame } from '../protocol/frame.ts'
import type { FilterFacts } from '../protocol/filter.ts'
import type { Ack } from '../protocol/replies.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Delivery } from './delivery.ts'

/** An accepted frame: the unit of replay. */
export interface RetainedFrame extends FilterFacts {
  /** Its place in the one sequence, which has no holes; 0 until the ring has given it one. */
  seq: number
  /** Lower case: ids compare without case (ACQ-19). */
  readonly frameId: string
  readonly scope: Scope
  readonly scopeText: string
  /** The frame's JSON on one line. */
  readonly text: string
  /** Digest of scope and text: what a resubmission is compared with, and what a disk has to give back. */
  readonly digest: string
  /** The session it came from; undefined when the principal itself sent it. */
  readonly senderAddress: string | undefined
  readonly acceptedAtMs: number
  /** When a recipient calls it stale (AC-183), wall time in milliseconds. */
  readonly expiresAtMs: number
  readonly delivery: Delivery
}

/** How much is retained; whichever bound is met first trims. */
export interface Retention {
  readonly maxFrames: number
  readonly maxBytes: number
  readonly maxAgeMs: number
}

/** What the ring says about itself in `/v1/health`. */
export interface RingHealth {
  /** Whether frames survive the daemon. */
  readonly enabled: boolean
  readonly sqliteVersion: string | null
  readonly synchronous: string | null
  readonly retention: Retention
  /** Sentences about what is not as it should be; empty when all is well. */
  readonly details: readonly string[]
}

/** Which retained frames to forget; every criterion given has to match. */
export interface Forgetting {
  readonly frameId?: string | undefined
  readonly senderHandle?: string | undefined
  readonly kind?: string | undefined
  /** Accepted before this wall time, in milliseconds. */
  readonly beforeMs?: number | undefined
}

/**
 * The replay ring: accepted frames in one sequence, the newest of them retained.
 *
 * Two implementations, one contract: `MemoryRing`, which begins anew with every daemon, and the store's, which
 * survives one. `test/contract` runs the same laws against both.
 */
export interface Ring {
  /** The life of the sequence counter that event ids carry (ACQ-21). */
  readonly epoch: string
  /** The durability that an answer stands for. */
  readonly ack: Ack
  /** Of the newest frame ever appended in this epoch; 0 before the first. */
  readonly lastSeq: number
  /** Of the oldest frame still there; one past `lastSeq` when there is none. */
  readonly firstSeq: number
  readonly count: number
  readonly bytes: number
  /** The id of the oldest retained frame, or null. */
  readonly oldestEventId: string | null
  eventId(seq: number): string
  /**
   * Gives a turn's frames their places and retains them, all or none.
   *
   * @throws AgentdError `store-full` when the store cannot take them; none has a place then
   */
  append(batch: readonly RetainedFrame[]): void
  /** Up to `limit` frames after a place, in order. */
  read(afterSeq: number, limit: number): readonly RetainedFrame[]
  /** Up to `limit` frames before a place, newest first. */
  readBack(beforeSeq: number, limit: number): readonly RetainedFrame[]
  get(seq: number): RetainedFrame | undefined
  findByFrameId(frameId: string): RetainedFrame | undefined
  /** @returns how many frames are gone for good */
  forget(which: Forgetting): number
  /** Why a cursor of another epoch says nothing any more. */
  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt'
  health(): RingHealth
  /** Called when the ring had to begin anew under the broker: every place it gave out is void. */
  onReset: ((reason: 'corrupt', previousEpoch: string) => void) | undefined
  close(): void
}

/** Whether a retained frame is one of those to forget. */
export function isForgotten(retained: RetainedFrame, which: Forgetting): boolean {
  const { frameId, senderHandle, kind, beforeMs } = which
  if (frameId !== undefined && retained.frameId !== frameId.toLowerCase()) return false
  if (senderHandle !== undefined && retained.senderHandle !== senderHandle) return false
  if (kind !== undefined && retained.kind !== kind) return false
  return beforeMs === undefined || retained.acceptedAtMs < beforeMs
}

/** A frame is stored as JSON and parsed again only when somebody looks into it. */
export function frameOf(retained: RetainedFrame): Frame {
  // Only text that passed `parseFrame` is ever retained.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(retained.text) as Frame
}
