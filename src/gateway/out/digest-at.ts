/**
 * What a bridge compares with what the hub has.
 *
 * @see FED-17, FED-22
 */
import type { Broker } from '../../broker/broker.ts'
import { digestOf } from '../../broker/ring/digest.ts'

/** The digest of what is at a place; null where nothing is any more. */
export function digestAt(broker: Broker, eventId: string): string | null {
  const seq = broker.placeOf(eventId)
  const retained = seq === undefined ? undefined : broker.ring.get(seq)
  return retained === undefined ? null : digestOf(retained.scopeText, retained.text)
}
