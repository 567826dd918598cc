/**
 * VOLT: an event for each envelope that came, each time it went out, and for each that was refused.
 *
 * @see docs/requirements.md §2.3, AEE-C13, AEE-C15, AEE-C24
 */
import { hashOf } from '../aee/envelope/canonical.ts'
import { SERVICE_ENTITY } from '../aee/envelope/entity.ts'
import {
  envelopeEvent,
  formatVoltEvent,
  type EnvelopeObservation,
  type VoltLink,
} from '../aee/evidence/volt.ts'
import { readVoltEvent } from '../aee/evidence/volt-verify.ts'
import { envelopeOf, type RetainedEnvelope } from '../broker/ring/retained.ts'
import type { Clock } from '../core/clock.ts'
import type { ErrorCode } from '../core/errors.ts'
import { newSessionId } from '../core/ids.ts'
import type { EvidenceLedger, EvidencePast } from './evidence-file.ts'

/** What of an observation is not the same for all. */
type Observed = Pick<EnvelopeObservation, 'eventType' | 'sizeBytes' | 'envelope' | 'hash' | 'via' | 'code'>

export class VoltLedger implements EvidenceLedger {
  readonly #clock: Clock
  #runId = newSessionId()
  #last: VoltLink | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(past: EvidencePast | undefined): boolean {
    this.#last = past === undefined ? undefined : readVoltEvent(Buffer.from(past.lastLine))
    this.#runId = this.#last?.run_id ?? newSessionId()
    return past === undefined || this.#last !== undefined
  }

  accepted(retained: RetainedEnvelope): string {
    const envelope = envelopeOf(retained)
    const observed = { sizeBytes: Buffer.byteLength(retained.text), envelope, hash: hashOf(envelope) }
    const received = this.#line({ eventType: 'aee.envelope.received', ...observed })
    if (retained.delivery.recipientCount === 0) return received
    return received + this.#line({ eventType: 'aee.envelope.sent', ...observed, via: 'stream' })
  }

  handedOver(retained: RetainedEnvelope, via: string): string {
    const envelope = envelopeOf(retained)
    const sizeBytes = Buffer.byteLength(retained.text)
    return this.#line({ eventType: 'aee.envelope.sent', sizeBytes, envelope, hash: hashOf(envelope), via })
  }

  refused(code: ErrorCode, sizeBytes: number): string {
    return this.#line({ eventType: 'aee.message.rejected', sizeBytes, code })
  }

  #line(observed: Observed): string {
    const event = envelopeEvent(this.#last, {
      ...observed,
      eventId: newSessionId(),
      runId: this.#runId,
      atMs: this.#clock.nowMs(),
      actorId: SERVICE_ENTITY,
    })
    this.#last = event
    return `${formatVoltEvent(event)}\n`
  }
}
