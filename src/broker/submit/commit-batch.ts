/**
 * The commit batch: the frames and envelopes accepted in one turn of the event loop, committed together at its end.
 *
 * Group commit, coalesced writes and one burst of answers are the same thing seen from the store, from the
 * subscribers and from the senders.
 */
import { AgentdError, daemonIsClosing } from '../../core/errors.ts'
import type { Arrival } from '../origins/origins.ts'
import type { Audiences } from '../audience/audience.ts'
import type { Audience } from '../audience/reached.ts'
import type { Defer } from '../ring/background.ts'
import type { Counters } from '../ring/counters.ts'
import { FanOut } from './fan-out.ts'
import { MailDelivery } from './mail-delivery.ts'
import type { Lanes } from '../mail/lanes.ts'
import type { OtherNodes } from '../remote/other-nodes.ts'
import type { Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'

/** Something accepted on its way through the batch. */
export interface BatchEntry {
  readonly retained: Retained
  readonly sender: Session | undefined
  /** It is in the ring and emitted. */
  committed(): void
  /** The store could not take it after all. */
  refused(error: AgentdError): void
}

/** A part of what a lane of another node brought, on its way through the batch with the entries it consists of. */
export interface Arriving {
  /** What is written with them; asked once everybody they reach is known. */
  arrival(): Arrival
  committed(): void
  refused(error: AgentdError): void
}

/** Told of everything committed, after it was emitted and before it is answered. */
export type CommitObserver = (retained: Retained) => void

/** As a {@link CommitObserver}, of all of a turn at once: for who writes it down once for many. */
export type TurnObserver = (turn: readonly Retained[]) => void

interface CommitBatchParts {
  readonly ring: Ring
  readonly audiences: Audiences
  readonly lanes: Lanes
  readonly others: Pick<OtherNodes, 'countOf'>
  /** Has every mailbox count what was trimmed; asked for when there is enough of that. */
  readonly sweepMail: () => void
  /** Has every reader told what is missing, in front of what has come. */
  readonly tellHoles: () => void
  readonly counters: Counters
  readonly defer: Defer
}

export class CommitBatch {
  readonly #parts: CommitBatchParts
  readonly #fanOut = new FanOut()
  readonly #mail: MailDelivery
  readonly #observers = new Set<CommitObserver>()
  readonly #turnObservers = new Set<TurnObserver>()
  #entries: BatchEntry[] = []
  /** Set while something has arrived in this turn. */
  #arriving: Arriving[] | undefined
  #isClosed = false

  constructor(parts: CommitBatchParts) {
    this.#parts = parts
    this.#mail = new MailDelivery(parts.lanes)
  }

  /** Whether nothing is accepted any more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Accepted now, it would reach nobody and be gone with the process. @throws AgentdError `closing` */
  requireOpen(): void {
    if (this.#isClosed) throw daemonIsClosing()
  }

  /** Puts what was accepted into the batch. */
  add(entry: BatchEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length === 1 && this.#arriving === undefined) this.#parts.defer(() => this.commit())
  }

  /** Puts what has arrived into the batch, behind its entries. */
  arrive(arriving: Arriving): void {
    const isFirst = this.#entries.length === 0 && this.#arriving === undefined
    this.#arriving ??= []
    this.#arriving.push(arriving)
    if (isFirst) this.#parts.defer(() => this.commit())
  }

  /** Watches everything committed without being a recipient, until the returned function is called. */
  observe(observer: CommitObserver): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /** As {@link observe}, a turn at a time. */
  observeTurns(observer: TurnObserver): () => void {
    this.#turnObservers.add(observer)
    return () => this.#turnObservers.delete(observer)
  }

  /**
   * The end of a turn: expand, append, emit, tell those who watch, answer.
   *
   * Who a frame reaches is worked out before it is appended, so that the store writes both down in one
   * transaction; nothing is emitted or answered before that has been committed.
   */
  commit(): void {
    const entries = this.#entries
    const arriving = this.#arriving
    if (entries.length === 0 && arriving === undefined) return
    this.#entries = []
    this.#arriving = undefined
    const audiences = entries.map((entry) => this.#expand(entry))
    const turn = entries.map(({ retained }) => retained)
    try {
      this.#parts.ring.append(
        turn,
        arriving?.map((one) => one.arrival()),
      )
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      // It took none of the batch: nothing was emitted, and everything may be sent again.
      for (const entry of entries) entry.refused(error)
      for (const one of arriving ?? []) one.refused(error)
      return
    }
    if (arriving !== undefined) this.#parts.tellHoles()
    entries.forEach((entry, i) => this.#emit(entry, audiences[i]))
    this.#fanOut.flush()
    this.#mail.flush()
    if (this.#parts.lanes.isSweepDue) this.#parts.sweepMail()
    // What is written down about it holds up nobody it is for, and is there before the sender's answer.
    for (const observer of this.#turnObservers) observer(turn)
    for (const retained of turn) for (const observer of this.#observers) observer(retained)
    for (const entry of entries) entry.committed()
    for (const one of arriving ?? []) one.committed()
  }

  /** Commits what there is, and takes nothing more. */
  close(): void {
    this.commit()
    this.#isClosed = true
  }

  #expand({ retained, sender }: BatchEntry): Audience {
    const { audiences, others } = this.#parts
    const audience = audiences.of(retained)
    const { delivery, origin } = retained
    this.#mail.record(retained, audience, sender)
    // What came from another node names nobody further (FED-04).
    if (origin === undefined) delivery.named = others.countOf(retained)
    return audience
  }

  #emit({ retained, sender }: BatchEntry, audience: Audience | undefined): void {
    if (audience === undefined) return
    this.#fanOut.emit(retained, this.#parts.ring.eventId(retained.seq), audience)
    this.#mail.put(retained, audience, sender)
    if (sender !== undefined) sender.lastSentAtMs = retained.acceptedAtMs
    this.#parts.counters.accepted(retained)
  }
}
