/**
 * A part of a batch that is committed in one turn: what is new of it, and what it leaves behind.
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import type { Authority } from '../authority/authority.ts'
import type { ArrivingEnvelopes } from '../envelopes/arriving-envelopes.ts'
import { senderActor } from '../origins/owner.ts'
import type { Arrival, RemoteReceipt, ReportItem } from '../origins/origins.ts'
import type { Origin, Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { ArrivingFrames } from '../submit/arriving-frames.ts'
import type { Arriving, CommitBatch } from '../submit/commit-batch.ts'
import type { IngestBatch, Ingested, IngestItem } from './ingest-batch.ts'
import { idOf, idOfItem } from './receipts.ts'

interface TurnParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly authority: Pick<Authority, 'actorOf'>
  readonly principal: string
  readonly batch: CommitBatch
  readonly frames: ArrivingFrames
  readonly envelopes: ArrivingEnvelopes
}

/** What has a place in its lane. */
type Placed = Extract<IngestItem, { eventId: string }>

/** Something new, and how it is let go of. */
interface Taken {
  readonly retained: Retained
  committed(): void
  refused(): void
}

/** Codes that are about this machine just now and not about the record: the batch comes again. */
const NOT_THE_RECORDS = new Set(['busy', 'closing', 'store-full', 'rate-limited'])

export class ArrivingTurn implements Arriving {
  readonly #batch: IngestBatch
  readonly #parts: TurnParts
  readonly #marks = new Map<string, number>()
  readonly #taken: Taken[] = []
  readonly #receipts: RemoteReceipt[] = []
  /** Reports of what was refused. */
  readonly #refusals: ReportItem[] = []
  #isLast = false
  #conclude: { readonly resolve: () => void; readonly reject: (error: AgentdError) => void } | undefined

  constructor(batch: IngestBatch, parts: TurnParts) {
    this.#batch = batch
    this.#parts = parts
  }

  /** Whether it is news, and whether it can be taken. @throws AgentdError when this machine cannot take anything now */
  judge(item: Placed): Ingested {
    const { eventId } = item
    const at = readEventId(eventId)
    if (at === undefined) return { eventId, outcome: 'refused', code: 'field-invalid' }
    if (at.seq <= this.#markOf(at.epoch)) return { eventId, outcome: 'repeat' }
    const answer = this.#take(item)
    this.#marks.set(at.epoch, at.seq)
    return answer
  }

  /** Receipts of frames that were accepted here first. */
  heard(receipts: readonly RemoteReceipt[]): void {
    this.#receipts.push(...receipts)
  }

  /** Commits all there is, with the marks; the batch goes on. @throws AgentdError when the store refuses */
  commit(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#conclude = { resolve, reject }
      const { batch } = this.#parts
      for (const { retained } of this.#taken) batch.add({ retained, sender: undefined, committed, refused })
      batch.arrive(this)
    })
  }

  /** As {@link commit}, with the cursor and with all the batch stands for. */
  commitLast(): Promise<void> {
    this.#isLast = true
    const upTo = readEventId(this.#batch.upTo ?? '')
    if (upTo !== undefined && upTo.seq > this.#markOf(upTo.epoch)) this.#marks.set(upTo.epoch, upTo.seq)
    return this.commit()
  }

  arrival(): Arrival {
    const { realm, lane, node, cursor, cursorKey, hole, reportsKey = realm } = this.#batch
    const items = [...this.#refusals, ...this.#taken.flatMap(({ retained }) => this.#reached(retained))]
    return {
      realm,
      lane,
      node,
      marks: this.#marks,
      cursor: this.#isLast ? cursor : undefined,
      ...(cursorKey !== undefined && { cursorKey }),
      hole,
      receipts: this.#receipts,
      reports: { realm: reportsKey, node, items },
    }
  }

  committed(): void {
    const { ring } = this.#parts
    for (const receipt of this.#receipts) ring.get(receipt.seq)?.delivery.reported(receipt)
    for (const taken of this.#taken) taken.committed()
    this.#conclude?.resolve()
  }

  refused(error: AgentdError): void {
    for (const taken of this.#taken) taken.refused()
    this.#conclude?.reject(error)
  }

  #markOf(epoch: string): number {
    const { realm, lane } = this.#batch
    return this.#marks.get(epoch) ?? this.#parts.ring.origins.marksOf(realm).get(lane)?.get(epoch) ?? 0
  }

  #take(item: Placed): Ingested {
    const { eventId } = item
    if (item.kind === 'refused') return this.#refuse(item, item.code)
    try {
      const taken = this.#takeNew(item)
      if (taken === undefined) return { eventId, outcome: 'repeat' }
      this.#taken.push(taken)
      return { eventId, outcome: 'applied' }
    } catch (error) {
      if (!(error instanceof AgentdError) || NOT_THE_RECORDS.has(error.code)) throw error
      return this.#refuse(item, error.code)
    }
  }

  #takeNew(item: Extract<Placed, { kind: 'frame' | 'envelope' }>): Taken | undefined {
    const { frames, envelopes } = this.#parts
    const { realm, node } = this.#batch
    const origin: Origin = { realm, node, eventId: item.eventId }
    if (item.kind === 'frame') {
      const retained = frames.take(item, origin)
      return retained && { retained, committed, refused: () => frames.refused(retained) }
    }
    const retained = envelopes.take(item, origin)
    return (
      retained && {
        retained,
        committed: () => envelopes.committed(retained, item.decoded),
        refused: () => envelopes.refused(retained),
      }
    )
  }

  #refuse(item: Placed, code: NonNullable<Ingested['code']>): Ingested {
    this.#refusals.push([idOfItem(item), '', 'refused', this.#parts.clock.nowMs(), code])
    return { eventId: item.eventId, outcome: 'refused', code }
  }

  /** Whom it has reached, for its origin; of another principal's frame only which handles (AC-187). */
  #reached(retained: Retained): ReportItem[] {
    const { authority, principal } = this.#parts
    const isOwn = senderActor(retained, authority) === principal
    const { delivery, acceptedAtMs } = retained
    const told = new Map<string, ReportItem>()
    const tell = (address: string, state: 'emitted' | 'queued'): void => {
      const name = isOwn ? address : handleOf(address)
      if (!told.has(name)) told.set(name, [idOf(retained), name, state, acceptedAtMs])
    }
    for (const address of delivery.emittedTo) tell(address, 'emitted')
    for (const address of delivery.queuedTo) tell(address, 'queued')
    return [...told.values()]
  }
}

function committed(): void {}

function refused(): void {}
