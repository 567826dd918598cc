/**
 * One turn of the event loop: the frames accepted in it, committed together at its end.
 *
 * Group commit, coalesced writes and one burst of answers are the same thing seen from the store, from the
 * subscribers and from the senders.
 */
import { AgentdError } from '../core/errors.ts'
import type { SubmissionReply } from '../protocol/replies.ts'
import type { Audience, Audiences } from './audience.ts'
import type { Counters } from './counters.ts'
import type { DedupWindow, Entry } from './dedup.ts'
import { FanOut } from './fan-out.ts'
import type { RetainedFrame, Ring } from './ring.ts'
import type { Session } from './session.ts'

/** Called once with the answer, or with why the store could not take the frame after all. */
export type Settle = (outcome: SubmissionReply | AgentdError) => void

/** An accepted frame on its way through the turn. */
export interface Pending {
  readonly frame: RetainedFrame
  readonly sender: Session | undefined
  readonly entry: Entry<SubmissionReply>
  readonly settle: Settle
}

interface TurnParts {
  readonly ring: Ring
  readonly audiences: Audiences
  readonly dedup: DedupWindow<SubmissionReply>
  readonly counters: Counters
  /** Runs a step at the end of the current loop turn. */
  readonly defer: (step: () => void) => void
}

export class Turn {
  readonly #parts: TurnParts
  readonly #fanOut = new FanOut()
  readonly #observers = new Set<(frame: RetainedFrame) => void>()
  #pending: Pending[] = []

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /** Puts an accepted frame into the turn. */
  add(pending: Pending): void {
    this.#pending.push(pending)
    if (this.#pending.length === 1) this.#parts.defer(() => this.commit())
  }

  /** Watches every committed frame without being a recipient, until the returned function is called. */
  observe(observer: (frame: RetainedFrame) => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /**
   * The end of a turn: expand, append, emit, answer.
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
      this.#parts.ring.append(turn.map(({ frame }) => frame))
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      return this.#refuse(turn, error)
    }
    turn.forEach(({ frame }, i) => this.#emit(frame, audiences[i]))
    this.#fanOut.flush()
    for (const pending of turn) this.#answer(pending)
  }

  #expand({ frame, sender }: Pending): Audience {
    const audience = this.#parts.audiences.of(frame)
    // A session never gets its own frames back from its inbox.
    const own = sender?.mailbox !== undefined && audience.absent.includes(sender)
    const queuedTo = own
      ? audience.absentAddresses.filter((address) => address !== sender.address)
      : audience.absentAddresses
    frame.delivery.record(audience.addresses, queuedTo, audience.subscriptions.length, frame.acceptedAtMs)
    return audience
  }

  #emit(frame: RetainedFrame, audience: Audience | undefined): void {
    if (audience === undefined) return
    const { recipientCount, queuedCount } = frame.delivery
    this.#fanOut.emit(frame, this.#parts.ring.eventId(frame.seq), audience)
    for (const session of audience.absent) {
      if (session.address !== frame.senderAddress) session.mailbox?.push(frame.seq)
    }
    this.#parts.counters.accepted(recipientCount, queuedCount)
    for (const observer of this.#observers) observer(frame)
  }

  #answer(pending: Pending): void {
    const { frameId, seq, delivery } = pending.frame
    const reply: SubmissionReply = {
      frame_id: frameId,
      event_id: this.#parts.ring.eventId(seq),
      recipient_count: delivery.recipientCount,
      queued_count: delivery.queuedCount,
      ack: this.#parts.ring.ack,
    }
    pending.entry.result = reply
    pending.settle(reply)
    for (const settle of pending.entry.waiting ?? []) settle({ ...reply, duplicate: true })
    pending.entry.waiting = undefined
  }

  /** The store took none of the turn: nothing was emitted, and every frame may be sent again. */
  #refuse(turn: readonly Pending[], error: AgentdError): void {
    for (const { frame, entry, settle } of turn) {
      this.#parts.dedup.forget(frame.frameId)
      settle(error)
      for (const waiting of entry.waiting ?? []) waiting(error)
    }
  }
}
