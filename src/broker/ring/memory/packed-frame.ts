/**
 * A frame that is kept packed, as it is read again.
 */
import type { Scope } from '../../../protocol/address/scope.ts'
import type { DeliveryRecord } from '../delivery.ts'
import type { RetainedFrame } from '../retained.ts'

/** What a sender's frames to one scope have in common. */
export interface FrameHeading {
  readonly kind: string
  readonly senderHandle: string
  readonly tool: string | undefined
  readonly scope: Scope
  readonly scopeText: string
  readonly senderAddress: string | undefined
}

/** What differs from frame to frame. */
interface PackedFields {
  readonly seq: number
  readonly key: string
  readonly text: string
  readonly acceptedAtMs: number
  readonly expiresAtMs: number
}

/** Its receipts are looked for when somebody asks: every time, since they may have changed. */
export class PackedFrame implements RetainedFrame {
  readonly type = 'frame'
  readonly seq: number
  readonly key: string
  readonly kind: string
  readonly senderHandle: string
  readonly tool: string | undefined
  readonly scope: Scope
  readonly scopeText: string
  readonly envelope = undefined
  readonly text: string
  readonly senderAddress: string | undefined
  readonly acceptedAtMs: number
  readonly expiresAtMs: number
  readonly origin = undefined
  readonly #deliveryAt: (seq: number) => DeliveryRecord

  constructor(fields: PackedFields, heading: FrameHeading, deliveryAt: (seq: number) => DeliveryRecord) {
    this.seq = fields.seq
    this.key = fields.key
    this.kind = heading.kind
    this.senderHandle = heading.senderHandle
    this.tool = heading.tool
    this.scope = heading.scope
    this.scopeText = heading.scopeText
    this.text = fields.text
    this.senderAddress = heading.senderAddress
    this.acceptedAtMs = fields.acceptedAtMs
    this.expiresAtMs = fields.expiresAtMs
    this.#deliveryAt = deliveryAt
  }

  get delivery(): DeliveryRecord {
    return this.#deliveryAt(this.seq)
  }
}
