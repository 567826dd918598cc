/**
 * Where what was sent to whom is, as rows: a run of frames of one lane is one row, written once a turn (HD-03).
 */
import { ownLane, type LaneRun } from '../../broker/mail/lanes.ts'
import { priorityOf, type Retained } from '../../broker/ring/retained.ts'
import type { Statements } from './statements.ts'

/** Lanes whose newest run is remembered, so that it can grow; a run that was forgotten begins anew beside itself. */
const MAX_REMEMBERED = 4_096

/** The newest run of a lane. */
type Growing = { -readonly [K in keyof LaneRun]: LaneRun[K] }

export class LaneRows {
  #statements: Statements
  readonly #newest = new Map<string, Growing>()
  /** Those of this turn. */
  readonly #written = new Set<Growing>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Puts a frame where mailboxes find it; it is written with {@link flush}. */
  put(retained: Retained, seq: number): void {
    const { lane, spared, direct } = retained.delivery.mail
    const priority = priorityOf(retained)
    if (lane !== undefined) this.#grow(lane, priority, seq)
    for (const address of direct) this.#grow(ownLane(address), priority, seq)
    for (const address of spared) this.#statements.take.run(address, seq, seq)
  }

  /** The end of a turn. */
  flush(): void {
    for (const { lane, priority, first, last } of this.#written)
      this.#statements.saveRun.run(lane, priority, first, last)
    this.#written.clear()
  }

  /** The same rows in a copy of the database. */
  moveTo(statements: Statements): void {
    this.#statements = statements
  }

  /** After a rollback, or when runs were deleted: what is remembered of them need not be there. */
  forget(): void {
    this.#newest.clear()
    this.#written.clear()
  }

  #grow(lane: string, priority: LaneRun['priority'], seq: number): void {
    const key = `${priority} ${lane}`
    const newest = this.#newest.get(key)
    if (newest?.last === seq - 1) {
      newest.last = seq
      this.#written.add(newest)
      return
    }
    if (this.#newest.size >= MAX_REMEMBERED) this.#newest.clear()
    const begun = { lane, priority, first: seq, last: seq }
    this.#newest.set(key, begun)
    this.#written.add(begun)
  }
}
