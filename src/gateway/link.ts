/**
 * One link, on the daemon's side: what its bridge asks for and brings, and what is known by it.
 *
 * @see docs/http.md §13; FED-07, FED-21, FED-45
 */
import type { RemoteNode } from '../broker/remote/remote.ts'
import type { Retained } from '../broker/ring/retained.ts'
import type { ReportItem } from '../broker/origins/origins.ts'
import type { Sink } from '../broker/stream/sink.ts'
import { AgentdError } from '../core/errors.ts'
import { octetLength } from '../core/text/octets.ts'
import { BESIDE_RECORD_OCTETS, verifyBatch } from '../link/batch.ts'
import { readPresence } from '../link/presence.ts'
import { kvSubject, nodeKey, ownNode, realmForm } from '../link/realm.ts'
import type {
  AcknowledgedRequest,
  ConditionRequest,
  EstateReply,
  FeedQuery,
  LinkPresenceRequest,
  LinkReply,
  LinkStateReply,
  RecordsHead,
  RecordsReply,
} from '../protocol/http/link-exchange.ts'
import { Condition } from './condition.ts'
import { describeLink } from './describe-link.ts'
import { BatchGate } from './in/batch-gate.ts'
import { HeldEstate } from './in/held-estate.ts'
import { Inbound } from './in/inbound.ts'
import { RecordGate } from './in/record-gate.ts'
import type { LinkParts } from './link-parts.ts'
import { recordLine } from './out/feed-lines.ts'
import type { Feed } from './out/feed.ts'
import { Leaving } from './out/leaving.ts'
import { Outbound } from './out/outbound.ts'
import { ClockOffsets } from './rosters/clock-offsets.ts'
import { planOf } from './plan/plan-of.ts'
import { Rosters } from './rosters/rosters.ts'

export class Link {
  readonly name: string
  readonly condition: Condition
  readonly estate: HeldEstate
  readonly inbound: Inbound
  readonly outbound: Outbound
  readonly offsets = new ClockOffsets()
  readonly #parts: LinkParts
  readonly #leaving: Leaving
  readonly #rosters: Rosters

  /** @throws AgentdError for a link whose estate does not count, or that is another person's */
  constructor(parts: LinkParts) {
    const { broker, clock, file, name, rulesOf } = parts
    const { authority, principal } = broker
    requireOwn(file.realm, principal)
    this.name = name
    this.#parts = parts
    this.condition = new Condition(clock)
    this.estate = new HeldEstate({ link: file, place: parts.place, nowMs: () => clock.nowMs() })
    this.#rosters = new Rosters({
      realm: file.realm,
      handle: principal,
      clock,
      offsetOf: (node) => this.offsets.of(node),
      onChange: parts.onRemoteChange,
    })
    const allow = () => rulesOf(name).allow
    const accept = () => rulesOf(name).accept
    this.#leaving = new Leaving({
      broker,
      rosters: this.#rosters,
      sinceMs: file.since_ms,
      allow,
      boundary: parts.boundary,
    })
    const plan = planOf(file.realm, ownNode(file).handle, authority)
    this.outbound = new Outbound(parts, this.#leaving, plan)
    const records = new RecordGate({ node: file.node, authority, offsets: this.offsets, accept })
    const { realm } = file
    const marksOf = broker.origins.marksOf.bind(broker.origins)
    const gate = new BatchGate({ realm, estate: this.estate, marksOf, records, defer: parts.defer })
    this.inbound = new Inbound({ file, plan, broker, clock, gate, accept })
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
      authority_epoch: this.estate.authorityEpoch,
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
  notePresence({ node, engine_at_ms: engineAtMs, signature, text }: LinkPresenceRequest): void {
    const { file } = this.#parts
    const key = this.estate.keyAt(node, engineAtMs)
    if (key instanceof AgentdError) throw key
    if (
      !verifyBatch(
        signature,
        key,
        kvSubject(file.realm, nodeKey(file.realm, { handle: this.#parts.broker.principal, node })),
        text,
      )
    )
      throw new AgentdError('sender-identity-mismatch', `The machine "${node}" has not signed this.`, {
        field: 'signature',
      })
    const presence = readPresence(text)
    this.offsets.note(node, presence.sent_at, engineAtMs)
    if (node !== file.node) this.#rosters.note(node, presence)
  }

  noteEstate(text: string): EstateReply {
    const authorityEpoch = this.estate.take(text)
    // Whose machine it was is nobody's any more.
    this.#rosters.forget((node) => !this.estate.names(node))
    if (!this.estate.names(this.#parts.file.node))
      this.condition.become('refused', 'this machine is none of the person any more')
    return { authority_epoch: authorityEpoch }
  }

  digest(eventId: string): string | undefined {
    const { broker } = this.#parts
    const seq = broker.placeOf(eventId)
    return seq === undefined ? undefined : broker.ring.get(seq)?.digest
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
    return this.#rosters.knowsEntity(name)
  }

  leaves(retained: Retained): boolean {
    return this.#leaving.textOf(retained) !== undefined
  }

  /** What its hub takes at once, where that is up and takes nothing of this size (FED-18); else undefined. */
  boundOn(retained: Retained): number | undefined {
    const { maxPayload, state } = this.condition
    if (state !== 'up' || maxPayload === undefined || fitsInto(maxPayload, retained.text.length))
      return undefined
    const text = this.#leaving.textOf(retained)
    if (text === undefined) return undefined
    const line = recordLine(this.#parts.broker.ring.eventId(retained.seq), retained, text)
    const isTooLarge = line === undefined || octetLength(line) + 1 > maxPayload - BESIDE_RECORD_OCTETS
    return isTooLarge ? maxPayload : undefined
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

/** Whether it surely does, whatever its characters are: nearly everything is far below the bound. */
function fitsInto(maxPayload: number, length: number): boolean {
  return length * 4 + 2 * BESIDE_RECORD_OCTETS < maxPayload
}

function requireOwn(realm: string, principal: string): void {
  const form = realmForm(realm)
  if (form.form === 'person' && form.principal === principal) return
  const owner = form.form === 'person' ? form.principal : realm
  throw new AgentdError('field-invalid', `This link is of ${owner}, and this daemon is of ${principal}.`, {
    field: 'realm',
  })
}
