/**
 * The answer to an accepted envelope: its place, whom it reached, and what its sender should know.
 *
 * @see AEE-024, AEQ-20: a task expects an answer, and one that reached nobody has none to expect
 */
import type { Advice } from '../../aee/conformance/advice.ts'
import type { EnvelopeReply } from '../../protocol/http/envelope-replies.ts'
import type { RemoteCount, Warning } from '../../protocol/http/frame-replies.ts'
import { quoteName } from '../../aee/envelope/fault.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'

import type { OtherNodes } from '../remote/other-nodes.ts'
import type { RetainedEnvelope } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'

/** What an answer is made with. */
interface ReplyParts {
  readonly ring: Pick<Ring, 'ack' | 'eventId'>
  readonly others: Pick<OtherNodes, 'countOf' | 'warningsOf'>
}

/** @param retained - once it has its place in the ring */
export function replyTo(
  { ring, others }: ReplyParts,
  retained: RetainedEnvelope,
  advice: readonly Advice[],
): EnvelopeReply {
  const { seq, delivery, envelope: facts } = retained
  const remote = delivery.named ?? others.countOf(retained)
  return {
    id: facts.id,
    event_id: ring.eventId(seq),
    recipient_count: delivery.recipientCount,
    queued_count: delivery.queuedCount,
    ...(delivery.peopleCount > 0 && { people_count: delivery.peopleCount }),
    ...(delivery.terminalCount > 0 && { terminal_count: delivery.terminalCount }),
    ack: ring.ack,
    ...(remote !== undefined && { remote }),
    effective_priority: facts.effectivePriority,
    ...(facts.isLate && { late: true }),
    warnings: [...advice.map(toWarning), ...reachWarnings(retained, remote), ...others.warningsOf(retained)],
  }
}

/** The daemon takes what is for itself, and counts nobody for it. */
function* reachWarnings(
  { delivery, envelope: { type, to } }: RetainedEnvelope,
  remote: RemoteCount | undefined,
): Generator<Warning> {
  if (type !== 'task' || to === SERVICE_ENTITY) return
  if (delivery.recipientCount + delivery.queuedCount + (remote?.sessions ?? 0) > 0) return
  const away = remote?.away ?? []
  const end =
    away.length === 0
      ? 'waits for nobody'
      : `waits for ${away.join(', ')}, which ${away.length === 1 ? 'is' : 'are'} away`
  const message = `Nobody hears for ${quoteName(to)} just now: the task reached nobody and ${end}.`
  yield { code: 'recipient-unknown', field: 'to', message }
}

function toWarning({ code, field, message }: Advice): Warning {
  return { code, ...(field !== undefined && { field }), message }
}
