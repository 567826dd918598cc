/**
 * One open stream: a filter, a cursor over the ring, and a sink.
 *
 * Past and present are one path. A subscription that has everything is `live` and is handed the bytes of
 * each turn; one that has not reads from the ring at its own pace until it has. So replay, resumption and
 * falling behind are the same thing, there is no hand-over between them to lose a frame in, and "too slow"
 * has one meaning: the ring has passed its cursor, which it is told as a gap.
 *
 * @see memo §7.2, AC-141…AC-145; docs/http.md §6, R-15, R-16, R-27
 */
import type { Clock, Timer } from '../../core/clock.ts'
import { AgentdError, unreachable } from '../../core/errors.ts'
import { formatEventId } from '../../protocol/address/event-id.ts'
import { filterAdmits, type Filter } from '../../protocol/frame/filter.ts'
import { RETRY_MS } from '../../core/limits.ts'
import { scopeNames, type Addressee } from '../../protocol/address/scope.ts'
import {
  encodeBye,
  encodeCursor,
  encodeGap,
  encodeKeepAlive,
  encodePreamble,
  type ByeReason,
  type Gap,
} from '../../protocol/sse/encoder.ts'
import type { Counters } from '../ring/counters.ts'
import { hears, type Hearer } from './hearing.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { ReplayStart } from '../ring/replay-start.ts'
import { Backpressure } from './backpressure.ts'
import { encodeRetained, type Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { Sink } from './sink.ts'

/** What a subscription is built from. */
export interface SubscriptionParts {
  /** Whose stream it is: what a scope has to name, or an envelope. */
  readonly addressee: Addressee & Hearer
  readonly filter: Filter
  /** Entities the stream itself named, besides those of its session. */
  readonly entities: readonly string[]
  /** Whether what it does not take waits in the session's mailbox, as if there were no stream. */
  readonly isAside: boolean
  readonly ring: Ring
  readonly clock: Clock
  readonly limits: Pick<BrokerLimits, 'subscriptionBytes' | 'slowConsumerMs' | 'keepAliveMs'>
  readonly sink: Sink
  readonly counters: Counters
  /** Runs a step of a long replay after other work has had its turn. */
  readonly later: (step: () => void) => void
  /** Called once, when the subscription is over for whatever reason. */
  readonly onClose: (subscription: Subscription) => void
}

/** Frames read from the ring per step, so that one long replay never holds the event loop. */
const PAGE_FRAMES = 256

/**
 * Text written per step. Frames differ in size by a factor of a hundred: a page of large ones would be 16 MiB
 * for each reader that has stopped, and those bytes are nobody else's.
 */
const PAGE_LENGTH = 256 * 1024

/** Frames read in the first step, before it is known how large they are. */
const FIRST_PAGE_FRAMES = 32

export class Subscription {
  readonly filter: Filter
  readonly entities: readonly string[]
  readonly isAside: boolean
  readonly #parts: SubscriptionParts
  /** The last place handed to the sink, or passed over because it did not match. */
  #cursor: number
  /**
   * `live`: everything up to the newest frame is with the sink. `behind`: a pump reads from the ring.
   * `searching`: the place to begin at is being looked for, and nothing is read before it is found.
   */
  #state: 'live' | 'behind' | 'searching' | 'closed' = 'behind'
  /** Buffers of the current turn, shared with every subscription of the same audience. */
  #turn: Buffer[] = []
  readonly #pace: Backpressure
  #keepAlive: Timer | undefined
  #lastWriteMs: number
  /** Why the ring may have passed the cursor: at the start retention, later the reader's own pace. */
  #passedBecause: 'trimmed' | 'overflow' = 'trimmed'
  #framesSent = 0
  /** Frames to read in the next step: what the last one could use, or twice as many as it had. */
  #pageFrames = FIRST_PAGE_FRAMES

  /** @param afterSeq - the place the reader already has */
  constructor(parts: SubscriptionParts, afterSeq: number) {
    this.filter = parts.filter
    this.entities = parts.entities
    this.isAside = parts.isAside
    this.#parts = parts
    this.#cursor = afterSeq
    this.#lastWriteMs = parts.clock.monotonicMs()
    this.#pace = new Backpressure({ ...parts, onSlow: () => this.#cut() })
  }

  get isOpen(): boolean {
    return this.#state !== 'closed'
  }

  /** Frames handed to the sink so far. */
  get framesSent(): number {
    return this.#framesSent
  }

  /**
   * Greets the reader, says what it cannot get any more, and begins.
   *
   * @param replay - begin with so many of the newest frames it is shown, instead of after the place it has
   */
  start(gap: Gap | undefined, replay?: number): void {
    const { ring } = this.#parts
    const opening = [encodePreamble(ring.eventId(ring.lastSeq))]
    // The cursor that follows a gap repairs the reader's own, should it drop again before the next frame.
    if (gap !== undefined) opening.push(encodeGap(gap), encodeCursor(ring.eventId(this.#cursor)))
    this.#write([Buffer.from(opening.join(''))])
    this.#armKeepAlive(this.#parts.limits.keepAliveMs)
    if (replay === undefined) return this.#pump()
    this.#state = 'searching'
    return this.#search(new ReplayStart(ring, replay, (retained) => this.#matches(retained)))
  }

  /** Looks for the place to begin at. What comes meanwhile lies behind that place and is read from the ring. */
  #search(lookBack: ReplayStart): void {
    if (this.#state !== 'searching') return
    const place = lookBack.step()
    if (place === undefined) return this.#parts.later(() => this.#search(lookBack))
    this.#cursor = place
    this.#state = 'behind'
    return this.#pump()
  }

  /** Takes its share of a turn's bytes; `flush` sends them. A reader that is behind gets them from the ring. */
  offer(chunk: Buffer, lastSeq: number, frames: number): boolean {
    if (this.#state !== 'live') return false
    this.#turn.push(chunk)
    this.#cursor = lastSeq
    this.#framesSent += frames
    return true
  }

  /** Sends what this turn brought. */
  flush(): void {
    if (this.#state === 'closed' || this.#turn.length === 0) return
    const chunks = this.#turn
    this.#turn = []
    this.#write(chunks)
    if (this.#parts.sink.backlogBytes > this.#parts.limits.subscriptionBytes) this.#fallBehind()
  }

  /** The reader has taken everything: a stalled pump goes on. */
  drained(): void {
    this.#pace.drained()
    if (this.#state === 'behind') this.#pump()
  }

  /** The sequence began anew: what lay between is gone, and the reader is told before anything else. */
  restart(reason: 'corrupt', previousEpoch: string): void {
    if (this.#state === 'closed') return
    const { ring, counters } = this.#parts
    const requested = formatEventId(previousEpoch, this.#cursor)
    const gap: Gap = { reason, requested, oldest: ring.oldestEventId, missed: null }
    this.#cursor = ring.lastSeq
    this.#state = 'live'
    counters.gapsTold += 1
    this.#write([Buffer.from(encodeGap(gap) + encodeCursor(ring.eventId(this.#cursor)))])
  }

  /** Ends the stream with a reason the reader can act on. */
  bye(reason: ByeReason, retryMs?: number): void {
    if (this.#state === 'closed') return
    const last = Buffer.concat([...this.#turn, Buffer.from(encodeBye(reason, retryMs))])
    this.closed()
    this.#parts.sink.end(last)
  }

  #cut(): void {
    this.#parts.counters.streamsCutSlow += 1
    this.bye('slow-consumer')
  }

  /** The connection is gone. */
  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#turn = []
    this.#pace.drained()
    this.#keepAlive?.cancel()
    this.#parts.onClose(this)
  }

  /** Reads pages from the ring until the reader is full or has everything. */
  #pump(): void {
    if (this.#state !== 'behind' || this.#pace.isWaiting) return
    const { ring } = this.#parts
    this.#tellIfPassed()
    const page = this.#readPage()
    if (page === undefined) return
    // What was forgotten leaves no frame behind, so the last place may have none.
    if (page.length === 0) this.#cursor = ring.lastSeq
    else this.#writePage(page)
    if (this.#cursor >= ring.lastSeq) this.#state = 'live'
    else if (!this.#pace.isWaiting) this.#parts.later(() => this.#pump())
  }

  /** A disk that refuses to be read is asked again later: nothing is passed over, and the reader waits. */
  #readPage(): readonly Retained[] | undefined {
    const { clock, ring } = this.#parts
    try {
      return ring.read(this.#cursor, this.#pageFrames)
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      clock.after(error.retryAfterMs ?? RETRY_MS, () => this.#pump())
      return undefined
    }
  }

  /** Writes what matches, as far as a step goes, and leaves the cursor behind it. */
  #writePage(page: readonly Retained[]): void {
    let text = ''
    let taken = 0
    for (const retained of page) {
      if (text.length >= PAGE_LENGTH) break
      taken += 1
      this.#cursor = retained.seq
      if (!this.#matches(retained)) continue
      this.#framesSent += 1
      text += encodeRetained(this.#parts.ring.eventId(retained.seq), retained)
    }
    this.#pageFrames = taken < page.length ? taken : Math.min(PAGE_FRAMES, 2 * this.#pageFrames)
    if (text !== '') this.#write([Buffer.from(text)])
  }

  /** Whether a stream would get this, by scope or by entity, and by its filter. */
  #matches(retained: Retained): boolean {
    const { addressee } = this.#parts
    switch (retained.type) {
      case 'frame':
        return scopeNames(retained.scope, addressee) && filterAdmits(this.filter, retained)
      case 'envelope':
        return hears(this, addressee, retained)
      default:
        return unreachable(retained)
    }
  }

  #tellIfPassed(): void {
    const { ring } = this.#parts
    const missed = ring.firstSeq - this.#cursor - 1
    if (missed <= 0) return
    const gap = {
      reason: this.#passedBecause,
      requested: ring.eventId(this.#cursor),
      oldest: ring.oldestEventId,
      missed,
    }
    this.#cursor += missed
    this.#parts.counters.gapsTold += 1
    this.#write([Buffer.from(encodeGap(gap))])
  }

  #fallBehind(): void {
    // The turn is complete: everything in the ring has been handed over or did not match.
    this.#cursor = this.#parts.ring.lastSeq
    this.#state = 'behind'
    this.#passedBecause = 'overflow'
    // A sink that has not asked for patience will not say `drained` either.
    if (!this.#pace.isWaiting) this.#parts.later(() => this.#pump())
  }

  #write(chunks: readonly Buffer[]): void {
    this.#lastWriteMs = this.#parts.clock.monotonicMs()
    this.#pace.write(chunks)
  }

  /** One timer per stream that looks how long the silence has been; writing does not have to touch it. */
  #armKeepAlive(delayMs: number): void {
    this.#keepAlive = this.#parts.clock.after(delayMs, () => {
      const { clock, limits, ring } = this.#parts
      const silentMs = clock.monotonicMs() - this.#lastWriteMs
      if (silentMs < limits.keepAliveMs) return this.#armKeepAlive(limits.keepAliveMs - silentMs)
      // Behind a reader that takes nothing, more bytes would only be more backlog.
      if (!this.#pace.isWaiting) {
        const hasAll = this.#state === 'live'
        this.#write([Buffer.from(encodeKeepAlive(hasAll ? ring.eventId(ring.lastSeq) : undefined))])
      }
      return this.#armKeepAlive(limits.keepAliveMs)
    })
  }
}
