/**
 * The way in of one link: batches judged, held back where their node sends too many, and handed to the broker.
 *
 * @see FED-25…FED-29, FED-63
 */
import type { Broker } from '../../broker/broker.ts'
import { Buckets } from '../../broker/quota/buckets.ts'
import type { Ingested } from '../../broker/ingest/ingest-batch.ts'
import type { ReportItem } from '../../broker/origins/origins.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import type { LinkRules } from '../../host/config/config.ts'
import type { Audience } from '../../link/audience.ts'
import type { LinkFile } from '../../link/link-file.ts'
import { filterOf, laneOf, nodeId, ownNode, readLane, realmForm, streamKey } from '../../link/realm.ts'
import type { LinkStateReply, RecordsHead, RecordsReply } from '../../protocol/http/link-exchange.ts'
import type { Plan } from '../plan/plan.ts'
import type { BatchGate, BatchVerdict } from './batch-gate.ts'
import type { Speaker } from './voucher.ts'

/** What a node may bring at once: as much as a ring holds that was away (FED-02). */
const BURST_RECORDS = 100_000

/** Records in a steady second that one machine of the person's may send here: as many as a session may. */
const OWN_PER_SECOND = 2_000

/** Nodes with a rate of their own: as many as an estate names. */
const MAX_RATED_NODES = 256

type Answer = RecordsReply['answers'][number]
type LetIn = Extract<BatchVerdict, { kind: 'let-in' }>

interface InboundParts {
  readonly file: Pick<LinkFile, 'realm' | 'node' | 'handle' | 'org'>
  readonly plan: Pick<Plan, 'filters' | 'lanes'>
  readonly broker: Pick<Broker, 'ingest' | 'origins' | 'ring'>
  /** The principal of a speaker, where that is another than one's own. */
  readonly strangerOf: (speaker: Speaker) => string | undefined
  readonly clock: Clock
  readonly gate: BatchGate
  /** Asked each time, because they may be reloaded. */
  readonly accept: () => LinkRules['accept']
}

export class Inbound {
  readonly #parts: InboundParts
  readonly #rates: Buckets
  /** Stands for each node that has brought something. */
  readonly #nodes = new Map<string, object>()
  readonly counts = { applied: 0, repeat: 0, refused: 0, skipped: 0, holes: 0 }

  constructor(parts: InboundParts) {
    const { accept, clock } = parts
    this.#parts = parts
    this.#rates = new Buckets(clock, {
      get perSecond() {
        return accept().perSecond ?? OWN_PER_SECOND
      },
      burst: BURST_RECORDS,
    })
  }

  /** What is read, and for whom that is. */
  get readings(): readonly { readonly filter: string; readonly audience: Audience }[] {
    const { file, plan } = this.#parts
    return plan.filters().map((audience) => ({ filter: filterOf(file.realm, audience), audience }))
  }

  /** What is read, and where each reading goes on. */
  get state(): LinkStateReply['filters'] {
    const { realm } = this.#parts.file
    return this.readings.map(({ filter, audience }) => ({
      filter,
      cursor: this.#cursor(streamKey(realm, audience)),
    }))
  }

  /**
   * @throws AgentdError as `Broker.ingest`: nothing of it is lost by that, it comes again; `field-invalid`, field `filter`,
   *   for a reading that is none of this machine's
   */
  async take(head: RecordsHead, body: string): Promise<RecordsReply> {
    const key = this.#requireKey(head.filter)
    if (head.subject === '') return this.#joinEmpty(head, key)
    const verdict = await this.#parts.gate.judge(head, body)
    if (verdict.kind === 'stopped') return { answers: [], stopped: verdict.why, cursor: this.#cursor(key) }
    if (verdict.kind === 'refused') return this.#refuse(verdict, head, key)
    // What another principal sends beyond its rate is refused already (FED-63).
    if (this.#parts.strangerOf(verdict.speaker) === undefined) await this.#waitForTurn(verdict)
    return this.#ingest(verdict, head, key)
  }

  /** Receipts of what was accepted here and never reached the hub; nothing is read by that. */
  async tellUnsent(items: readonly ReportItem[]): Promise<void> {
    const own = this.#own()
    if (items.length === 0) return
    await this.#parts.broker.ingest({ ...own, items: [{ kind: 'report', node: own.node, items }] })
  }

  /** Nothing is in the stream: reading begins behind that place, and no node's word is a mark. */
  async #joinEmpty({ stream_seq: seq }: RecordsHead, cursorKey: string): Promise<RecordsReply> {
    const cursor = { seq, node: '', last: '' }
    await this.#parts.broker.ingest({ ...this.#own(), cursor, cursorKey, items: [] })
    return { answers: [], cursor: this.#cursor(cursorKey) }
  }

  async #refuse(
    { code, cursor, records }: Extract<BatchVerdict, { kind: 'refused' }>,
    head: RecordsHead,
    cursorKey: string,
  ): Promise<RecordsReply> {
    // Only the reading goes on: what nobody has signed says nothing of its lane.
    if (head.holds_cursor !== true)
      await this.#parts.broker.ingest({ ...this.#own(), cursor, cursorKey, items: [] })
    this.counts.refused += records
    const answers = Array.from({ length: records }, (): Answer => ({ e: null, outcome: 'refused', code }))
    return { answers, cursor: this.#cursor(cursorKey) }
  }

  async #ingest(
    { verdicts, batch }: LetIn,
    { holds_cursor }: RecordsHead,
    cursorKey: string,
  ): Promise<RecordsReply> {
    const { broker } = this.#parts
    const cursor = holds_cursor === true ? undefined : batch.cursor
    const ingested = await broker.ingest({
      ...batch,
      cursor,
      cursorKey,
      reportsKey: this.#reportsKey(batch.lane),
    })
    if (batch.hole !== undefined) this.counts.holes += 1
    const results = ingested.values()
    const answers = verdicts.map((verdict): Answer => {
      const { e } = verdict
      if (!('item' in verdict)) {
        const { answer: outcome } = verdict
        return verdict.answer === 'refused' ? { e, outcome, code: verdict.code } : { e, outcome }
      }
      return toAnswer(e, results.next().value)
    })
    for (const { outcome } of answers) this.counts[outcome] += 1
    return { answers, cursor: this.#cursor(cursorKey) }
  }

  #cursor(key: string): RecordsReply['cursor'] {
    return this.#parts.broker.origins.cursorOf(key) ?? null
  }

  /** What a reading's cursor is kept under. */
  #requireKey(filter: string | undefined): string {
    const { file, plan } = this.#parts
    const filters = plan.filters()
    const audience =
      filter === undefined ? filters[0] : filters.find((one) => filterOf(file.realm, one) === filter)
    if (audience !== undefined) return streamKey(file.realm, audience)
    throw new AgentdError('field-invalid', 'This machine reads no such lanes.', { field: 'filter' })
  }

  /** Where what is told of a batch leaves: with what is for its sender (FED-52). */
  #reportsKey(lane: string): string {
    const { file, plan } = this.#parts
    const at = readLane(file.realm, lane)
    const { form } = realmForm(file.realm)
    if (at === undefined || form === 'person') return file.realm
    if (form === 'org') return streamKey(file.realm, { of: 'member', handle: at.handle })
    const { audience } = at
    const back = (one: Audience): boolean =>
      one.of === 'grant' && audience.of === 'grant' && one.grant === audience.grant
    return streamKey(file.realm, plan.lanes().find(back) ?? audience)
  }

  /** What is noted of this machine's own stands with its first lane, and advances no mark. */
  #own(): { readonly realm: string; readonly lane: string; readonly node: string; readonly epoch: string } {
    const { broker, file, plan } = this.#parts
    const { realm } = file
    const at = ownNode(file)
    const lane = laneOf(realm, { ...at, audience: plan.lanes()[0] ?? { of: 'person' } })
    return { realm, lane, node: nodeId(realm, at), epoch: broker.ring.epoch }
  }

  /** A node of one's own waits where it sends more than a session may; nothing of it is refused (FED-63). */
  async #waitForTurn({ batch: { node, items } }: LetIn): Promise<void> {
    const bucket = this.#rates.of(this.#standFor(node))
    const waitMs = this.#rates.waitMs(bucket, items.length)
    if (waitMs > 0) await new Promise<void>((resolve) => this.#parts.clock.after(waitMs, resolve))
    this.#rates.spend(this.#rates.of(this.#standFor(node)), items.length)
  }

  #standFor(node: string): object {
    const known = this.#nodes.get(node)
    if (known !== undefined) return known
    if (this.#nodes.size >= MAX_RATED_NODES) this.#nodes.clear()
    const stands = {}
    this.#nodes.set(node, stands)
    return stands
  }
}

function toAnswer(e: string | null, ingested: Ingested | undefined): Answer {
  const { outcome = 'refused', code } = ingested ?? {}
  return { e, outcome, ...(code !== undefined && { code }) }
}
