/**
 * Whether something that leaves fits into one message of a hub.
 *
 * @see FED-18
 */
import type { Retained } from '../../broker/ring/retained.ts'
import { octetLength } from '../../core/text/octets.ts'
import { BESIDE_RECORD_OCTETS } from '../../link/batch.ts'
import { sealedOctets } from '../../link/sealing/sealed-line.ts'
import { recordLine } from './feed-lines.ts'

/** What is asked about: something at its place, and its text as it leaves, which is made only where it has to be. */
interface Leaver {
  readonly eventId: string
  readonly retained: Retained
  readonly textOf: () => string | undefined
  readonly isSealed: boolean
}

/** @param maxPayload - octets that the hub takes at once */
export function isTooLarge(maxPayload: number, { eventId, retained, textOf, isSealed }: Leaver): boolean {
  // It surely fits, whatever its characters are: nearly everything is far below the bound.
  if (retained.text.length * 4 + 3 * BESIDE_RECORD_OCTETS < maxPayload) return false
  const text = textOf()
  if (text === undefined) return false
  const line = recordLine(eventId, retained, text)
  if (line === undefined) return true
  const octets = octetLength(line)
  return (isSealed ? sealedOctets(octets) : octets) + 1 > maxPayload - BESIDE_RECORD_OCTETS
}
