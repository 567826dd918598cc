/**
 * Envelopes of a workflow as the library tells of them, each accepted some milliseconds after its start.
 */
import type { ThreadEnvelope } from '../../src/client/index.ts'
import { makeEnvelope } from '../client/envelope-peers.ts'

const START_MS = Date.UTC(2026, 10, 20, 10)

/** RFC 3339, some milliseconds after the start. */
export const threadAt = (ms: number): string => new Date(START_MS + ms).toISOString()

/** An item of a workflow; what is not said is a task's from `agent.asker` to `agent.doer`. */
export function threadItem(ms: number, changes: Parameters<typeof makeEnvelope>[0] = {}): ThreadEnvelope {
  return {
    eventId: `e1-${ms}`,
    acceptedAt: threadAt(ms),
    effectivePriority: changes?.priority ?? 'normal',
    late: false,
    refuted: [],
    recipientCount: 1,
    queuedCount: 0,
    envelope: makeEnvelope({ ts: threadAt(ms), ...changes }),
  }
}
