/**
 * The answer to an accepted envelope: its place, whom it reached, and what its sender should know.
 */
import type { Advice } from '../../aee/conformance/advice.ts'
import type { EnvelopeReply, Warning } from '../../protocol/http/envelope-replies.ts'
import type { RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'

/** @param retained - once it has its place in the ring */
export function replyTo(
  ring: Pick<Ring, 'ack' | 'eventId'>,
  { seq, delivery, envelope: facts }: RetainedEnvelope,
  advice: readonly Advice[],
): EnvelopeReply {
  return {
    id: facts.id,
    event_id: ring.eventId(seq),
    recipient_count: delivery.recipientCount,
    queued_count: delivery.queuedCount,
    ...(delivery.peopleCount > 0 && { people_count: delivery.peopleCount }),
    ack: ring.ack,
    effective_priority: facts.effectivePriority,
    ...(facts.isLate && { late: true }),
    warnings: advice.map(toWarning),
  }
}

function toWarning({ code, field, message }: Advice): Warning {
  return { code, ...(field !== undefined && { field }), message }
}
