/**
 * What the replay ring keeps of an accepted frame.
 */
import type { Frame } from '../protocol/frame.ts'
import type { FilterFacts } from '../protocol/filter.ts'
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

/** A frame is stored as JSON and parsed again only when somebody looks into it. */
export function frameOf(retained: RetainedFrame): Frame {
  // Only text that passed `parseFrame` is ever retained.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(retained.text) as Frame
}
