/**
 * Ingest: what other nodes accepted, applied here once.
 *
 * A batch of a lane is judged item by item against the lane's marks; what is new goes through the same commit as what is
 * submitted here, and marks, cursor, receipts and reports are written in the transaction of the frames. A large one takes
 * several turns of the loop, its cursor in the last of them. Batches go one after another, since each is judged by the marks
 * that the one before it left.
 *
 * @see FED-05, FED-27…FED-29, FED-33
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { Authority } from '../authority/authority.ts'
import type { ArrivingEnvelopes } from '../envelopes/arriving-envelopes.ts'
import { OWN_WORK, type Background } from '../ring/background.ts'
import type { Counters } from '../ring/counters.ts'
import type { Deletion, Ring } from '../ring/ring.ts'
import type { ArrivingFrames } from '../submit/arriving-frames.ts'
import type { CommitBatch } from '../submit/commit-batch.ts'
import { ArrivingTurn } from './arriving-turn.ts'
import {
  MAX_BATCH_ITEMS,
  MAX_TURN_ITEMS,
  MAX_WAITING_BATCHES,
  type IngestBatch,
  type Ingested,
  type IngestItem,
} from './ingest-batch.ts'
import { keyOfId, remoteReceipts } from './receipts.ts'
import type { Questions } from './reporter.ts'

/** What batches are applied with. */
export interface IngestParts {
  readonly principal: string
  readonly ring: Ring
  readonly clock: Clock
  readonly authority: Pick<Authority, 'actorOf' | 'tierOf' | 'membersOf' | 'reachedBy'>
  readonly queries: Questions
  readonly batch: CommitBatch
  readonly counters: Counters
  readonly frames: ArrivingFrames
  readonly envelopes: ArrivingEnvelopes
  readonly background: Background
  readonly upkeep: { forget(which: Deletion): Promise<number> }
}

export class Ingest {
  readonly #parts: IngestParts
  /** The last of those that wait. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(parts: IngestParts) {
    this.#parts = parts
  }

  /**
   * Applies a batch.
   *
   * @returns what became of each item, once all of it is committed with its marks and its cursor
   * @throws AgentdError `busy`; as the ring, when it refuses: what had been committed by then is a repeat the next time
   */
  async take(batch: IngestBatch): Promise<readonly Ingested[]> {
    if (batch.items.length > MAX_BATCH_ITEMS)
      throw new AgentdError('field-invalid', `A batch has ${MAX_BATCH_ITEMS} records at the most.`)
    if (this.#waiting >= MAX_WAITING_BATCHES)
      throw new AgentdError('busy', 'As many batches wait as may.', { retryAfterMs: 1_000 })
    this.#waiting += 1
    const before = this.#last
    const applied = (async () => {
      await before
      return this.#apply(batch)
    })()
    this.#last = Promise.allSettled([applied])
    try {
      return await applied
    } finally {
      this.#waiting -= 1
    }
  }

  async #apply(batch: IngestBatch): Promise<readonly Ingested[]> {
    const answers: Ingested[] = []
    let turn = new ArrivingTurn(batch, this.#parts)
    for (const [i, item] of batch.items.entries()) {
      // What is to be forgotten may have come just before, and the cursor only passes what has been done.
      if (item.kind === 'forget' || (i > 0 && i % MAX_TURN_ITEMS === 0)) {
        await turn.commit()
        turn = new ArrivingTurn({ ...batch, hole: undefined }, this.#parts)
      }
      answers.push(
        item.kind === 'forget' ? await this.#forget(batch, item.ids) : await this.#judge(turn, item, batch),
      )
    }
    await turn.commitLast()
    this.#count(batch, answers)
    return answers
  }

  async #judge(
    turn: ArrivingTurn,
    item: Exclude<IngestItem, { kind: 'forget' }>,
    { node, realm }: IngestBatch,
  ): Promise<Ingested> {
    if (item.kind !== 'report') return turn.judge(item)
    const { authority, queries, ring } = this.#parts
    const by = { node, realm, org: item.org }
    const learnIds = (): Promise<void> => this.#learnIds()
    turn.heard(await remoteReceipts(item.items, { ring, by, authority, queries, learnIds }))
    return { eventId: '', outcome: 'applied' }
  }

  /** Only one's own nodes have anything forgotten here. */
  async #forget({ realm }: IngestBatch, ids: readonly string[]): Promise<Ingested> {
    const { principal, ring, upkeep } = this.#parts
    if (realm !== `p.${principal.slice(1)}`)
      return { eventId: '', outcome: 'refused', code: 'scope-unauthorised' }
    for (const id of ids) {
      const key = keyOfId(id)
      if (ring.findKnown(key) === undefined) await this.#learnIds()
      const seq = ring.find(key)?.seq
      if (seq !== undefined) await upkeep.forget({ key, seq })
    }
    return { eventId: '', outcome: 'applied' }
  }

  /** Learns where frames of long ago are. */
  async #learnIds(): Promise<void> {
    const { background, ring } = this.#parts
    await background.until(() => ring.learnIds() || undefined, OWN_WORK)
  }

  #count({ hole }: IngestBatch, answers: readonly Ingested[]): void {
    const { counters } = this.#parts
    const countOf = (outcome: Ingested['outcome']): number =>
      answers.filter((one) => one.outcome === outcome).length
    counters.remoteApplied += countOf('applied')
    counters.remoteRepeats += countOf('repeat')
    counters.remoteRefused += countOf('refused')
    if (hole !== undefined) counters.remoteHoles += 1
  }
}
