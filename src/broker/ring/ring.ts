/**
 * The replay ring as a port: what was accepted, in one sequence, the newest of it retained.
 */
import type { Ack } from '../../protocol/http/frame-replies.ts'
import type { Arrival, Origins } from '../origins/origins.ts'
import type { Search } from './facts-table.ts'
import type { LookBackReader } from './look-back.ts'
import { ENVELOPE_KIND, type EnvelopeFacts, type Retained, type RetainedEnvelope } from './retained.ts'

/** Answers of one envelope that are looked at, and refutations that are told: anybody may send as many as they like. */
export const MAX_OPEN_ANSWERS = 1_024
export const MAX_REFUTATIONS = 100

/** One envelope's place in its workflow. */
export interface ThreadLink {
  readonly seq: number
  readonly acceptedAtMs: number
  readonly facts: EnvelopeFacts
}

/** How much is retained; whichever bound is met first trims. */
export interface RetentionBounds {
  readonly maxFrames: number
  readonly maxBytes: number
  readonly maxAgeMs: number
  /** How far the wall clock is ahead of what running time explains; that makes nothing older (HD-16). 0 unless said. */
  readonly clockAheadMs?: number
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
  /** The place of the one that is meant. */
  readonly seq?: number | undefined
  /** The workflow of envelopes; no frame has one. */
  readonly corr?: string | undefined
  readonly senderHandle?: string | undefined
  readonly kind?: string | undefined
  /** Accepted before this wall time, in milliseconds. */
  readonly beforeMs?: number | undefined
  /** The last place; what came behind it stays. */
  readonly upToSeq?: number | undefined
}

/** Places behind one, up to and with another. */
export interface PlaceRange {
  readonly afterSeq: number
  readonly upToSeq: number
}

/** What one step of forgetting did. */
export interface Forgotten {
  /** Nothing is retained at these any more, in order. */
  readonly places: readonly number[]
  /** The place to go on behind; undefined when all of the range has been dealt with. */
  readonly nextSeq: number | undefined
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
   * Gives a turn's frames their places and retains them, all or none, and with them what lanes of other nodes leave
   * behind that brought some of them (FED-27).
   *
   * @throws AgentdError `store-full` when the store cannot take them; none has a place then
   */
  append(batch: readonly Retained[], arrivals?: readonly Arrival[]): void
  /** What is known of where arrived frames came from. */
  readonly origins: Origins
  /**
   * Up to `limit` of what is retained after a place, in order; fewer where they are large. Only where there is
   * nothing more is the page empty.
   */
  read(afterSeq: number, limit: number): readonly Retained[]
  /** As {@link read}, before a place, newest first. */
  readBack(beforeSeq: number, limit: number): readonly Retained[]
  /** As both of these, only of what a search wants: what lies between is not read. */
  readonly lookBack: LookBackReader
  get(seq: number): Retained | undefined
  find(key: string): Retained | undefined
  /** As {@link find}, at once: what is not found may still be retained, unless `learnIds` has said that all is known. */
  findKnown(key: string): Retained | undefined
  /** A step towards knowing where every retained frame is. @returns whether all is known */
  learnIds(): boolean
  /** The retained envelopes of one workflow behind a place, in the order they came. */
  thread(corr: string, afterSeq?: number, limit?: number): readonly ThreadLink[]
  /**
   * Whether an entity sent or received an envelope of a workflow, to or from the daemon aside; as cheap as a look-up,
   * however long the workflow (HD-10).
   */
  hasParty(corr: string, entity: string): boolean
  /** Changes with every envelope that comes to a workflow or leaves it; cheap, whatever its length. */
  threadMark(corr: string): string
  /** The first retained results and errors that answer an envelope, up to {@link MAX_OPEN_ANSWERS}, in the order they came. */
  answersTo(id: string): readonly EnvelopeFacts[]
  /** The newest retained refutations of an envelope, up to {@link MAX_REFUTATIONS}, in the order they came. */
  refutationsOf(id: string): readonly RetainedEnvelope[]
  /** Every entity that a retained envelope went to or came from; read through, so asked once. */
  entities(): readonly string[]
  /** A step of forgetting for good whatever matches in a range: the ring goes on with others in between (HD-10). */
  forget(which: Deletion, range: PlaceRange): Forgotten
  /** Why a cursor of another epoch says nothing any more. */
  fateOf(epoch: string): 'epoch' | 'rollback' | 'corrupt'
  health(): RingFigures
  /** Called when the ring had to begin anew under the broker: every place it gave out is void. */
  onReset: ((reason: 'corrupt', previousEpoch: string) => void) | undefined
  close(): void
}

/** What a look back for frames to forget is for; what it finds is judged by {@link isDeleted} or its like. */
export function searchFor({ senderHandle, kind: asked, corr }: Deletion): Search {
  const kind = asked ?? (corr === undefined ? undefined : ENVELOPE_KIND)
  const filter = [
    ...(kind === undefined ? [] : [{ axis: 'kind', value: kind } as const]),
    ...(senderHandle === undefined ? [] : [{ axis: 'sender', value: senderHandle } as const]),
  ]
  return { filter, handle: undefined, withEnvelopes: kind === undefined || kind === ENVELOPE_KIND }
}

/** Whether a retained frame is one of those to forget. */
export function isDeleted(retained: Retained, which: Deletion): boolean {
  const { key, seq, corr, senderHandle, kind, beforeMs, upToSeq = Infinity } = which
  if (retained.seq > upToSeq || (seq !== undefined && retained.seq !== seq)) return false
  if (corr !== undefined && retained.envelope?.corr !== corr) return false
  if (key !== undefined && retained.key !== key) return false
  if (senderHandle !== undefined && retained.senderHandle !== senderHandle) return false
  if (kind !== undefined && retained.kind !== kind) return false
  return beforeMs === undefined || retained.acceptedAtMs < beforeMs
}
