/**
 * What the sender may know: who got a frame, for whom it waits, who has seen it.
 *
 * @see docs/http.md §§5, 7, PD-01
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import type { ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { SeenRequest, Via } from '../../protocol/http/requests.ts'
import type { Background } from '../ring/background.ts'
import type { Ledger } from '../session/ledger.ts'
import { envelopeKey, type Retained, type RetainedEnvelope, type RetainedFrame } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'
import { startWait } from './wait.ts'

/** Places one `up_to` may cover; what lies further back was somebody else's, or long ago. */
export const MAX_SEEN_SPAN = 16_384

interface ReceiptLookupParts {
  readonly ring: Ring
  readonly ledger: Ledger
  readonly clock: Clock
  readonly background: Background
}

export class ReceiptLookup {
  readonly #ring: Ring
  readonly #clock: Clock
  readonly #ledger: Ledger
  readonly #background: Background

  constructor({ ring, ledger, clock, background }: ReceiptLookupParts) {
    this.#ring = ring
    this.#ledger = ledger
    this.#clock = clock
    this.#background = background
  }

  /**
   * Learns where a frame of long ago is, in steps between which others have their turn; `require` would read all of
   * the ring at once.
   *
   * @throws AgentdError `closing`
   */
  async recall(frameId: string): Promise<void> {
    if (this.#ring.findKnown(frameId.toLowerCase()) !== undefined) return
    await this.#background.until(() => this.#ring.learnIds() || undefined)
  }

  /** @throws AgentdError `not-found` when the frame never was, or is no longer retained */
  require(frameId: string): RetainedFrame {
    const retained = this.#ring.find(frameId.toLowerCase())
    if (retained?.type === 'frame') return retained
    throw new AgentdError('not-found', 'No retained frame has this id.', { field: 'frame_id' })
  }

  /** @throws AgentdError `not-found` when the envelope never was, or is no longer retained */
  requireEnvelope(id: string): RetainedEnvelope {
    const retained = this.#ring.find(envelopeKey(id))
    if (retained?.type === 'envelope') return retained
    throw new AgentdError('not-found', 'No retained envelope has this id.', { field: 'id' })
  }

  /** What became of it; its own name is for whoever answers to add. */
  describe(retained: Retained): Omit<ReceiptsReply, 'frame_id'> {
    const { delivery } = retained
    return {
      event_id: this.#ring.eventId(retained.seq),
      accepted_at: new Date(retained.acceptedAtMs).toISOString(),
      recipient_count: delivery.recipientCount,
      queued_count: delivery.queuedCount,
      receipts: delivery.receipts().map(({ address, state, atMs, via }) => ({
        address,
        state,
        at: new Date(atMs).toISOString(),
        ...(via !== undefined && { via }),
      })),
    }
  }

  /**
   * Calls back once, when the wait is over or the deadline has passed.
   *
   * @returns a function that gives the wait up
   */
  wait(retained: Retained, wait: 'seen' | 'all', timeoutMs: number, done: () => void): () => void {
    const { delivery, senderAddress } = retained
    return startWait({
      clock: this.#clock,
      timeoutMs,
      isOver: () => delivery.isSettled(wait, senderAddress),
      onChange: (wake) => delivery.onChange(wake),
      done,
    })
  }

  /**
   * A session says what it has seen.
   *
   * @returns how many frames that was news about
   * @throws AgentdError `field-invalid` for an id that is not of this daemon's sequence
   */
  markSeen(session: Session, request: SeenRequest): number {
    const seqs =
      request.up_to === undefined
        ? (request.event_ids ?? []).map((id, i) => this.#requireSeq(id, `event_ids[${i}]`))
        : this.#upTo(session, this.#requireSeq(request.up_to, 'up_to'))
    return this.conclude(session, seqs, 'seen', request.via)
  }

  /** Records an end at one recipient for each place, and takes it out of the mailbox. */
  conclude(session: Session, seqs: readonly number[], state: 'seen' | 'expired', via?: Via): number {
    const outcome = { state, atMs: this.#clock.nowMs(), ...(via !== undefined && { via }) }
    const news = new Set<number>()
    for (const address of [session.address, ...session.heirOf]) {
      const concluded = seqs.filter(
        (seq) => this.#ring.get(seq)?.delivery.conclude(address, outcome) === true,
      )
      if (concluded.length > 0) this.#ledger.concluded(concluded, address, outcome)
      for (const seq of concluded) news.add(seq)
    }
    const waited = session.mailbox?.remove(new Set(seqs)) ?? []
    if (waited.length > 0) this.#ledger.mailboxRemoved(session.address, waited)
    return news.size
  }

  /** Places not yet called seen, up to and with the given one. */
  #upTo(session: Session, seq: number): readonly number[] {
    const first = Math.max(this.#ring.firstSeq, session.seenUpToSeq + 1, seq - MAX_SEEN_SPAN + 1)
    session.seenUpToSeq = Math.max(session.seenUpToSeq, seq)
    const waiting = session.mailbox?.peek().filter((one) => one <= seq && one < first) ?? []
    return [...waiting, ...Array.from({ length: Math.max(0, seq - first + 1) }, (_, i) => first + i)]
  }

  #requireSeq(text: string, field: string): number {
    const id = readEventId(text)
    if (id !== undefined && id.epoch === this.#ring.epoch && id.seq <= this.#ring.lastSeq) return id.seq
    throw new AgentdError('field-invalid', `"${field}" is not an event id of this daemon.`, { field })
  }
}
