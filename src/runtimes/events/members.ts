/**
 * The payload of a runtime's event, as it comes.
 */
import { firstTextOf } from '../../core/text/json-object.ts'

/** A JSON object of unknown content. */
export type EventMembers = Readonly<Record<string, unknown>>

/** What a payload calls its event; empty where it says nothing. */
export function wireNameOf(payload: EventMembers): string {
  return firstTextOf(payload, ['hook_event_name', 'hookEventName']) ?? ''
}
