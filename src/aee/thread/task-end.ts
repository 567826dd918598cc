/**
 * When a task is over.
 *
 * @see AEE-024; AEQ-04
 */
import { isChannel } from '../envelope/entity.ts'
import type { Envelope } from '../envelope/envelope.ts'

/** From whom to whom. */
export type Parties = Pick<Envelope, 'from' | 'to'>

/** Whether it is of the kind that a task is over with (AEE-024). */
export function isTerminal({ type }: Pick<Envelope, 'type'>): boolean {
  return type === 'result' || type === 'error'
}

/**
 * Whether a reply goes back the way its task came. Ids are no secret: what somebody else says under one is
 * delivered, and ends nothing. On a channel anybody may answer.
 */
export function goesBack(reply: Parties, task: Parties): boolean {
  return isChannel(task.to) || (reply.from === task.to && reply.to === task.from)
}

/** Whether a reply is the end of a task: its result or error, from who was asked to who asked (AEE-024, AEQ-04). */
export function endsTask(reply: Parties & Pick<Envelope, 'type'>, task: Parties): boolean {
  return isTerminal(reply) && goesBack(reply, task)
}
