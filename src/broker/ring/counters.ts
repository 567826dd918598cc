/**
 * What the broker has done, as plain numbers; `GET /v1/metrics` reads them.
 */
import type { Retained } from './ring.ts'

export class Counters {
  framesAccepted = 0
  framesDuplicate = 0
  envelopesAccepted = 0
  envelopesDuplicate = 0
  envelopesCapped = 0
  envelopesLate = 0
  deliveriesEmitted = 0
  deliveriesQueued = 0
  streamsOpened = 0
  streamsCutSlow = 0
  gapsTold = 0

  accepted({ delivery, envelope }: Retained): void {
    this.deliveriesEmitted += delivery.recipientCount
    this.deliveriesQueued += delivery.queuedCount
    if (envelope === undefined) {
      this.framesAccepted += 1
      return
    }
    this.envelopesAccepted += 1
    if (envelope.effectivePriority !== envelope.priority) this.envelopesCapped += 1
    if (envelope.isLate) this.envelopesLate += 1
  }

  duplicateFrame(): void {
    this.framesDuplicate += 1
  }

  duplicateEnvelope(): void {
    this.envelopesDuplicate += 1
  }
}
