/**
 * What an agent can be sent: words to answer or to act on, for it to read at its next turn.
 *
 * The draft leaves intents to whoever uses them; these are ours, and a sender may name any other.
 *
 * @see draft-cowles-aee-00 §9.1, §9.2; AEE-061, AEE-065
 */
import type { AeeIntent } from './intents.ts'

/** A question in words: payload `{"text"}`, answered with `{"text"}`. */
export const ASK_INTENT = 'agent.ask'

/** Something to do, in words: payload `{"text"}`, answered with `{"text"}`. */
export const TASK_INTENT = 'agent.task'

/** What the daemon answers for an agent that cannot hear for itself just now. */
const ANSWERED: ReadonlySet<string> = new Set<AeeIntent>(['aee.status.ping', 'aee.capability.list'])

/** What an agent understands, as `aee.capability.list` tells it. */
export const AGENT_INTENTS: readonly string[] = [...ANSWERED, ASK_INTENT, TASK_INTENT]

/** Whether a task needs no agent to answer it. */
export function isAnsweredForAgent(intent: string): boolean {
  return ANSWERED.has(intent)
}
