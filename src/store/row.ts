/**
 * A frame as a row, and back.
 */
import { Delivery } from '../broker/delivery.ts'
import { digestOf } from '../broker/dedup.ts'
import type { RetainedFrame } from '../broker/ring.ts'
import { requireScope, type Scope } from '../protocol/scope.ts'

export interface FrameRow {
  readonly seq: number
  readonly frame_id: string
  readonly digest: string
  readonly kind: string
  readonly sender_handle: string
  readonly tool: string | null
  readonly sender_address: string | null
  readonly scope: string
  readonly accepted_at_ms: number
  readonly expires_at_ms: number
  readonly recipient_count: number
  readonly queued_count: number
  readonly audience: number
  readonly bytes: number
  readonly text: string
}

/** What a row costs on disk besides its text: columns, index entry, audience. */
const ROW_OVERHEAD_BYTES = 256

/** Bytes a frame is charged with. */
export function bytesOf(retained: RetainedFrame): number {
  return Buffer.byteLength(retained.text) + ROW_OVERHEAD_BYTES
}

/** A row that is not what was written: a flipped bit, a torn page. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow'
}

/** A frame read from the store. Its receipts are only loaded when somebody asks. */
export class StoredFrame implements RetainedFrame {
  readonly seq: number
  readonly frameId: string
  readonly kind: string
  readonly senderHandle: string
  readonly tool: string | undefined
  readonly senderAddress: string | undefined
  readonly scope: Scope
  readonly scopeText: string
  readonly acceptedAtMs: number
  readonly expiresAtMs: number
  readonly text: string
  readonly digest: string
  readonly #loadDelivery: () => Delivery

  /** @throws DamagedRow when the text is not what was accepted */
  constructor(row: FrameRow, loadDelivery: () => Delivery) {
    if (digestOf(row.scope, row.text) !== row.digest) throw new DamagedRow(`frame ${row.seq} is damaged`)
    this.seq = row.seq
    this.frameId = row.frame_id
    this.kind = row.kind
    this.senderHandle = row.sender_handle
    this.tool = row.tool ?? undefined
    this.senderAddress = row.sender_address ?? undefined
    this.scope = requireScope(row.scope, 'recipient_scope')
    this.scopeText = row.scope
    this.acceptedAtMs = row.accepted_at_ms
    this.expiresAtMs = row.expires_at_ms
    this.text = row.text
    this.digest = row.digest
    this.#loadDelivery = loadDelivery
  }

  get delivery(): Delivery {
    return this.#loadDelivery()
  }
}
