/**
 * Who frames reached, as rows: a broadcast to a hundred subscribers writes their addresses once, not a hundred
 * times a second.
 */
import { Delivery } from '../broker/delivery.ts'
import type { Via } from '../protocol/requests.ts'
import { Via as ViaSchema } from '../protocol/requests.ts'
import type { FrameRow } from './row.ts'
import type { Statements } from './statements.ts'

/** Rows remembered, and deliveries kept after they were read; both only save work. */
const MAX_REMEMBERED = 1_024

export class AudienceRows {
  readonly #statements: Statements
  /** Content → row id. */
  readonly #ids = new Map<string, number>()
  /** Deliveries somebody has looked at: a second look has to find the same object, with its waiters. */
  readonly #deliveries = new Map<number, Delivery>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** The row that says whom a frame reached; made when there is none. */
  idOf({ emittedTo, queuedTo }: Delivery): number {
    const emitted = JSON.stringify(emittedTo)
    const queued = JSON.stringify(queuedTo)
    const content = `${emitted} ${queued}`
    const known = this.#ids.get(content)
    if (known !== undefined) return known
    const id = Number(this.#statements.insertAudience.run(emitted, queued).lastInsertRowid)
    if (this.#ids.size >= MAX_REMEMBERED) this.#ids.clear()
    this.#ids.set(content, id)
    return id
  }

  /** After a rollback: rows that were made in it are gone. */
  forget(): void {
    this.#ids.clear()
  }

  /** The receipts of a stored frame. */
  deliveryOf(row: FrameRow): Delivery {
    const known = this.#deliveries.get(row.seq)
    if (known !== undefined) return known
    const delivery = this.#load(row)
    if (this.#deliveries.size >= MAX_REMEMBERED) this.#deliveries.clear()
    this.#deliveries.set(row.seq, delivery)
    return delivery
  }

  #load(row: FrameRow): Delivery {
    const delivery = new Delivery()
    const audience = this.#statements.audience.get(row.audience)
    delivery.record(
      readAddresses(audience?.emitted_to),
      readAddresses(audience?.queued_to),
      row.recipient_count,
      row.accepted_at_ms,
    )
    for (const { address, state, at_ms, via } of this.#statements.outcomes.all(row.seq)) {
      const heard: Via | undefined = ViaSchema.safeParse(via).data
      delivery.restore(address, { state, atMs: at_ms, ...(heard !== undefined && { via: heard }) })
    }
    return delivery
  }
}

function readAddresses(json: string | undefined): readonly string[] {
  const value: unknown = JSON.parse(json ?? '[]')
  return Array.isArray(value) ? value.map(String) : []
}
