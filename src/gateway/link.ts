/**
 * One link, on the daemon's side: what its bridge asks for and brings, and what is known by it.
 *
 * @see docs/http.md §13; FED-07, FED-21, FED-45, FED-46
 */
import type { RemoteNode } from '../broker/remote/remote.ts'
import type { Retained } from '../broker/ring/retained.ts'
import type { ReportItem } from '../broker/origins/origins.ts'
import type { Sink } from '../broker/stream/sink.ts'
import { AgentdError } from '../core/errors.ts'
import { orRefusal } from '../core/thrown.ts'
import type {
  AcknowledgedRequest,
  ConditionRequest,
  DigestReply,
  EstateReply,
  FeedQuery,
  LinkPresenceRequest,
  LinkStateReply,
  RecordsHead,
  RecordsReply,
} from '../protocol/http/link-exchange.ts'
import type { LinkReply } from '../protocol/http/links-reply.ts'
import { Condition } from './condition.ts'
import { describeLink } from './describe-link.ts'
import { Allowances } from './in/allowances.ts'
import { BatchGate } from './in/batch-gate.ts'
import { HeldEstate } from './in/held-estate.ts'
import { Inbound } from './in/inbound.ts'
import { judgePresence } from './side/presence-gate.ts'
import { RecordGate } from './in/record-gate.ts'
import { StandingWaits } from './in/standing-waits.ts'
import type { LinkParts } from './link-parts.ts'
import { isTooLarge } from './out/hub-bound.ts'
import { digestAt } from './out/digest-at.ts'
import type { Feed } from './out/feed.ts'
import { Leaving } from './out/leaving.ts'
import { Outbound } from './out/outbound.ts'
import { ClockOffsets } from './rosters/clock-offsets.ts'
import { Rosters } from './rosters/rosters.ts'
import { Sealing } from './seal/sealing.ts'
import { planOf, requireOwner, sideOf } from './side-of.ts'
import type { Side } from './side/side.ts'

export class Link {
  readonly name: string
  readonly condition: Condition
  readonly estate: HeldEstate
  readonly side: Side
  readonly inbound: Inbound
  readonly outbound: Outbound
  readonly leaving: Leaving
  readonly offsets = new ClockOffsets()
  readonly sealing: Sealing
  readonly #parts: LinkParts
  readonly #rosters: Rosters
  /** How what leaves did so last. */
  #way: string

  /** @throws AgentdError for a link whose estate does not count, or that is another person's */
  constructor(parts: LinkParts) {
    const { broker, clock, file, name, rulesOf } = parts
    const handle = requireOwner(parts)
    this.name = name
    this.#parts = parts
    this.condition = new Condition(clock)
    const nowMs = (): number => clock.nowMs()
    this.estate = new HeldEstate({ link: file, handle, place: parts.place, nowMs })
    const { estate } = this
    this.sealing = new Sealing({ name, file, estate, wished: () => rulesOf(name).seal, nowMs })
    this.#way = this.sealing.state
    const { realm, org: ownOrg, since_ms: sinceMs } = file
    const offsetOf = this.offsets.of.bind(this.offsets)
    this.#rosters = new Rosters({ realm, ownOrg, clock, offsetOf, onChange: parts.onRemoteChange })
    this.side = sideOf(parts, { estate, rosters: this.#rosters })
    const { sealing, side } = this
    const accept = () => rulesOf(name).accept
    const plan = planOf(parts)
    const { boundary, defer } = parts
    this.leaving = new Leaving({ broker, side, sinceMs, allow: () => rulesOf(name).allow, boundary })
    this.outbound = new Outbound(parts, this.leaving, plan, { side, way: sealing })
    const { ownNode: node, voucher } = side
    const records = new RecordGate({ node, offsets: this.offsets, sealing })
    const marksOf = broker.origins.marksOf.bind(broker.origins)
    const waits = new StandingWaits(clock, side.waitMs)
    const rulesFor = side.rulesFor.bind(side)
    const strangerOf = side.strangerOf.bind(side)
    const perMinuteOf = side.perMinuteOf.bind(side)
    const allowances = new Allowances({ realm, strangerOf, perMinuteOf, marksOf, accept })
    const gate = new BatchGate({ realm, voucher, rulesFor, waits, marksOf, records, allowances, defer })
    this.inbound = new Inbound({ file, plan, broker, clock, gate, accept, strangerOf })
  }

  state(): LinkStateReply {
    const { broker, file } = this.#parts
    const { origins, ring } = broker
    const marks = [...origins.marksOf(file.realm)].flatMap(([lane, byEpoch]) =>
      [...byEpoch].map(([epoch, seq]) => ({ lane, epoch, seq })),
    )
    const { state: lanes } = this.outbound
    const { state: filters } = this.inbound
    return {
      realm: file.realm,
      node: file.node,
      epoch: ring.epoch,
      first_event_id: ring.oldestEventId,
      last_event_id: ring.lastSeq === 0 ? null : ring.eventId(ring.lastSeq),
      cursor: filters[0]?.cursor ?? null,
      marks,
      acked: lanes[0]?.acked ?? null,
      since: lanes[0]?.since ?? null,
      is_durable: origins.isDurable,
      authority_epoch: this.side.voucher.authorityEpoch,
      lanes,
      filters,
    }
  }

  feed(query: FeedQuery, sink: Sink): Feed {
    return this.outbound.open(query, sink)
  }

  async records(head: RecordsHead, body: string): Promise<RecordsReply> {
    const reply = await this.inbound.take(head, body)
    for (const { e, outcome, code } of reply.answers)
      if (outcome === 'refused')
        this.#parts.log.warn('link-record-refused', { link: this.name, event_id: e ?? '', code: code ?? '' })
    return reply
  }

  /** Its own word too: then it is about this machine's clock alone. */
  notePresence(request: LinkPresenceRequest): void {
    const { broker, file } = this.#parts
    const { sealing, side } = this
    const { handle = broker.principal, node, org } = request
    const at = { handle, node, ...(org !== undefined && { org }) }
    const { speaker, presence } = judgePresence({ realm: file.realm, side, sealing }, at, request)
    this.offsets.note(speaker.node, presence.sent_at, request.engine_at_ms)
    this.#rosters.heard(request.engine_at_ms)
    if (speaker.node !== side.ownNode && side.isAcross(at))
      this.#rosters.note(speaker.node, at, presence, request.engine_at_ms)
  }

  /** A document of the realm: the estate of the person, the charter of an organisation. */
  noteEstate(text: string): EstateReply {
    const { side } = this
    const authorityEpoch = side.noteDocument(text)
    if (side.isOwnRealm) this.#parts.onEstate(text)
    this.documentsChanged()
    return { authority_epoch: authorityEpoch }
  }

  /** Takes the newest estate of the person, which came over another link. */
  shareEstate(text: string): void {
    const taken = orRefusal(() => this.estate.take(text))
    if (!(taken instanceof AgentdError)) this.documentsChanged()
  }

  /** Whose machine it was may be nobody's any more. */
  documentsChanged(): void {
    this.#rosters.forget((at) => !this.side.names(at))
    this.outbound.recount()
    this.rulesChanged()
  }

  /** What may leave, or how, may have been said anew. */
  rulesChanged(): void {
    const { state } = this.sealing
    if (state !== this.#way) this.outbound.wayChanged()
    this.#way = state
    this.outbound.rulesRead()
  }

  digest(eventId: string): DigestReply {
    const digest = digestAt(this.#parts.broker, eventId)
    return { digest, sealed_digest: digest === null ? null : this.sealing.sealedDigest(digest) }
  }

  noteAcknowledged(request: AcknowledgedRequest): void {
    const { refused = [], ...acked } = request
    this.outbound.acknowledged(acked)
    if (refused.length > 0) void this.#tellUnsent(refused)
  }

  noteCondition(request: ConditionRequest): void {
    const { log } = this.#parts
    const before = this.condition.state
    this.condition.note(request)
    if (request.state !== before) log.info('link', { link: this.name, state: request.state })
  }

  /** @param isHopeless - it lacks something that a new start does not bring */
  bridgeEnded(why: string, isHopeless: boolean): void {
    this.condition.bridgeEnded()
    // Why it was fenced or refused stands until a bridge says otherwise.
    if (isHopeless) this.condition.become('refused', why)
    else if (this.condition.state === 'up') this.condition.become('away', why)
  }

  nodes(): readonly RemoteNode[] {
    return this.#rosters.nodes()
  }

  get realm(): string {
    return this.#parts.file.realm
  }

  /** The person's other machines in its estate, heard of or not. */
  others(): readonly string[] {
    return this.estate.nodes.filter((node) => node !== this.#parts.file.node)
  }

  knowsEntity(name: string): boolean {
    return this.#rosters.knowsEntity(name) || this.side.knowsEntity(name)
  }

  leaves(retained: Retained): boolean {
    return this.leaving.textOf(retained) !== undefined
  }

  /** What its hub takes at once, where that is up and takes nothing of this size (FED-18); else undefined. */
  boundOn(retained: Retained): number | undefined {
    const { maxPayload, state } = this.condition
    if (state !== 'up' || maxPayload === undefined) return undefined
    const eventId = this.#parts.broker.ring.eventId(retained.seq)
    const isSealed = this.sealing.isOn
    const leaver = { eventId, retained, textOf: () => this.leaving.textOf(retained), isSealed }
    return isTooLarge(maxPayload, leaver) ? maxPayload : undefined
  }

  /** What fits into no message of the hub goes into its receipts, as if another node had refused it (FED-18). */
  async #tellUnsent(refused: NonNullable<AcknowledgedRequest['refused']>): Promise<void> {
    const { clock, log } = this.#parts
    const items = refused.flatMap(({ e, code }): ReportItem[] => {
      const id = this.outbound.idAt(e)
      return id === undefined ? [] : [[id, '', 'refused', clock.nowMs(), code]]
    })
    log.warn('link-record-unsent', { link: this.name, count: items.length })
    await this.inbound.tellUnsent(items)
  }

  describe(): LinkReply {
    return describeLink(this, this.#parts)
  }

  close(): void {
    this.outbound.close()
    this.#rosters.close()
  }
}
