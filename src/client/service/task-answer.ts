/**
 * The envelopes that a task is answered with.
 *
 * @see AEE-024…AEE-031, AEE-C22
 */
import { messageOf } from '../../core/thrown.ts'
import { childTrace, newSpanId } from '../../aee/envelope/trace-context.ts'
import type { Envelope, EnvelopeType, Trace } from '../../aee/envelope/envelope.ts'
import { TaskError } from '../envelopes/errors.ts'
import type { EnvelopeDraft } from '../envelopes/outgoing-envelope.ts'
import type { TaskPayload } from './task-handler.ts'

/** How a task ends. */
export interface TaskAnswer {
  readonly type: Extract<EnvelopeType, 'result' | 'error'>
  readonly payload: TaskPayload
}

/** What a task is answered with when its handler failed by itself. */
const CODE_INTERNAL = 'E_INTERNAL'

/**
 * An answer to a task: of its workflow, its intent and its priority, to whoever asked.
 *
 * @param trace - the answer's own span
 */
export function draftAnswer(
  task: Envelope,
  answer: { readonly type: EnvelopeType; readonly payload: TaskPayload },
  trace: Trace | null,
): EnvelopeDraft {
  return {
    ...answer,
    from: task.to,
    to: task.from,
    intent: task.intent,
    corr: task.corr,
    replyTo: task.id,
    priority: task.priority,
    trace,
  }
}

/** As {@link draftAnswer}, in a span of the answer's own under that of its task. */
export function draftReply(
  task: Envelope,
  answer: { readonly type: EnvelopeType; readonly payload: TaskPayload },
): EnvelopeDraft {
  return draftAnswer(task, answer, childTrace(task.trace, newSpanId()))
}

/** What an error says to whoever asked: never where in this program it was thrown. */
export function toErrorAnswer(error: unknown): TaskAnswer {
  if (error instanceof TaskError) {
    const { code, message, retryable, backoffMs, details } = error
    const payload = { code, message, retryable, backoff_ms: backoffMs, details }
    return { type: 'error', payload }
  }
  const message = messageOf(error)
  return { type: 'error', payload: { code: CODE_INTERNAL, message, retryable: false } }
}
