/**
 * Event ids: `<epoch>-<seq>`, one sequence for the whole daemon (ACQ-21).
 *
 * The epoch names one life of the counter, so that a number from another life is never taken for ours.
 * Sequence numbers start at 1; `<epoch>-0` is the place before the first event.
 */
import { MAX_EVENT_ID_OCTETS } from '../../core/limits.ts'

export interface EventId {
  readonly epoch: string
  readonly seq: number
}

const EVENT_ID_PATTERN = /^([A-Za-z0-9]{1,32})-(0|[1-9]\d{0,15})$/

export function formatEventId(epoch: string, seq: number): string {
  return `${epoch}-${seq}`
}

/** @returns undefined when the text has not the form of an event id of any epoch */
export function readEventId(text: string): EventId | undefined {
  if (text.length > MAX_EVENT_ID_OCTETS) return undefined
  const match = EVENT_ID_PATTERN.exec(text)
  if (match === null) return undefined
  const [, epoch, digits] = match
  const seq = Number(digits)
  return epoch === undefined || !Number.isSafeInteger(seq) ? undefined : { epoch, seq }
}
