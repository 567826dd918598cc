/**
 * What the broker has done, as plain numbers; `GET /v1/metrics` reads them.
 */
import { unreachable } from '../../core/errors.ts'
import type { EnvelopeFacts, Retained } from './retained.ts'

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
  /** Records of other nodes (FED-65). */
  remoteApplied = 0
  remoteRepeats = 0
  remoteRefused = 0
  remoteHoles = 0

  accepted(retained: Retained): void {
    const { delivery } = retained
    this.deliveriesEmitted += delivery.recipientCount
    this.deliveriesQueued += delivery.queuedCount
    switch (retained.type) {
      case 'frame':
        this.framesAccepted += 1
        return
      case 'envelope':
        this.#acceptedEnvelope(retained.envelope)
        return
      default:
        unreachable(retained)
    }
  }

  duplicateFrame(): void {
    this.framesDuplicate += 1
  }

  duplicateEnvelope(): void {
    this.envelopesDuplicate += 1
  }

  #acceptedEnvelope({ priority, effectivePriority, isLate }: EnvelopeFacts): void {
    this.envelopesAccepted += 1
    if (effectivePriority !== priority) this.envelopesCapped += 1
    if (isLate) this.envelopesLate += 1
  }
}
