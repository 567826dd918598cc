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
  people: { type: 'integer', description: "of both, the person's own seats" },
}

/** The counts of something that was sent. */
export function reachedFacts({ recipientCount, queuedCount, peopleCount = 0, remote }: Addressees): Facts {
  return {
    reached: recipientCount,
    queued: queuedCount,
    people: peopleCount === 0 ? undefined : peopleCount,
    // Not declared above, which every model pays for: without a link there is none of them.
    on_other_machines: remote?.sessions,
    away: remote === undefined || remote.away.length === 0 ? undefined : remote.away,
  }
}

/** Whether nobody was reached here, and nobody is named on another node. */
export function isUnheard({ recipientCount, queuedCount, remote }: Addressees): boolean {
  return recipientCount + queuedCount + (remote?.sessions ?? 0) === 0
}
