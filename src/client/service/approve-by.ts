/**
 * Asking a person, wherever they sit, whether a task may be done: `serve(…, { approve: approveBy(session, …) })`.
 *
 * @see docs/http.md §7; W-9, SEAT-11, AEQ-10
 */
import { timeoutMsOf } from '../../aee/conformance/advice.ts'
import type { DecodedEnvelope, Envelope } from '../../aee/envelope/envelope.ts'
import { childTrace, newSpanId } from '../../aee/envelope/trace-context.ts'
import { APPROVAL_INTENT, composeApprovalRequest, readVerdict, taskHash } from '../../aee/intents/approval.ts'
import type { Key, KeyRing } from '../../aee/keys/key.ts'
import { verifyEnvelope } from '../../aee/keys/signature.ts'
import { AgentdError } from '../../core/errors.ts'
import { EnvelopeTimeout, EnvelopeUnheard, TaskError } from '../envelopes/errors.ts'
import type { EnvelopeRequest, RequestOptions, TaskDraft } from '../envelopes/request.ts'
import type { EnvelopeItem } from '../stream/options.ts'
import type { ServeOptions } from './task-handler.ts'
import { MAX_TASK_MS } from './task-run.ts'

/** How a person is asked. */
export interface ApproveOptions {
  /** Who is asked: `human.alice`. */
  readonly person: string
  /** What the person is told of a task, in words; without it, its intent and the beginning of its payload. */
  readonly summarise?: ((task: Envelope) => string) | undefined
  /** Signs what is asked; the key has to be for the entity that was given the task. */
  readonly sign?: Key | undefined
  /** Only an answer that one of these has signed counts. Without them, whoever speaks for the person may answer. */
  readonly keys?: KeyRing | undefined
  /** Wait even where nobody is at the seat, for as long as the task may take. */
  readonly waitForPerson?: boolean | undefined
}

/** What of a task's time is left when the person's is over, in milliseconds; of a short one half, of a long one a share. */
const LEAST_LEFT_MS = 1_000
const SHARE_LEFT = 0.05

/** Whoever can send a task and wait for what ends it: a session, or the client itself. */
interface Asking {
  /** Sends a task and collects what comes of it. */
  request(task: TaskDraft, options?: RequestOptions): EnvelopeRequest
}

/**
 * Whether the person has approved this very task.
 *
 * What it returns throws `TaskError` with `E_APPROVAL_REQUIRED` where nobody is at the seat, or says nothing in time, and
 * with `E_REJECTED` for an answer that is to another task, or not signed as it has to be.
 *
 * @param session - of the worker: what is asked comes from the entity that was given the task
 */
export function approveBy(session: Asking, options: ApproveOptions): NonNullable<ServeOptions['approve']> {
  return async (task, { item, signal }) => {
    const timeoutMs = timeOfPerson(task)
    const { sign, waitForPerson } = options
    const request = session.request(draftRequest(item, options), {
      signal,
      sign,
      timeoutMs,
      waitForRecipient: waitForPerson,
    })
    try {
      return isApproved(await request.terminal, item, options)
    } catch (error) {
      throw asRefusal(error, options.person)
    } finally {
      await request.return()
    }
  }
}

/** The task's own end must not come before it is told that nobody has answered, on a busy machine either. */
function timeOfPerson(task: Envelope): number {
  const limitMs = Math.min(timeoutMsOf(task) ?? MAX_TASK_MS, MAX_TASK_MS)
  return Math.floor(limitMs - Math.min(limitMs / 2, Math.max(LEAST_LEFT_MS, limitMs * SHARE_LEFT)))
}

function draftRequest(item: DecodedEnvelope, { person, summarise }: ApproveOptions): TaskDraft {
  const { envelope } = item
  const { id, to, corr, priority, trace } = envelope
  return {
    from: to,
    to: person,
    intent: APPROVAL_INTENT,
    corr,
    replyTo: id,
    priority,
    trace: childTrace(trace, newSpanId()),
    payload: composeApprovalRequest(item, summarise?.(envelope)),
  }
}

/** @throws TaskError `E_REJECTED` for what is no answer about this task */
function isApproved(
  { envelope }: EnvelopeItem,
  item: DecodedEnvelope,
  { keys, person }: ApproveOptions,
): boolean {
  if (keys !== undefined) requireSigned(envelope, keys)
  const verdict = envelope.type === 'result' ? readVerdict(envelope.payload) : undefined
  if (verdict === undefined) throw rejected(`"${person}" has answered neither yes nor no.`)
  if (verdict.task.id !== item.envelope.id || verdict.task.hash !== taskHash(item.text))
    throw rejected(`What "${person}" has answered is not about this task as it was delivered.`)
  return verdict.approved
}

/** @throws TaskError `E_REJECTED` */
function requireSigned(envelope: Envelope, keys: KeyRing): void {
  try {
    if (verifyEnvelope(envelope, { keys, nowMs: Date.now() }) === 'verified') return
  } catch (error) {
    if (!(error instanceof AgentdError)) throw error
    throw rejected(error.message)
  }
  throw rejected('The answer is not signed.')
}

/** Why nobody has approved, as whoever gave the task is told. */
function asRefusal(error: unknown, person: string): unknown {
  const isUnknown = error instanceof AgentdError && error.code === 'recipient-unknown'
  if (isUnknown || error instanceof EnvelopeUnheard)
    return new TaskError(
      'E_APPROVAL_REQUIRED',
      `A person has to approve this task, and "${person}" is not there.`,
    )
  if (error instanceof EnvelopeTimeout)
    return new TaskError('E_APPROVAL_REQUIRED', `"${person}" has not answered within ${error.timeoutMs} ms.`)
  return error
}

function rejected(message: string): TaskError {
  return new TaskError('E_REJECTED', message)
}
