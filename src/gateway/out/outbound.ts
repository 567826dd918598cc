/**
 * The way out of one link: the feed there is, who is here, and how far the hub has it.
 *
 * @see FED-02, FED-20…FED-22, FED-51
 */
import type { Broker } from '../../broker/broker.ts'
import type { Defer } from '../../broker/ring/background.ts'
import { idOf } from '../../broker/ingest/receipts.ts'
import type { Sink } from '../../broker/stream/sink.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { LinkFile } from '../../link/link-file.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import type { Acknowledged, FeedQuery } from '../../protocol/http/link-exchange.ts'
import { Feed, type FeedStart } from './feed.ts'
import type { Leaving } from './leaving.ts'
import { OwnPresence } from './own-presence.ts'
import { backlogAfter, type Backlog } from './waiting.ts'

/** What it stands on. */
interface OutboundParts {
  readonly name: string
  readonly file: Pick<LinkFile, 'realm' | 'since_ms'>
  readonly broker: Broker
  readonly clock: Clock
  readonly defer: Defer
  /** Asked each time, because they may be reloaded. */
  readonly rulesOf: (name: string) => LinkRules
}

export class Outbound {
  readonly #parts: OutboundParts
  readonly #leaving: Leaving
  readonly #presence: OwnPresence
  readonly #stopReports: () => void
  #feed: Feed | undefined
  /** The last place that left, and how far nothing behind it does: a gap between the two misses nothing. */
  #quiet = { afterSeq: 0, upToSeq: 0, epoch: '' }
  /** Records given to bridges, and gaps told to them, since the daemon started. */
  fedCount = 0
  gapCount = 0

  constructor(parts: OutboundParts, leaving: Leaving) {
    const { broker, clock, name, rulesOf } = parts
    this.#parts = parts
    this.#leaving = leaving
    this.#presence = new OwnPresence({
      clock,
      sessions: () => broker.sessions.present(),
      told: () => rulesOf(name).allow.presence,
      tell: (text) => this.#feed?.tellPresence(text),
    })
    this.#stopReports = broker.origins.onReports(() => this.#feed?.more())
  }

  /** @throws AgentdError `field-invalid`, field `after` */
  open({ after, reports }: FeedQuery, sink: Sink): Feed {
    const start = this.#startOf(after, reports)
    this.#feed?.end()
    const { broker, clock, defer, file } = this.#parts
    const feed = new Feed(
      {
        realm: file.realm,
        ring: broker.ring,
        origins: broker.origins,
        leaving: this.#leaving,
        clock,
        sink,
        defer,
        fed: (seq) => {
          this.fedCount += 1
          this.#quiet = { afterSeq: seq, upToSeq: seq, epoch: broker.ring.epoch }
        },
        gapTold: () => {
          this.gapCount += 1
        },
        onGone: (gone) => this.#gone(gone),
      },
      start,
    )
    this.#feed = feed
    this.#quiet = { afterSeq: start.afterSeq, upToSeq: start.afterSeq, epoch: broker.ring.epoch }
    this.#presence.start()
    feed.more()
    return feed
  }

  /** There is more in the ring, or less. */
  more(): void {
    this.#feed?.more()
  }

  /** Who is here, or what may be told of it, is not as it was. */
  presenceChanged(): void {
    this.#presence.changed()
  }

  acknowledged({ last, reports, stream_created, stream_seq }: Acknowledged): void {
    const { broker, file } = this.#parts
    broker.origins.setAcked(file.realm, {
      last,
      reports,
      streamCreated: stream_created,
      streamSeq: stream_seq,
    })
  }

  /** The place behind which a lane begins that holds nothing: nothing of before the link was added leaves (FED-21). */
  get sinceEventId(): string {
    const { broker, file } = this.#parts
    const { ring } = broker
    let [low, high] = [ring.firstSeq, ring.lastSeq + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const found = ring.read(middle - 1, 1)[0]
      if (found === undefined || found.acceptedAtMs >= file.since_ms) high = middle
      else low = found.seq + 1
    }
    return ring.eventId(low - 1)
  }

  /** What is retained at a place is called so between nodes; undefined where nothing is. */
  idAt(eventId: string): string | undefined {
    const { broker } = this.#parts
    const seq = broker.placeOf(eventId)
    const retained = seq === undefined ? undefined : broker.ring.get(seq)
    return retained === undefined ? undefined : idOf(retained)
  }

  /** What waits for the hub. */
  get backlog(): Backlog {
    const { broker, file } = this.#parts
    const { last } = broker.origins.ackedOf(file.realm) ?? { last: null }
    const place = last === null ? undefined : broker.placeOf(last)
    const afterSeq = place ?? broker.placeOf(this.sinceEventId) ?? 0
    return backlogAfter(afterSeq, { ring: broker.ring, leaving: this.#leaving })
  }

  close(): void {
    this.#presence.stop()
    this.#feed?.end()
    this.#stopReports()
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
    this.#presence.stop()
  }
}
