/**
 * One lane that is written: its feed, how far the hub has it, and what waits.
 *
 * @see FED-02, FED-20…FED-22
 */
import type { Broker } from '../../broker/broker.ts'
import type { Defer } from '../../broker/ring/background.ts'
import type { Sink } from '../../broker/stream/sink.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import type { Audience } from '../../link/audience.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import type { Acknowledged, FeedQuery } from '../../protocol/http/link-exchange.ts'
import { Feed, type FeedStart } from './feed.ts'
import type { Wrapping } from './feed-lines.ts'
import type { Leaving } from './leaving.ts'
import { Waiting, type Backlog } from './waiting.ts'

interface LaneParts {
  /** What its place and its reports are kept under. */
  readonly streamKey: string
  readonly audience: Audience
  readonly broker: Pick<Broker, 'origins' | 'placeOf' | 'ring'>
  readonly leaving: Pick<Leaving, 'textOf'>
  readonly wrapping: Wrapping
  readonly isHeld: () => boolean
  readonly clock: Clock
  readonly defer: Defer
  /** Told of each record that was fed, and of each gap that was told. */
  readonly fed: () => void
  readonly gapTold: () => void
  /** Told that its feed has ended. */
  readonly onGone: () => void
}

export class LaneOut {
  readonly #parts: LaneParts
  readonly #waiting: Waiting
  #feed: Feed | undefined
  /** The last place that left, and how far nothing behind it does: a gap between the two misses nothing. */
  #quiet = { afterSeq: 0, upToSeq: 0, epoch: '' }

  constructor(parts: LaneParts) {
    this.#parts = parts
    const { audience, broker, leaving } = parts
    this.#waiting = new Waiting({
      ring: broker.ring,
      leaves: (retained) => leaving.textOf(retained, audience) !== undefined,
    })
  }

  /** @throws AgentdError `field-invalid`, field `after` */
  open({ after, reports }: Pick<FeedQuery, 'after' | 'reports'>, sink: Sink): Feed {
    const start = this.#startOf(after, reports)
    this.#feed?.end()
    const { audience, broker, clock, defer, gapTold, isHeld, leaving, streamKey, wrapping } = this.#parts
    const { origins, ring } = broker
    const fed = (seq: number): void => {
      this.#parts.fed()
      this.#quiet = { afterSeq: seq, upToSeq: seq, epoch: ring.epoch }
    }
    const onGone = (gone: Feed): void => this.#gone(gone)
    const feed = new Feed(
      {
        streamKey,
        audience,
        ring,
        origins,
        leaving,
        wrapping,
        isHeld,
        clock,
        sink,
        defer,
        fed,
        gapTold,
        onGone,
      },
      start,
    )
    this.#feed = feed
    // What was for somebody who was here may be for somebody else since.
    this.#waiting.recount()
    this.#quiet = { afterSeq: start.afterSeq, upToSeq: start.afterSeq, epoch: ring.epoch }
    feed.more()
    return feed
  }

  /** There is more in the ring, or less. */
  more(): void {
    this.#feed?.more()
  }

  tellPresence(text: string): void {
    this.#feed?.tellPresence(text)
  }

  acknowledged({ last, reports, stream_created, stream_seq }: Acknowledged): void {
    this.#parts.broker.origins.setAcked(this.#parts.streamKey, {
      last,
      reports,
      streamCreated: stream_created,
      streamSeq: stream_seq,
    })
  }

  /** How far the engine has it. */
  get acked(): Acknowledged | null {
    const acked = this.#parts.broker.origins.ackedOf(this.#parts.streamKey)
    if (acked === undefined) return null
    const { last, reports, streamCreated, streamSeq } = acked
    return { last, reports, stream_created: streamCreated, stream_seq: streamSeq }
  }

  /** Counts what waits a page further; as `Waiting.count`. @param since - the place behind which the lane begins */
  count(since: string, upToSeq: number): boolean {
    return this.#waiting.count(this.#onHub(since), upToSeq)
  }

  /** What waits for the hub, as far as it was counted. @param since - the place behind which the lane begins */
  backlog(since: string): Backlog {
    return this.#waiting.after(this.#onHub(since))
  }

  /** What leaves, or for whom, is not what it was. */
  recount(): void {
    this.#waiting.recount()
  }

  end(): void {
    this.#feed?.end()
  }

  /** The last place that is on the hub, or behind which the lane begins. */
  #onHub(since: string): number {
    const { broker } = this.#parts
    const { last } = this.acked ?? { last: null }
    const place = last === null ? undefined : broker.placeOf(last)
    return place ?? broker.placeOf(since) ?? 0
  }

  #startOf(after: string | undefined, reports: number): FeedStart {
    const { ring } = this.#parts.broker
    const beginning = ring.firstSeq - 1
    if (after === undefined || after === '') return { afterSeq: beginning, reports }
    const place = readEventId(after)
    if (place === undefined)
      throw new AgentdError('field-invalid', '"after" is not an event id.', { field: 'after' })
    const isOurs = place.epoch === ring.epoch && place.seq <= ring.lastSeq
    if (!isOurs) return { afterSeq: beginning, reports, voidCursor: after }
    const { afterSeq, upToSeq, epoch } = this.#quiet
    const isQuiet = epoch === ring.epoch && afterSeq === place.seq && upToSeq > place.seq
    return { afterSeq: isQuiet ? upToSeq : place.seq, reports }
  }

  #gone(gone: Feed): void {
    if (this.#feed !== gone) return
    this.#quiet = { ...this.#quiet, upToSeq: Math.max(this.#quiet.upToSeq, gone.cursor) }
    this.#feed = undefined
    this.#parts.onGone()
  }
}
