/**
 * What a drain hands over, read as its caller reads it.
 */
import type { Drain } from '../../src/broker/inbox/inbox.ts'
import { frameOf } from '../../src/broker/ring/retained.ts'
import type { Ring } from '../../src/broker/ring/ring.ts'

/** Frames parsed; `text` only where it was asked for. */
export function readDrain(ring: Ring, { taken, coalesced, remaining, gap, text, atMs }: Drain) {
  const items = taken
    .filter((retained) => retained.type === 'frame')
    .map((retained) => ({
      event_id: ring.eventId(retained.seq),
      age_ms: atMs - retained.acceptedAtMs,
      frame: frameOf(retained),
    }))
  return { items, coalesced, remaining, gap, ...(text !== undefined && { text }) }
}
