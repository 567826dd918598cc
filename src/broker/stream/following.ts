/**
 * One reader that follows the sequence: a cursor over the ring, and a sink.
 *
 * Past and present are one path. A reader that has everything is `live` and is handed the bytes of
 * each turn; one that has not reads from the ring as its reader takes it until it has. So replay, resumption and
 * falling behind are the same thing, there is no hand-over between them to lose a frame in, and "too slow"
 * has one meaning: the ring has passed its cursor, which it is told as a gap.
 *
 * @see memo §7.2, AC-141…AC-145; docs/http.md §6, R-15, R-16, R-27
 */
import { AgentdError } from '../../core/errors.ts'
import { RETRY_MS } from '../../core/limits.ts'
import {
  encodeBye,
  encodeCursor,
  encodeGap,
  encodeKeepAlive,
  encodePreamble,
  type ByeReason,
} from '../../protocol/sse/encoder.ts'
import { Backpressure } from './backpressure.ts'
import type { Beginning } from './beginning.ts'
import type { FollowingParts } from './following-parts.ts'
import { HolesAhead, holeGap, passedGap, restartGap } from './gaps.ts'
import { KeepAlive } from './keep-alive.ts'
import { ReplayPages, type ReplayPage, type Shown } from './replay-pages.ts'
import { ReplayStart } from './replay-start.ts'
import type { Search } from '../ring/facts-table.ts'
import { encodeRetained, type Retained } from '../ring/retained.ts'

/** Whoever follows says what it is shown, and is told when it is over. */
export abstract class Following {
  readonly #parts: FollowingParts
  readonly #shown: Shown
  /** The last place handed to the sink, or passed over because it did not match. */
  #cursor: number
  /** `live`: all is with the sink. `behind`: a pump reads from the ring. `searching`: where to begin is not found yet. */
  #state: 'live' | 'behind' | 'searching' | 'closed' = 'behind'
  /** Buffers of the current turn, shared with every other reader of the same. */
  #chunks: Buffer[] = []
  readonly #backpressure: Backpressure
  readonly #keepAlive: KeepAlive
  readonly #replay: ReplayPages
  readonly #holes: HolesAhead
  /** Why the ring may have passed the cursor: at the start retention, later the reader's own slowness. */
  #passedBecause: 'trimmed' | 'overflow' = 'trimmed'

  /** @param search - what may be shown, to be found without reading the rest; undefined where that is most of it */
  constructor(parts: FollowingParts, { afterSeq, isNow }: Beginning, search: Search | undefined) {
    this.#parts = parts
    this.#cursor = afterSeq
    this.#holes = new HolesAhead(parts.ring.origins)
    if (isNow !== true) this.#holes.beginAt(afterSeq)
    this.#backpressure = new Backpressure({ ...parts, onSlow: () => this.cut() })
    this.#keepAlive = new KeepAlive({ ...parts, onSilence: () => this.#breakSilence() })
    this.#shown = {
      shows: (retained) => this.shows(retained),
      encode: (eventId, retained) => this.encode(eventId, retained),
      search,
    }
    this.#replay = new ReplayPages(parts.ring, this.#shown)
  }

  get isOpen(): boolean {
    return this.#state !== 'closed'
  }

  /** Whether it is handed the bytes of each turn; otherwise it reads them from the ring when it can take them. */
  get isLive(): boolean {
    return this.#state === 'live'
  }

  /**
   * Greets the reader, says what it cannot get any more, and begins.
   *
   * @param greeting - an event in front of everything
   */
  start({ gap, replay }: Beginning, greeting = ''): void {
    const { ring } = this.#parts
    const opening = [encodePreamble(ring.eventId(ring.lastSeq)), greeting]
    // The cursor that follows a gap repairs the reader's own, should it drop again before the next frame.
    if (gap !== undefined) opening.push(encodeGap(gap), encodeCursor(ring.eventId(this.#cursor)))
    this.write([Buffer.from(opening.join(''))])
    this.#keepAlive.start()
    if (replay === undefined) return this.#pump()
    this.#state = 'searching'
    return this.#search(new ReplayStart(ring, replay, this.#shown))
  }

  /** Looks for the place to begin at. What comes meanwhile lies behind that place and is read from the ring. */
  #search(replayStart: ReplayStart): void {
    if (this.#state !== 'searching') return
    const place = replayStart.step()
    if (place === undefined)
      return this.#parts.background.later(() => this.#search(replayStart), this.#parts.sink)
    this.#cursor = place
    this.#holes.beginAt(place)
    this.#state = 'behind'
    return this.#pump()
  }

  /** Takes its share of a turn's bytes; `flush` sends them. A reader that is behind gets them from the ring. */
  offer(chunk: Buffer, lastSeq: number): boolean {
    if (this.#state !== 'live') return false
    this.#chunks.push(chunk)
    this.#cursor = lastSeq
    return true
  }

  /** Sends what this turn brought. */
  flush(): void {
    if (this.#state === 'closed' || this.#chunks.length === 0) return
    const chunks = this.#chunks
    this.#chunks = []
    this.write(chunks)
    if (this.#parts.sink.backlogBytes > this.#parts.limits.subscriptionBytes) this.#fallBehind()
  }

  /** The reader has taken everything: a stalled pump goes on. */
  drained(): void {
    this.#backpressure.drained()
    if (this.#state === 'behind') this.#pump()
  }

  /** The sequence began anew: what lay between is gone, and the reader is told before anything else. */
  restart(reason: 'corrupt', previousEpoch: string): void {
    if (this.#state === 'closed') return
    const { ring } = this.#parts
    const gap = restartGap(ring, reason, { epoch: previousEpoch, seq: this.#cursor })
    this.#cursor = ring.lastSeq
    this.#holes.skip()
    this.#state = 'live'
    this.#tell(encodeGap(gap) + encodeCursor(ring.eventId(this.#cursor)))
  }

  /** Something of another node is missing: whoever has everything is told now, others when they come to it (FED-28). */
  tellHoles(): void {
    if (this.#state === 'live') this.#tellHolesUpTo(this.#parts.ring.lastSeq)
  }

  /** Ends the stream with a reason the reader can act on. */
  bye(reason: ByeReason, retryMs?: number): void {
    if (this.#state === 'closed') return
    const last = Buffer.concat([...this.#chunks, Buffer.from(encodeBye(reason, retryMs))])
    this.closed()
    this.#parts.sink.end(last)
  }

  /** It has not taken in time what waited for it. */
  protected cut(): void {
    this.#parts.counters.streamsCutSlow += 1
    this.bye('slow-consumer')
  }

  /** The connection is gone. */
  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#chunks = []
    this.#backpressure.drained()
    this.#keepAlive.stop()
    this.gone()
  }

  /** Whether it is shown something. */
  protected abstract shows(retained: Retained): boolean

  /** The event that says it. */
  protected encode(eventId: string, retained: Retained): string {
    return encodeRetained(eventId, retained)
  }

  /** Called once, when it is over for whatever reason. */
  protected abstract gone(): void

  /** Reads pages from the ring until the reader is full or has everything. */
  #pump(): void {
    if (this.#state !== 'behind' || this.#backpressure.isWaiting) return
    const { ring } = this.#parts
    this.#tellIfPassed()
    this.#tellHolesUpTo(this.#cursor)
    const page = this.#readPage()
    if (page === undefined) return
    this.#cursor = page.lastSeq
    if (page.text !== '') this.write([Buffer.from(page.text)])
    if (this.#cursor >= ring.lastSeq) {
      this.#tellHolesUpTo(this.#cursor)
      this.#state = 'live'
    } else if (!this.#backpressure.isWaiting)
      this.#parts.background.later(() => this.#pump(), this.#parts.sink)
  }

  /** A disk that refuses to be read is asked again later: nothing is passed over, and the reader waits. */
  #readPage(): ReplayPage | undefined {
    try {
      return this.#replay.after(this.#cursor, this.#holes.readableUpTo)
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      this.#parts.clock.after(error.retryAfterMs ?? RETRY_MS, () => this.#pump())
      return undefined
    }
  }

  #tellIfPassed(): void {
    const gap = passedGap(this.#parts.ring, this.#cursor, this.#passedBecause)
    if (gap === undefined) return
    this.#cursor += gap.missed
    this.#tell(encodeGap(gap))
  }

  #tellHolesUpTo(seq: number): void {
    const { ring } = this.#parts
    for (const hole of this.#holes.takeUpTo(seq)) this.#tell(encodeGap(holeGap(ring, hole)))
  }

  #tell(gap: string): void {
    this.#parts.counters.gapsTold += 1
    this.write([Buffer.from(gap)])
  }

  #fallBehind(): void {
    // The turn is complete: everything in the ring has been handed over or did not match.
    this.#cursor = this.#parts.ring.lastSeq
    this.#state = 'behind'
    this.#passedBecause = 'overflow'
    // A sink that has not asked for patience will not say `drained` either.
    if (!this.#backpressure.isWaiting) this.#parts.background.later(() => this.#pump(), this.#parts.sink)
  }

  /** Whether the reader takes nothing just now, and `drained` will come. */
  protected get isWaiting(): boolean {
    return this.#backpressure.isWaiting
  }

  protected write(chunks: readonly Buffer[]): void {
    this.#keepAlive.written()
    this.#backpressure.write(chunks)
  }

  #breakSilence(): void {
    // Behind a reader that takes nothing, more bytes would only be more backlog.
    if (this.#backpressure.isWaiting) return
    const { ring } = this.#parts
    const hasAll = this.#state === 'live'
    this.write([Buffer.from(encodeKeepAlive(hasAll ? ring.eventId(ring.lastSeq) : undefined))])
  }
}
