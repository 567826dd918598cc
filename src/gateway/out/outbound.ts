/**
 * The way out of one link: its lanes, and who is here.
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
import { audienceToken, type Audience } from '../../link/audience.ts'
import type { LinkFile } from '../../link/link-file.ts'
import { MAX_PRESENCE_OCTETS } from '../../link/presence.ts'
import { isLaneOf, kvSubject, laneOf, nodeKey, ownNode, readLane, streamKey } from '../../link/realm.ts'
import { octetsToSeal } from '../../link/sealing/sealed-line.ts'
import type { AcknowledgedRequest, FeedQuery, LinkStateReply } from '../../protocol/http/link-exchange.ts'
import type { Plan } from '../plan/plan.ts'
import type { Feed } from './feed.ts'
import { LaneOut } from './lane-out.ts'
import type { Sealing } from '../seal/sealing.ts'
import type { Side } from '../side/side.ts'
import type { Leaving } from './leaving.ts'
import { OwnPresence } from './own-presence.ts'
import type { Backlog } from './waiting.ts'

/** What it stands on. */
interface OutboundParts {
  readonly name: string
  readonly file: Pick<LinkFile, 'realm' | 'node' | 'since_ms'>
  readonly broker: Broker
  readonly clock: Clock
  readonly defer: Defer
  /** Asked each time, because they may be reloaded. */
  readonly rulesOf: (name: string) => LinkRules
}

/** How it goes there. */
type Way = Pick<Sealing, 'digest' | 'isOn' | 'seal' | 'trouble'>

export class Outbound {
  readonly #parts: OutboundParts
  readonly #leaving: Leaving
  readonly #plan: Plan
  readonly #presence: OwnPresence
  readonly #way: Way
  readonly #stops: readonly (() => void)[]
  /** By the word for whom they are; also those that are not written any more. */
  readonly #lanes = new Map<string, LaneOut>()
  /** By which what waits was counted. */
  #rules = ''
  /** Records given to bridges, and gaps told to them, since the daemon started. */
  fedCount = 0
  gapCount = 0

  constructor(
    parts: OutboundParts,
    leaving: Leaving,
    plan: Plan,
    { side, way }: { readonly side: Pick<Side, 'isOwnRealm' | 'ownStanding'>; readonly way: Way },
  ) {
    const { broker, clock, file, name, rulesOf } = parts
    const subject = kvSubject(file.realm, nodeKey(file.realm, ownNode(file)))
    this.#way = way
    this.#parts = parts
    this.#leaving = leaving
    this.#plan = plan
    this.#presence = new OwnPresence({
      clock,
      // Under an organisation the person is there as the one member that this machine is of.
      sessions: () =>
        broker.sessions.present().filter(({ handle }) => side.isOwnRealm || handle === broker.principal),
      standing: () => side.ownStanding,
      told: () => rulesOf(name).allow.presence,
      maxOctets: () => (way.isOn ? octetsToSeal(MAX_PRESENCE_OCTETS) : MAX_PRESENCE_OCTETS),
      tell: (text) => {
        const said = way.seal(text, { subject })
        if (said !== undefined) this.#first.tellPresence(said)
      },
    })
    this.#stops = [broker.origins.onReports(() => this.more()), plan.onChange(() => this.#endFeeds())]
  }

  /** @throws AgentdError `field-invalid`, field `after`, or `lane` for one that this machine does not write */
  open({ lane, after, reports }: FeedQuery, sink: Sink): Feed {
    const audience = this.#requireAudience(lane)
    const out = this.#laneFor(audience)
    const feed = out.open({ after, reports }, sink)
    if (out === this.#first) this.#presence.start()
    return feed
  }

  /** There is more in the ring, or less. */
  more(): void {
    for (const lane of this.#lanes.values()) lane.more()
  }

  /** Who is here, or what may be told of it, is not as it was. */
  presenceChanged(): void {
    this.#presence.changed()
  }

  /** @throws AgentdError `field-invalid`, field `lane`, for one that is none of this machine's */
  acknowledged({ lane, ...acked }: Omit<AcknowledgedRequest, 'refused'>): void {
    const { file } = this.#parts
    const isOwn = lane === undefined || isLaneOf(file.realm, lane, ownNode(file))
    // It may be told of a lane that has just come to be written no more.
    const audience = lane === undefined ? this.#plan.lanes()[0] : readLane(file.realm, lane)?.audience
    if (!isOwn || audience === undefined) throw noLane()
    this.#laneFor(audience).acknowledged(acked)
  }

  /** What is written, and where each goes on. */
  get state(): LinkStateReply['lanes'] {
    const since = this.sinceEventId
    return this.#plan.lanes().map((audience) => ({
      lane: this.#subjectOf(audience),
      acked: this.#laneFor(audience).acked,
      since,
    }))
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

  /** @returns a step that counts what waits of what there is now a page further, and says whether that was all */
  counting(): () => boolean {
    const since = this.sinceEventId
    const { lastSeq } = this.#parts.broker.ring
    const left = this.#plan.lanes().map((audience) => this.#laneFor(audience))
    return () => {
      if (left[0]?.count(since, lastSeq) === true) left.shift()
      return left.length === 0
    }
  }

  /** What waits for the hub, lane by lane, as far as it was counted. */
  get backlogs(): readonly (Backlog & { readonly lane: string; readonly audience: Audience })[] {
    const since = this.sinceEventId
    return this.#plan.lanes().map((audience) => ({
      lane: this.#subjectOf(audience),
      audience,
      ...this.#laneFor(audience).backlog(since),
    }))
  }

  close(): void {
    this.#presence.stop()
    this.#endFeeds()
    for (const stop of this.#stops) stop()
  }

  /** Whoever looks at a link has its rules read anew, and they are seldom others. */
  rulesRead(): void {
    const { rules } = this.#leaving
    if (rules !== this.#rules) this.recount()
    this.#rules = rules
    this.#presence.changed()
  }

  /** What leaves, or for whom, is not what it was. */
  recount(): void {
    for (const lane of this.#lanes.values()) lane.recount()
  }

  /** How it leaves is not how it was: what waits in a bridge is fed to it once more. */
  wayChanged(): void {
    this.#endFeeds()
  }

  /** What is written or read is not what it was: a bridge that begins anew asks for it. */
  #endFeeds(): void {
    for (const lane of this.#lanes.values()) lane.end()
  }

  get #first(): LaneOut {
    return this.#laneFor(this.#plan.lanes()[0] ?? { of: 'person' })
  }

  #requireAudience(lane: string | undefined): Audience {
    const lanes = this.#plan.lanes()
    const audience = lane === undefined ? lanes[0] : lanes.find((one) => this.#subjectOf(one) === lane)
    if (audience === undefined) throw noLane()
    return audience
  }

  #subjectOf(audience: Audience): string {
    const { file } = this.#parts
    return laneOf(file.realm, { ...ownNode(file), audience })
  }

  #laneFor(audience: Audience): LaneOut {
    const word = audienceToken(audience)
    const known = this.#lanes.get(word)
    if (known !== undefined) return known
    const { broker, clock, defer, file } = this.#parts
    const way = this.#way
    const subject = this.#subjectOf(audience)
    const made: LaneOut = new LaneOut({
      streamKey: streamKey(file.realm, audience),
      audience,
      broker,
      leaving: this.#leaving,
      wrapping: {
        line: (line, place) => way.seal(line, { subject, ...place }),
        digest: (digest) => way.digest(digest),
      },
      isHeld: () => way.trouble !== undefined,
      clock,
      defer,
      fed: () => {
        this.fedCount += 1
      },
      gapTold: () => {
        this.gapCount += 1
      },
      onGone: () => {
        if (made === this.#first) this.#presence.stop()
      },
    })
    this.#lanes.set(word, made)
    return made
  }
}

function noLane(): AgentdError {
  return new AgentdError('field-invalid', 'This machine writes no such lane.', { field: 'lane' })
}
