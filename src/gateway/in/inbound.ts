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
import type { LinkRules } from '../../host/config/config.ts'
import { ownLane } from '../../link/realm.ts'
import type { RecordsHead, RecordsReply } from '../../protocol/http/link-exchange.ts'
import type { BatchGate, BatchVerdict } from './batch-gate.ts'

/** What a node may bring at once: as much as a ring holds that was away (FED-02). */
const BURST_RECORDS = 100_000

/** Nodes with a rate of their own: as many as an estate names. */
const MAX_RATED_NODES = 256

type Answer = RecordsReply['answers'][number]
type LetIn = Extract<BatchVerdict, { kind: 'let-in' }>

interface InboundParts {
  readonly realm: string
  readonly node: string
  readonly broker: Pick<Broker, 'ingest' | 'origins' | 'ring'>
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
        return accept().perSecond
      },
      burst: BURST_RECORDS,
    })
  }

  /** @throws AgentdError as `Broker.ingest`: nothing of it is lost by that, it comes again */
  async take(head: RecordsHead, body: string): Promise<RecordsReply> {
    if (head.subject === '') return this.#joinEmpty(head)
    const verdict = await this.#parts.gate.judge(head, body)
    if (verdict.kind === 'stopped') return { answers: [], stopped: verdict.why, cursor: this.#cursor }
    if (verdict.kind === 'refused') return this.#refuse(verdict, head)
    await this.#waitForTurn(verdict)
    return this.#ingest(verdict, head)
  }

  /** Receipts of what was accepted here and never reached the hub; nothing is read by that. */
  async tellUnsent(items: readonly ReportItem[]): Promise<void> {
    const { realm, node, broker } = this.#parts
    if (items.length === 0) return
    const own = { realm, lane: ownLane(realm, node), node, epoch: broker.ring.epoch }
    await broker.ingest({ ...own, items: [{ kind: 'report', node, items }] })
  }

  /** Nothing is in the stream: reading begins behind that place, and no node's word is a mark. */
  async #joinEmpty({ stream_seq: seq }: RecordsHead): Promise<RecordsReply> {
    const { realm, node, broker } = this.#parts
    const cursor = { seq, node: '', last: '' }
    await broker.ingest({
      realm,
      lane: ownLane(realm, node),
      node,
      epoch: broker.ring.epoch,
      cursor,
      items: [],
    })
    return { answers: [], cursor: this.#cursor }
  }

  async #refuse(
    { code, cursor, records }: Extract<BatchVerdict, { kind: 'refused' }>,
    head: RecordsHead,
  ): Promise<RecordsReply> {
    const { realm, node, broker } = this.#parts
    const lane = ownLane(realm, node)
    // Only the reading goes on: what nobody has signed says nothing of its lane.
    if (head.holds_cursor !== true)
      await broker.ingest({ realm, lane, node, epoch: broker.ring.epoch, cursor, items: [] })
    this.counts.refused += records
    const answers = Array.from({ length: records }, (): Answer => ({ e: null, outcome: 'refused', code }))
    return { answers, cursor: this.#cursor }
  }

  async #ingest({ verdicts, batch }: LetIn, { holds_cursor }: RecordsHead): Promise<RecordsReply> {
    const { broker } = this.#parts
    const cursor = holds_cursor === true ? undefined : batch.cursor
    const ingested = await broker.ingest({ ...batch, cursor })
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
    return { answers, cursor: this.#cursor }
  }

  get #cursor(): RecordsReply['cursor'] {
    return this.#parts.broker.origins.cursorOf(this.#parts.realm) ?? null
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
