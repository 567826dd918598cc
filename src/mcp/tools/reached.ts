/**
 * Whom something reached, agents and the person apart.
 *
 * @see docs/http.md §5
 */
import type { Addressees } from '../../protocol/verb/sent-line.ts'
import type { Facts } from '../session/tool.ts'

/** As a tool's result declares it. */
export const REACHED_OUTPUT = {
  reached: { type: 'integer' },
  queued: { type: 'integer' },
  people: { type: 'integer', description: "of both, the person's own seats and terminals" },
}

/** The counts of something that was sent. */
export function reachedFacts({ recipientCount, queuedCount, remote, ...counts }: Addressees): Facts {
  const { peopleCount = 0, terminalCount = 0 } = counts
  const people = peopleCount + terminalCount
  return {
    reached: recipientCount,
    queued: queuedCount,
    people: people === 0 ? undefined : people,
    // Not declared above, which every model pays for: without a link there is none of them.
    on_other_machines: remote?.sessions,
    does_not_say_who_is_there: (remote?.untold ?? []).length === 0 ? undefined : remote?.untold,
    away: remote === undefined || remote.away.length === 0 ? undefined : remote.away,
  }
}

/** Whether nobody was reached here, and other nodes say that nobody is named there. */
export function isUnheard({ recipientCount, queuedCount, remote }: Addressees): boolean {
  return recipientCount + queuedCount + (remote?.sessions ?? 0) + (remote?.untold ?? []).length === 0
}
