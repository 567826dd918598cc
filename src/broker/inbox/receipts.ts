/**
 * What the sender may know: who got a frame, for whom it waits, who has seen it.
 *
 * @see docs/http.md §§5, 7, PD-01
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { describeDelivery, mayLookUp, type DescriptionParts } from './describe-delivery.ts'
import type { ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { SeenRequest, Via } from '../../protocol/http/requests.ts'
import type { Asker } from '../ring/asker.ts'
import type { Conclusion } from '../ring/delivery.ts'
import type { Background } from '../ring/background.ts'
import type { ReceiptBook } from '../session/ledger.ts'
import { envelopeKey, type Retained, type RetainedEnvelope, type RetainedFrame } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Caller } from '../session/caller.ts'
import type { Session } from '../session/session.ts'
import { coalesce, topicOf } from './coalesce.ts'
import { MAX_DRAIN_WINDOW } from './inbox.ts'
import { concludeUpTo } from './seen-up-to.ts'
import { isSettledEverywhere, onAnyChange } from './settled.ts'
import { startWait } from './wait.ts'

/** Places one `up_to` may cover; what lies further back was somebody else's, or long ago. */
export const MAX_SEEN_SPAN = 16_384

const NOTHING: ReadonlyMap<number, readonly number[]> = new Map()

/** What a session says of places. */
interface Said {
  readonly state: Conclusion
  readonly via: Via
}

interface ReceiptLookupParts extends DescriptionParts {
  readonly ring: Ring
  readonly ledger: ReceiptBook
  readonly clock: Clock
  readonly background: Background
}

export class ReceiptLookup {
  readonly #ring: Ring
  readonly #clock: Clock
  readonly #ledger: ReceiptBook
  readonly #background: Background
  readonly #parts: DescriptionParts

  constructor(parts: ReceiptLookupParts) {
    const { ring, ledger, clock, background } = parts
    this.#parts = parts
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
  async recall(frameId: string, asker: Asker): Promise<void> {
    if (this.#ring.findKnown(frameId.toLowerCase()) !== undefined) return
    await this.#background.until(() => this.#ring.learnIds() || undefined, asker)
  }

  /** The frame of an id, where it is retained. */
  find(frameId: string): RetainedFrame | undefined {
    const retained = this.#ring.find(frameId.toLowerCase())
    return retained?.type === 'frame' ? retained : undefined
  }

  /** @param caller - absent: anybody's. @throws AgentdError `not-found` for one that never was, is retained no more, or is another Sovereign's */
  require(frameId: string, caller?: Caller): RetainedFrame {
    const retained = this.find(frameId)
    if (retained !== undefined && mayLookUp(caller, retained, this.#parts.authority)) return retained
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
    return describeDelivery(retained, this.#parts)
  }

  /**
   * Calls back once, when the wait is over or the deadline has passed.
   *
   * @returns a function that gives the wait up
   */
  wait(retained: Retained, wait: 'seen' | 'all', timeoutMs: number, done: () => void): () => void {
    return startWait({
      clock: this.#clock,
      timeoutMs,
      isOver: () => isSettledEverywhere(retained, wait, this.#parts),
      onChange: (wake) => onAnyChange(retained, this.#parts, wake),
      done,
    })
  }

  /**
   * A session says what it has seen, or has left out; all at once.
   *
   * @returns how many frames that was news about
   * @throws AgentdError `field-invalid` for an id that is not of this daemon's sequence
   */
  markSeen(session: Session, request: SeenRequest): number {
    const steps = this.#seenSteps(session, request)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value
    }
  }

  /** As {@link markSeen}, in steps between which others have their turn (HD-10). */
  markSeenInSteps(session: Session, request: SeenRequest, asker: Asker): Promise<number> {
    const steps = this.#seenSteps(session, request)
    return this.#background.until(() => {
      const { done, value } = steps.next()
      return done === true ? value : undefined
    }, asker)
  }

  *#seenSteps(session: Session, request: SeenRequest): Generator<undefined, number> {
    session.mailbox?.use()
    const { up_to: upTo, event_ids: eventIds = [], state = 'seen', via } = request
    const seqs = eventIds.map((id, i) => this.#requireSeq(id, `event_ids[${i}]`))
    if (state === 'handed') return this.handOver(session, seqs, via)
    if (upTo !== undefined) return yield* this.#upTo(session, this.#requireSeq(upTo, 'up_to'), { state, via })
    const replaced = [...this.#replacedBy(session, seqs).values()].flat()
    return this.conclude(session, seqs, state, via) + this.conclude(session, replaced, 'dropped', via)
  }

  /** Records an end at one recipient for each place, and takes it out of the mailbox. */
  conclude(session: Session, seqs: readonly number[], state: Conclusion, via?: Via): number {
    if (seqs.length === 0) return 0
    const outcome = { state, atMs: this.#clock.nowMs(), ...(via !== undefined && { via }) }
    const news = new Set<number>()
    // What came to a former address after it was handed over is not this session's to conclude (HD-01).
    const self = { address: session.address, upToSeq: Infinity }
    for (const { address, upToSeq } of [self, ...session.predecessors]) {
      const concluded = seqs.filter(
        (seq) => seq <= upToSeq && this.#ring.get(seq)?.delivery.conclude(address, outcome) === true,
      )
      if (concluded.length > 0) this.#ledger.concluded(concluded, address, outcome)
      for (const seq of concluded) news.add(seq)
    }
    session.mailbox?.remove(seqs)
    return news.size
  }

  /** Records that something was shown to a session, whether it had been sent to it or not (OP-25). */
  noteShown(session: Session, retained: Retained, via: Via): void {
    const outcome = { state: 'seen', atMs: this.#clock.nowMs(), via } as const
    if (retained.delivery.showTo(session.address, outcome))
      this.#ledger.concluded([retained.seq], session.address, outcome)
    session.mailbox?.remove([retained.seq])
  }

  /**
   * What was handed over before was shown after all, or waits again (OP-09).
   *
   * @param except - of what was shown, a way of handing over of which nothing is known yet
   * @returns how many frames that was news about
   */
  endHandOver(session: Session, end: 'seen' | 'returned', except?: Via): number {
    const { mailbox } = session
    if (mailbox === undefined || mailbox.handed.count === 0) return 0
    if (end === 'returned') {
      const seqs = mailbox.handed.takeBack()
      mailbox.wake()
      this.#ledger.stepped(seqs, session.address, { state: 'queued', atMs: this.#clock.nowMs() })
      return seqs.length
    }
    let news = 0
    for (const [seq, { via, replaced }] of mailbox.handed.takeAll(except))
      news += this.conclude(session, [seq], 'seen', via) + this.conclude(session, replaced, 'dropped', via)
    return news
  }

  /** Those of some places that wait are written to whoever shows them. @returns how many */
  handOver(session: Session, seqs: readonly number[], via: Via): number {
    const { mailbox } = session
    if (mailbox === undefined) return 0
    const atMs = this.#clock.nowMs()
    const { reading } = mailbox
    const waiting = seqs.filter((seq) => reading.has(seq))
    const replacedBy = this.#replacedBy(session, waiting)
    const handed = waiting.filter((seq) =>
      mailbox.handed.add(seq, { atMs, via, replaced: replacedBy.get(seq) ?? [] }),
    )
    this.#ledger.stepped(handed, session.address, { state: 'handed', atMs })
    return handed.length
  }

  /** Everything not concluded yet, up to and with a place. */
  *#upTo(session: Session, seq: number, { state, via }: Said): Generator<undefined, number> {
    const first = Math.max(this.#ring.firstSeq, session.seenUpToSeq + 1, seq - MAX_SEEN_SPAN + 1)
    const waiting = new Set((session.mailbox?.peek() ?? []).filter((one) => one <= seq))
    const span = Array.from({ length: Math.max(0, seq - first + 1) }, (_, i) => first + i)
    const news = yield* concludeUpTo({
      places: [...[...waiting].filter((one) => one < first), ...span],
      waiting,
      state,
      nowMs: this.#clock.nowMs(),
      ring: this.#ring,
      conclude: (places, end) => this.conclude(session, places, end, end === 'expired' ? undefined : via),
    })
    // Only now: who goes meanwhile, and says it again, finds the rest.
    session.seenUpToSeq = Math.max(session.seenUpToSeq, seq)
    return news
  }

  /** What waits and is stood for by each of some places, which no look would show: advisories about the same files. */
  #replacedBy({ mailbox }: Session, seqs: readonly number[]): ReadonlyMap<number, readonly number[]> {
    if (mailbox === undefined) return NOTHING
    const { reading } = mailbox
    const newest = Math.max(...seqs)
    const named = new Set(seqs.filter((seq) => reading.has(seq)))
    if (!this.#read([...named]).some((retained) => topicOf(retained) !== undefined)) return NOTHING
    const waiting = this.#read(reading.window(MAX_DRAIN_WINDOW).filter((seq) => seq <= newest))
    const standing = coalesce(waiting).filter(({ retained }) => named.has(retained.seq))
    return new Map(
      standing.map(({ retained, replaced }) => [retained.seq, replaced.filter((seq) => !named.has(seq))]),
    )
  }

  #read(seqs: readonly number[]): readonly Retained[] {
    return seqs.flatMap((seq) => this.#ring.get(seq) ?? [])
  }

  #requireSeq(text: string, field: string): number {
    const id = readEventId(text)
    if (id !== undefined && id.epoch === this.#ring.epoch && id.seq <= this.#ring.lastSeq) return id.seq
    throw new AgentdError('field-invalid', `"${field}" is not an event id of this daemon.`, { field })
  }
}
