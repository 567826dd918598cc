/**
 * What was accepted, as it is retained: a frame or an envelope, the unit of replay.
 */
import { createHash } from 'node:crypto'
import type { Envelope, EnvelopeType, Priority } from '../../aee/envelope/envelope.ts'
import { unreachable } from '../../core/errors.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { FilterFacts } from '../../protocol/frame/filter.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import { encodeEnvelopeEvent, encodeFrameEvent } from '../../protocol/sse/encoder.ts'
import type { DeliveryRecord } from './delivery.ts'

/** What stands for a kind where an envelope has none; no filter can name it. */
export const ENVELOPE_KIND = 'aee_envelope'

/** What the daemon knows of an envelope without looking into it again. */
export interface EnvelopeFacts {
  readonly id: string
  readonly corr: string
  readonly type: EnvelopeType
  readonly from: string
  readonly to: string
  readonly intent: string
  readonly replyTo: string | null
  /** What it claims. */
  readonly priority: Priority
  /** What it is treated as (AEQ-27). */
  readonly effectivePriority: Priority
  /** Its task had come to its end before (AEQ-26). */
  readonly isLate: boolean
  /** The envelope that this one rejects, when it is a refutation the daemon has recorded. */
  readonly refutes?: string | undefined
}

/** Where something was accepted first, when that was another node (FED-04, FED-31). */
export interface Origin {
  /** The realm it came by: `p.alice`. */
  readonly realm: string
  readonly node: string
  /** Its event id there. */
  readonly eventId: string
}

/** What frames and envelopes have in common once they are accepted. */
export interface RetainedItem extends FilterFacts {
  /** Its place in the one sequence, which has no holes; 0 until the ring has given it one. */
  seq: number
  /** What it is found by: a frame's id in lower case (ACQ-19), or {@link envelopeKey}. */
  readonly key: string
  /** The scope as text; an envelope's `to`. */
  readonly scopeText: string
  /** Its JSON on one line: a frame's as validated, an envelope's as it came. */
  readonly text: string
  /** The session it came from; undefined when the principal itself sent it. */
  readonly senderAddress: string | undefined
  readonly acceptedAtMs: number
  /** When a recipient calls it stale (AC-183), wall time in milliseconds. */
  readonly expiresAtMs: number
  /** Undefined for what was accepted here first: only that is ever passed on (FED-04). */
  readonly origin: Origin | undefined
  readonly delivery: DeliveryRecord
}

/** An accepted frame: it goes to whom its scope names. */
export interface RetainedFrame extends RetainedItem {
  readonly type: 'frame'
  readonly scope: Scope
  readonly envelope: undefined
}

/** An accepted envelope: it goes to an entity, so it has no scope. */
export interface RetainedEnvelope extends RetainedItem {
  readonly type: 'envelope'
  readonly scope: undefined
  readonly envelope: EnvelopeFacts
}

/**
 * Either. Both have every property, and whoever makes one writes them in one order: a turn of frames and envelopes
 * then is objects of one shape to the engine.
 */
export type Retained = RetainedFrame | RetainedEnvelope

/** The id that a result or an error answers. */
export function answeredBy({ type, replyTo }: EnvelopeFacts): string | undefined {
  return type === 'result' || type === 'error' ? (replyTo ?? undefined) : undefined
}

/** What it counts as in a backlog: frames claim no priority (AEE-094). */
export function priorityOf(retained: Retained): Priority {
  return retained.type === 'envelope' ? retained.envelope.effectivePriority : 'normal'
}

/** A frame is stored as JSON and parsed again only when somebody looks into it. */
export function frameOf({ text }: Pick<RetainedFrame, 'text'>): Frame {
  // Only text that passed `parseFrame` is ever retained.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as Frame
}

/** As {@link frameOf}, of an envelope. */
export function envelopeOf({ text }: RetainedEnvelope): Envelope {
  // Only text that passed `decodeEnvelope` is ever retained.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as Envelope
}

/** What a stream gets of it. */
export function encodeRetained(eventId: string, retained: Retained): string {
  switch (retained.type) {
    case 'frame':
      return encodeFrameEvent(eventId, retained.text)
    case 'envelope': {
      const { priority, effectivePriority, isLate } = retained.envelope
      const isCapped = effectivePriority !== priority
      const remarks = { effectivePriority: isCapped ? effectivePriority : undefined, isLate }
      return encodeEnvelopeEvent(eventId, retained.text, remarks)
    }
    default:
      return unreachable(retained)
  }
}

/** Characters of an id that stands for itself; a longer one may fill an envelope, and its digest stands for it. */
const MAX_ID_LENGTH = 256

/** What an envelope is found by: no frame id has a colon or a hash sign, and an envelope's own id may be anything. */
export function envelopeKey(id: string): string {
  if (id.length <= MAX_ID_LENGTH) return `aee:${id}`
  return `aee#${createHash('sha256').update(id).digest('hex')}`
}

/** Whether it is an envelope that is found by a key. */
export function isEnvelopeKey(key: string): boolean {
  return /^aee[:#]/.test(key)
}

/** What one retained frame costs besides its text: the record, its index entry, its place in the deque. */
const RECORD_OVERHEAD_BYTES = 512

/** Bytes a frame of so many characters is charged with in memory; they count twice, because they may take two octets each. */
export function sizeInMemory(chars: number): number {
  return chars * 2 + RECORD_OVERHEAD_BYTES
}
