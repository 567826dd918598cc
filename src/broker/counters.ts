/**
 * What the broker has done, as plain numbers; `GET /v1/metrics` reads them.
 */
export class Counters {
  framesAccepted = 0
  framesDuplicate = 0
  deliveriesEmitted = 0
  deliveriesQueued = 0
  streamsOpened = 0
  streamsCutSlow = 0
  gapsTold = 0

  accepted(emitted: number, queued: number): void {
    this.framesAccepted += 1
    this.deliveriesEmitted += emitted
    this.deliveriesQueued += queued
  }

  duplicate(): void {
    this.framesDuplicate += 1
  }
}
