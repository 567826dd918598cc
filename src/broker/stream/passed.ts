/**
 * What was accepted and where it went, in the words of the wire: as a watch is told it, and as `/v1/events` lists it.
 *
 * @see docs/http.md §§5, 6; W-1, W-2
 */
import { unreachable } from '../../core/errors.ts'
import type { Retained } from '../ring/retained.ts'

/** The node that accepted it first, as members in front of more; nothing for what was accepted here (FED-31). */
export function describeElsewhere({ origin }: Retained): string {
  if (origin === undefined) return ''
  const { node, realm, eventId } = origin
  return `"node":${JSON.stringify(node)},"origin":${JSON.stringify({ realm, event_id: eventId })},`
}

/** Where it came from and was sent to, as members of a JSON object without its braces. */
export function describeOrigin(retained: Retained): string {
  const { senderAddress, scopeText, acceptedAtMs } = retained
  const sender = JSON.stringify(senderAddress ?? null)
  const acceptedAt = new Date(acceptedAtMs).toISOString()
  return `${describeElsewhere(retained)}"sender":${sender},"scope":${JSON.stringify(scopeText)},"accepted_at":"${acceptedAt}"`
}

/** All that is told of it, as members; the frame or the envelope goes in as text, octet for octet. */
export function describePassed(retained: Retained): string {
  const { delivery, text } = retained
  const counts = `"recipient_count":${delivery.recipientCount},"queued_count":${delivery.queuedCount}`
  const told = `${describeOrigin(retained)},${counts}`
  switch (retained.type) {
    case 'frame':
      return `${told},"frame":${text}`
    case 'envelope': {
      const { effectivePriority, isLate } = retained.envelope
      return `${told},"envelope":${text},"effective_priority":"${effectivePriority}","late":${isLate}`
    }
    default:
      return unreachable(retained)
  }
}
