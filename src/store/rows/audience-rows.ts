/**
 * Who frames reached, as rows: a broadcast to a hundred subscribers writes their addresses once, not a hundred
 * times a second.
 *
 * A row says after which frame nobody shares it any more, a little ahead of the truth, so that it is written
 * once in a while and goes with the last frame that could.
 */
import { tryParseJson } from '../../core/text/json-object.ts'
import { DeliveryRecord } from '../../broker/ring/delivery.ts'
import { LaneRows } from './lane-rows.ts'
import { restoreReceipts } from './receipt-rows.ts'
import { DamagedRow, type FrameRow } from './row.ts'
import type { Statements } from './statements.ts'

/** Rows remembered, and deliveries kept after they were read; both only save work. */
const MAX_REMEMBERED = 1_024

/** Characters of remembered rows; ten thousand subscribers that come and go make every row a large one. */
const MAX_REMEMBERED_LENGTH = 8 * 1024 * 1024

/** Frames a row is good for before it has to be extended. */
const SHARED_FRAMES = 1_024

/** A row that frames up to a place may share. */
interface Shared {
  readonly id: number
  lastSeq: number
}

/** The row of a frame, and what it cost to write it: that is charged to the frame that caused it. */
export interface AudienceRow {
  readonly id: number
  readonly writtenBytes: number
}

interface Addresses {
  readonly emittedTo: readonly string[]
  readonly queuedTo: readonly string[]
}

export class AudienceRows {
  /** Where mailboxes find what was sent to them; written, and forgotten, with these. */
  readonly lanes: LaneRows
  #statements: Statements
  readonly #byContent = new Map<string, Shared>()
  #contentLength = 0
  /** The broker's audiences keep their arrays, so most frames need no look at the content. */
  #byArray = new WeakMap<readonly string[], { queuedTo: readonly string[]; shared: Shared }>()
  /** Deliveries somebody has looked at: a second look has to find the same object, with its waiters. */
  #deliveries = new Map<number, DeliveryRecord>()
  /** The addresses behind the last row that was read: neighbours mostly share one. */
  #lastRead: { readonly id: number; readonly addresses: Addresses } | undefined

  constructor(statements: Statements) {
    this.#statements = statements
    this.lanes = new LaneRows(statements)
  }

  /** The row that says whom a frame reached; made when there is none. */
  rowOf({ emittedTo, queuedTo }: DeliveryRecord, seq: number): AudienceRow {
    const known = this.#byArray.get(emittedTo)
    if (known?.queuedTo === queuedTo && this.#covers(known.shared, seq)) {
      return { id: known.shared.id, writtenBytes: 0 }
    }
    const emitted = JSON.stringify(emittedTo)
    const queued = JSON.stringify(queuedTo)
    const same = this.#byContent.get(`${emitted} ${queued}`)
    const isKnown = same !== undefined && this.#covers(same, seq)
    const shared = isKnown ? same : this.#insert(emitted, queued, seq)
    this.#byArray.set(emittedTo, { queuedTo, shared })
    return { id: shared.id, writtenBytes: isKnown ? 0 : emitted.length + queued.length }
  }

  /** The same rows in a copy of the database: what is remembered of them stays true. */
  moveTo(statements: Statements): void {
    this.#statements = statements
    this.lanes.moveTo(statements)
  }

  /** After a rollback: rows that were made in it are gone. */
  forget(): void {
    this.#byContent.clear()
    this.#contentLength = 0
    this.#byArray = new WeakMap()
    this.lanes.forget()
  }

  /** Somebody waits on a frame that leaves memory: whoever reads it again has to find the same delivery. */
  keep(seq: number, delivery: DeliveryRecord): void {
    if (!delivery.isWatched) return
    this.#makeRoom()
    this.#deliveries.set(seq, delivery)
  }

  /** The receipts of a stored frame. */
  deliveryOf(row: FrameRow): DeliveryRecord {
    const known = this.#deliveries.get(row.seq)
    if (known !== undefined) return known
    const delivery = this.#load(row)
    this.#makeRoom()
    this.#deliveries.set(row.seq, delivery)
    return delivery
  }

  #covers(shared: Shared, seq: number): boolean {
    if (seq <= shared.lastSeq) return true
    const lastSeq = seq + SHARED_FRAMES
    // The row may have gone with the last frame it was good for.
    if (this.#statements.extendAudience.run(lastSeq, shared.id).changes === 0) return false
    shared.lastSeq = lastSeq
    return true
  }

  #insert(emitted: string, queued: string, seq: number): Shared {
    const lastSeq = seq + SHARED_FRAMES
    const { lastInsertRowid } = this.#statements.insertAudience.run(emitted, queued, lastSeq)
    const shared = { id: Number(lastInsertRowid), lastSeq }
    const length = emitted.length + queued.length
    if (this.#byContent.size >= MAX_REMEMBERED || this.#contentLength + length > MAX_REMEMBERED_LENGTH) {
      this.#byContent.clear()
      this.#contentLength = 0
    }
    this.#byContent.set(`${emitted} ${queued}`, shared)
    this.#contentLength += length
    return shared
  }

  /** A delivery that somebody waits on stays, whatever the bound: there are as many as there are long polls. */
  #makeRoom(): void {
    if (this.#deliveries.size < MAX_REMEMBERED) return
    this.#deliveries = new Map([...this.#deliveries].filter(([, delivery]) => delivery.isWatched))
  }

  #load(row: FrameRow): DeliveryRecord {
    const delivery = new DeliveryRecord()
    const { emittedTo, queuedTo } = this.#addressesOf(row.audience)
    // A session of another node is not the one of that address here.
    const sender = row.origin === null ? (row.sender_address ?? undefined) : undefined
    const except = sender !== undefined && queuedTo.includes(sender) ? sender : undefined
    const reach = { emittedTo, queuedTo, except, recipientCount: row.recipient_count }
    delivery.record(reach, row.accepted_at_ms)
    restoreReceipts(delivery, row.seq, this.#statements)
    return delivery
  }

  #addressesOf(id: number): Addresses {
    if (this.#lastRead?.id === id) return this.#lastRead.addresses
    const row = this.#statements.audience.get(id)
    const addresses = { emittedTo: readAddresses(row?.emitted_to), queuedTo: readAddresses(row?.queued_to) }
    this.#lastRead = { id, addresses }
    return addresses
  }
}

/** @throws DamagedRow */
function readAddresses(json: string | undefined): readonly string[] {
  const value = tryParseJson(json ?? '[]')
  if (Array.isArray(value)) return value.map(String)
  throw new DamagedRow('the addresses a frame reached are damaged')
}
