/**
 * Tasks between entities, for the tools: put, waited for, and answered.
 *
 * An agent is an entity by what it is called, `agent.api-refactor`. What comes back of a task waits in the inbox as
 * everything does, so that an answer after the wait is not lost.
 *
 * @see docs/http.md §9; docs/runtimes.md §6
 */
import { agentEntity, isEntity } from '../../aee/envelope/entity.ts'
import type { Addressees } from '../../protocol/verb/sent-line.ts'
import { goesBack, isTerminal } from '../../aee/thread/task-end.ts'
import { AgentdError } from '../../core/errors.ts'
import { type AgentdSession, type Envelope } from '../../client/index.ts'
import { draftReply } from '../../client/service/task-answer.ts'
import { orAborted, pause } from '../../client/http/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { LOOK_AGAIN_MS } from '../session/bounds.ts'
import type { Facts } from '../session/tool.ts'

/** A task in words. */
export interface WordTask {
  /** The entity that is asked. */
  readonly to: string
  readonly intent: string
  readonly payload: Facts
  /** `urgent` may start a turn of an idle agent. */
  readonly priority: 'normal' | 'urgent'
  /** How long it is waited for, in milliseconds; told to whoever is asked. */
  readonly timeoutMs?: number
}

/** A task that was sent, and whom it reached. */
export interface SentTask extends Addressees {
  readonly task: Envelope
}

/** An end of a task. */
export interface TaskEnd {
  readonly envelope: Envelope
  readonly eventId: string
}

/**
 * Whether a `to` is an entity, as in `agent.reviewer` or `bus.ops`: no name of a session has a dot, no address is without
 * an `@`, and no scope without a tilde.
 */
export function isEntityRecipient(to: string): boolean {
  return /^[^.~@*/\s]+\.[^~@*/\s]+$/.test(to) && isEntity(to)
}

/** Sends a task of the calling agent's. @throws AgentdError such as `recipient-unknown`, with near names */
export async function sendTask(session: AgentdSession, task: WordTask): Promise<SentTask> {
  const { to, intent, payload, priority, timeoutMs } = task
  const sent = await session.sendEnvelope({
    type: 'task',
    from: entityOf(session),
    to,
    intent,
    payload,
    priority,
    requires: timeoutMs === undefined ? null : { timeout_ms: timeoutMs },
  })
  return { ...sent, task: sent.envelope }
}

/**
 * What ends a task, as soon as it is there.
 *
 * @returns undefined when the time was over first; its end will come to the inbox
 * @throws the signal's reason
 */
export async function awaitEnd(
  session: AgentdSession,
  task: Envelope,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<TaskEnd | undefined> {
  const untilMs = clock.monotonicMs() + timeoutMs
  for (;;) {
    const { items } = await orAborted(session.thread(task.corr, signal), signal)
    const end = items.find(({ envelope }) => endsTask(envelope, task))
    if (end !== undefined || clock.monotonicMs() >= untilMs) return end
    // A stream for answers alone would take what else comes to the agent past its inbox.
    await pause(clock, LOOK_AGAIN_MS, signal)
  }
}

/**
 * Answers a task that was sent to the calling agent.
 *
 * @param code - why it was not done, as `E_…`; undefined for a result
 * @returns undefined when there is no such task
 */
export async function answerTask(
  session: AgentdSession,
  id: string,
  { payload, code }: { payload: Facts; code: string | undefined },
): Promise<SentTask | undefined> {
  const task = await findTask(session, id)
  if (task === undefined) return undefined
  const { text: message = '' } = payload
  const answer =
    code === undefined
      ? ({ type: 'result', payload } as const)
      : ({ type: 'error', payload: { retryable: false, ...payload, code, message } } as const)
  const sent = await session.sendEnvelope(draftReply(task, answer))
  return { ...sent, task: sent.envelope }
}

/** What the calling agent speaks as. @throws AgentdError for a daemon that gives no names */
function entityOf({ facts }: AgentdSession): string {
  if (facts.name !== undefined) return agentEntity(facts.name)
  throw new AgentdError('sender-identity-mismatch', 'This session has no name to speak by as an entity.')
}

function endsTask(envelope: Envelope, task: Envelope): boolean {
  return isTerminal(envelope) && envelope.reply_to === task.id && goesBack(envelope, task)
}

async function findTask(session: AgentdSession, id: string): Promise<Envelope | undefined> {
  try {
    const { envelope } = await session.envelope(id)
    return envelope.type === 'task' ? envelope : undefined
  } catch (error) {
    if (error instanceof AgentdError && error.code === 'not-found') return undefined
    throw error
  }
}
