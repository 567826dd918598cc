/**
 * What a program that serves tasks brings, and what it gets to work with.
 *
 * @see AEE-022, AEE-054, AEQ-10
 */
import type { Envelope, Trace } from '../../aee/envelope/envelope.ts'
import type { Key } from '../../aee/keys/key.ts'
import type { SentEnvelope } from '../reply/envelope-results.ts'
import type { EnvelopeItem } from '../stream/options.ts'

/** A payload; its shape is the intent's. */
export type TaskPayload = Readonly<Record<string, unknown>>

/** What a handler knows of its task besides the task itself. */
export interface TaskContext {
  /** Sends a part ahead of the result (AEE-031). Rejects once the task is over. */
  readonly stream: (payload: TaskPayload) => Promise<SentEnvelope>
  /** Aborts when the time is over or the service closes: what the handler returns then is not sent. */
  readonly signal: AbortSignal
  /** Who asks. */
  readonly from: string
  /** The workflow; envelopes sent because of the task belong to it. */
  readonly corr: string
  /** A span of its own in the trace of the task, for what is sent because of it; null without one (AEE-C22). */
  readonly trace: Trace | null
  /** How the task came. */
  readonly item: EnvelopeItem
}

/**
 * Does one task. What it returns is the payload of the result; nothing is `{}`. A `TaskError` it throws is
 * told to whoever asks, any other error as `E_INTERNAL` with its message.
 */
export type TaskHandler = (
  task: Envelope,
  context: TaskContext,
) => TaskPayload | void | Promise<TaskPayload | void>

/** Intent → what does its tasks. */
export type TaskHandlers = Readonly<Record<string, TaskHandler>>

/** What a person's approval is asked with: the very task, and when nobody waits for it any more. */
export type ApprovalContext = Pick<TaskContext, 'item' | 'signal'>

/** How tasks are served. */
export interface ServeOptions {
  /** How many tasks may be at work at once, default 16; beyond it a task is answered with `E_BUSY`. */
  readonly maxConcurrent?: number | undefined
  /**
   * Asks a person about a task with `requires.human_approval`. Without it no such task is ever done: it is
   * answered with `E_APPROVAL_REQUIRED` (AEQ-10). A `TaskError` it throws is the answer. `approveBy` makes one.
   */
  readonly approve?: ((task: Envelope, context: ApprovalContext) => Promise<boolean>) | undefined
  /** Called for each event to the entity; it answers to nobody (AEE-027). */
  readonly onEvent?: ((item: EnvelopeItem) => void) | undefined
  /**
   * Called when an answer cannot be sent, or a callback throws; nothing else tells of it. Without it an answer that
   * is refused with `signature-required` ends the service, and `ended` rejects.
   */
  readonly onFault?: ((error: Error, item: EnvelopeItem) => void) | undefined
  /** Signs the answers; the key has to be for the entity. */
  readonly sign?: Key | undefined
  /**
   * Event id to go on after, as an earlier run remembered it. Of the tasks since then, those that have their
   * result or error already are passed over.
   */
  readonly after?: string | undefined
  /** Closes the service. */
  readonly signal?: AbortSignal | undefined
}
