/**
 * A stored item: a frame or an envelope as it is read back from its row.
 */
import type { DeliveryRecord } from '../../broker/ring/delivery.ts'
import type {
  Origin,
  Retained,
  RetainedEnvelope,
  RetainedFrame,
  RetainedItem,
} from '../../broker/ring/retained.ts'
import { requireScope } from '../../protocol/address/scope.ts'
import { DamagedRow, isSound, parseFacts, parseOrigin, type FrameRow } from './row.ts'

/** What a frame has that an envelope has not, and the other way round. */
type Own<Item extends Retained> = Pick<Item, 'type' | 'scope' | 'envelope'>

/** A row read from the store, of one shape whichever it is. Its receipts are only loaded when somebody asks. */
class StoredItem<Item extends Retained> implements RetainedItem {
  readonly type: Item['type']
  readonly seq: number
  readonly key: string
  readonly kind: string
  readonly senderHandle: string
  readonly tool: string | undefined
  readonly scope: Item['scope']
  readonly scopeText: string
  readonly envelope: Item['envelope']
  readonly text: string
  readonly senderAddress: string | undefined
  readonly acceptedAtMs: number
  readonly expiresAtMs: number
  readonly origin: Origin | undefined
  readonly #loadDelivery: () => DeliveryRecord

  constructor(row: FrameRow, own: Own<Item>, loadDelivery: () => DeliveryRecord) {
    this.type = own.type
    this.seq = row.seq
    this.key = row.frame_id
    this.kind = row.kind
    this.senderHandle = row.sender_handle
    this.tool = row.tool ?? undefined
    this.scope = own.scope
    this.scopeText = row.scope
    this.envelope = own.envelope
    this.text = row.text
    this.senderAddress = row.sender_address ?? undefined
    this.acceptedAtMs = row.accepted_at_ms
    this.expiresAtMs = row.expires_at_ms
    this.origin = row.origin === null ? undefined : parseOrigin(row.origin)
    this.#loadDelivery = loadDelivery
  }

  get delivery(): DeliveryRecord {
    return this.#loadDelivery()
  }
}

/**
 * What a row holds.
 *
 * @param loadDelivery - asked every time somebody looks at the receipts
 * @throws DamagedRow when it is not what was written
 */
export function fromRow(row: FrameRow, loadDelivery: () => DeliveryRecord): Retained {
  if (!isSound(row)) throw new DamagedRow(`row ${row.seq} is damaged`)
  if (row.envelope !== null) {
    const own = { type: 'envelope', scope: undefined, envelope: parseFacts(row.envelope) } as const
    return new StoredItem<RetainedEnvelope>(row, own, loadDelivery)
  }
  const own = {
    type: 'frame',
    scope: requireScope(row.scope, 'recipient_scope'),
    envelope: undefined,
  } as const
  return new StoredItem<RetainedFrame>(row, own, loadDelivery)
}
