/**
 * What the replay ring keeps of what was accepted: frames, and envelopes among them.
 */
import { createHash } from 'node:crypto'
import type { Envelope, EnvelopeType, Priority } from '../../aee/envelope/envelope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { FilterFacts } from '../../protocol/frame/filter.ts'
import type { Ack } from '../../protocol/http/replies.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import { encodeEnvelopeEvent, encodeFrameEvent } from '../../protocol/sse/encoder.ts'
import type { DeliveryRecord } from './delivery.ts'

/** Answers of one envelope that are looked at, and refutations that are told: anybody may send as many as they like. */
export const MAX_OPEN_ANSWERS = 1_024
export const MAX_REFUTATIONS = 100

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

/** One envelope's place in its workflow. */
export interface ThreadLink {
  readonly seq: number
  readonly facts: EnvelopeFacts
}

/** An accepted frame or envelope: the unit of replay. */
export interface Retained extends FilterFacts {
  /** Its place in the one sequence, which has no holes; 0 until the ring has given it one. */
  seq: number
  /** What it is found by: a frame's id in lower case (ACQ-19), or {@link envelopeKey}. */
  readonly key: string
  /** Undefined for an envelope, which goes to an entity. */
  readonly scope: Scope | undefined
  /** The scope as text; an envelope's `to`. */
  readonly scopeText: string
  /** Undefined for a frame. */
  readonly envelope: EnvelopeFacts | undefined
  /** Its JSON on one line: a frame's as validated, an envelope's as it came. */
  readonly text: string
  /** Digest of scope and text: what a resubmission is compared with, and what a disk has to give back. */
  readonly digest: string
  /** The session it came from; undefined when the principal itself sent it. */
  readonly senderAddress: string | undefined
  readonly acceptedAtMs: number
  /** When a recipient calls it stale (AC-183), wall time in milliseconds. */
  readonly expiresAtMs: number
  readonly delivery: DeliveryRecord
}

/** How much is retained; whichever bound is met first trims. */
export interface RetentionBounds {
  readonly maxFrames: number
  readonly maxBytes: number
  readonly maxAgeMs: number
}

/** What the ring says about itself in `/v1/health`. */
export interface RingFigures {
  /** Whether frames survive the daemon. */
  readonly enabled: boolean
  readonly sqliteVersion: string | null
  readonly synchronous: string | null
  readonly retention: RetentionBounds
  /** Sentences about what is not as it should be; empty when all is well. */
  readonly details: readonly string[]
}

/** Which retained frames to forget; every criterion given has to match. */
export interface Deletion {
  readonly key?: string | undefined
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
  append(batch: readonly Retained[]): void
  /**
   * Up to `limit` of what is retained after a place, in order; fewer where they are large. Only where there is
   * nothing more is the page empty.
   */
  read(afterSeq: number, limit: number): readonly Retained[]
  /** As {@link read}, before a place, newest first. */
  readBack(beforeSeq: number, limit: number): readonly Retained[]
  get(seq: number): Retained | undefined
  find(key: string): Retained | undefined
  /** As {@link find}, at once: what is not found may still be retained, unless `learnIds` has said that all is known. */
  findKnown(key: string): Retained | undefined
  /** A step towards knowing where every retained frame is. @returns whether all is known */
  learnIds(): boolean
  /** The retained envelopes of one workflow behind a place, in the order they came. */
  thread(corr: string, afterSeq?: number, limit?: number): readonly ThreadLink[]
  /** Changes with every envelope that comes to a workflow or leaves it; cheap, whatever its length. */
  threadMark(corr: string): string
  /** The first retained results and errors that answer an envelope, up to {@link MAX_OPEN_ANSWERS}, in the order they came. */
  answersTo(id: string): readonly EnvelopeFacts[]
  /** The newest retained refutations of an envelope, up to {@link MAX_REFUTATIONS}, in the order they came. */
  refutationsOf(id: string): readonly Retained[]
  /** Every entity that a retained envelope went to or came from; read through, so asked once. */
  entities(): readonly string[]
  /** @returns how many frames are gone for good */
  forget(which: Deletion): number
  /** Why a cursor of another epoch says nothing any more. */
  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt'
  health(): RingFigures
  /** Called when the ring had to begin anew under the broker: every place it gave out is void. */
  onReset: ((reason: 'corrupt', previousEpoch: string) => void) | undefined
  close(): void
}

/** Whether a retained frame is one of those to forget. */
export function isDeleted(retained: Retained, which: Deletion): boolean {
  const { key, senderHandle, kind, beforeMs } = which
  if (key !== undefined && retained.key !== key) return false
  if (senderHandle !== undefined && retained.senderHandle !== senderHandle) return false
  if (kind !== undefined && retained.kind !== kind) return false
  return beforeMs === undefined || retained.acceptedAtMs < beforeMs
}

/** The id that a result or an error answers. */
export function answeredBy(facts: EnvelopeFacts | undefined): string | undefined {
  const isAnswer = facts?.type === 'result' || facts?.type === 'error'
  return isAnswer ? (facts.replyTo ?? undefined) : undefined
}

/** What was accepted, read: exactly one of the two. */
export type Read =
  | { readonly frame: Frame; readonly envelope?: undefined }
  | { readonly envelope: Envelope; readonly frame?: undefined }

/** As {@link frameOf}, of either. */
export function readRetained(retained: Retained): Read {
  if (retained.envelope === undefined) return { frame: frameOf(retained) }
  // Only text that passed `decodeEnvelope` is ever retained.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { envelope: JSON.parse(retained.text) as Envelope }
}

/** What a stream gets of it. */
export function encodeRetained(eventId: string, { text, envelope }: Retained): string {
  if (envelope === undefined) return encodeFrameEvent(eventId, text)
  const { priority, effectivePriority, isLate } = envelope
  const isCapped = effectivePriority !== priority
  const remarks = { effectivePriority: isCapped ? effectivePriority : undefined, isLate }
  return encodeEnvelopeEvent(eventId, text, remarks)
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

/** A frame is stored as JSON and parsed again only when somebody looks into it. */
export function frameOf(retained: Retained): Frame {
  // Only text that passed `parseFrame` is ever retained.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(retained.text) as Frame
}
