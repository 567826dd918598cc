/**
 * One turn of the event loop: the frames and envelopes accepted in it, committed together at its end.
 *
 * Group commit, coalesced writes and one burst of answers are the same thing seen from the store, from the
 * subscribers and from the senders.
 */
import { AgentdError } from '../../core/errors.ts'
import type { Audience, Audiences } from '../audience/audience.ts'
import type { Counters } from '../ring/counters.ts'
import { FanOut } from './fan-out.ts'
import { priorityOf, type Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'

/** Something accepted on its way through the turn. */
export interface BatchEntry {
  readonly retained: Retained
  readonly sender: Session | undefined
  /** It is in the ring and emitted. */
  committed(): void
  /** The store could not take it after all. */
  refused(error: AgentdError): void
}

interface CommitBatchParts {
  readonly ring: Ring
  readonly audiences: Audiences
  readonly counters: Counters
  /** Runs a step at the end of the current loop turn. */
  readonly defer: (step: () => void) => void
}

export class CommitBatch {
  readonly #parts: CommitBatchParts
  readonly #fanOut = new FanOut()
  readonly #observers = new Set<(retained: Retained) => void>()
  #pending: BatchEntry[] = []

  constructor(parts: CommitBatchParts) {
    this.#parts = parts
  }

  /** Puts what was accepted into the turn. */
  add(pending: BatchEntry): void {
    this.#pending.push(pending)
    if (this.#pending.length === 1) this.#parts.defer(() => this.commit())
  }

  /** Watches everything committed without being a recipient, until the returned function is called. */
  observe(observer: (retained: Retained) => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /**
   * The end of a turn: expand, append, emit, tell those who watch, answer.
   *
   * Who a frame reaches is settled before it is appended, so that the store writes both down in one
   * transaction; nothing is emitted or answered before that has been committed.
   */
  commit(): void {
    const turn = this.#pending
    if (turn.length === 0) return
    this.#pending = []
    const audiences = turn.map((pending) => this.#expand(pending))
    try {
      this.#parts.ring.append(turn.map(({ retained }) => retained))
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      // It took none of the turn: nothing was emitted, and everything may be sent again.
      for (const pending of turn) pending.refused(error)
      return
    }
    turn.forEach(({ retained }, i) => this.#emit(retained, audiences[i]))
    this.#fanOut.flush()
    // What is written down about it holds up nobody it is for, and is there before the sender's answer.
    for (const { retained } of turn) for (const observer of this.#observers) observer(retained)
    for (const pending of turn) pending.committed()
  }

  #expand({ retained, sender }: BatchEntry): Audience {
    const audience = this.#parts.audiences.of(retained)
    // A session never gets its own frames back from its inbox.
    const own = sender?.mailbox !== undefined && audience.absent.includes(sender)
    const queuedTo = own
      ? audience.absentAddresses.filter((address) => address !== sender.address)
      : audience.absentAddresses
    const { acceptedAtMs, delivery } = retained
    delivery.record(audience.addresses, queuedTo, audience.recipientCount, acceptedAtMs)
    return audience
  }

  #emit(retained: Retained, audience: Audience | undefined): void {
    if (audience === undefined) return
    this.#fanOut.emit(retained, this.#parts.ring.eventId(retained.seq), audience)
    for (const session of audience.absent) {
      if (session.address !== retained.senderAddress)
        session.mailbox?.push(retained.seq, priorityOf(retained))
    }
    this.#parts.counters.accepted(retained)
  }
}
