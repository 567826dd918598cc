/**
 * One task at work, from its approval to its answer.
 *
 * @see AEE-096, AEE-097, AEQ-10
 */
import { messageOf } from '../../core/thrown.ts'
import { needsApproval, timeoutMsOf } from '../../aee/conformance/advice.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { childTrace, newSpanId } from '../../aee/envelope/trace-context.ts'
import type { Clock } from '../../core/clock.ts'
import { orAborted } from '../http/backoff.ts'
import { TaskError } from '../envelopes/errors.ts'
import type { SentEnvelope } from '../reply/envelope-results.ts'
import type { EnvelopeDraft } from '../envelopes/outgoing-envelope.ts'
import type { EnvelopeItem } from '../stream/options.ts'
import { draftAnswer, toErrorAnswer, type TaskAnswer } from './task-answer.ts'
import type { ServeOptions, TaskPayload, TaskContext, TaskHandler } from './task-handler.ts'

/** What a task is done with. */
export interface RunParts {
  readonly clock: Clock
  readonly approve: ServeOptions['approve']
  send(draft: EnvelopeDraft): Promise<SentEnvelope>
  onFault(error: unknown, item: EnvelopeItem): void
}

/** The longest a task may take, whatever it asks for (AEE-096). */
export const MAX_TASK_MS = 10 * 60_000

export class TaskRun {
  /** Settles when the answer has been sent, or could not be. Never rejects. */
  readonly answered: Promise<void>
  /** Settles when the handler is done as well, which may be later: nothing can stop one that goes on. */
  readonly over: Promise<unknown>
  readonly #item: EnvelopeItem
  readonly #handler: TaskHandler
  readonly #parts: RunParts
  readonly #ending = new AbortController()
  /** True once the answer is decided. */
  #isDecided = false

  constructor(item: EnvelopeItem, handler: TaskHandler, parts: RunParts) {
    this.#item = item
    this.#handler = handler
    this.#parts = parts
    const work = this.#work()
    this.answered = this.#answer(work)
    this.over = Promise.allSettled([work, this.answered])
  }

  /** Ends the task; the reason is its answer. */
  abort(reason: TaskError): void {
    this.#ending.abort(reason)
  }

  async #work(): Promise<TaskPayload> {
    const task = this.#item.envelope
    await this.#requireApproval(task)
    // Approved too late: whoever asked has been told that the time is over.
    this.#ending.signal.throwIfAborted()
    return (await this.#handler(task, this.#context())) ?? {}
  }

  async #requireApproval(task: Envelope): Promise<void> {
    if (!needsApproval(task)) return
    const { approve } = this.#parts
    if (approve === undefined) {
      throw new TaskError(
        'E_APPROVAL_REQUIRED',
        'This task has to be approved by a person, and nobody here can.',
      )
    }
    const isApproved = await approve(task, { item: this.#item, signal: this.#ending.signal })
    if (!isApproved) throw new TaskError('E_REJECTED', 'A person has rejected this task.')
  }

  async #answer(work: Promise<TaskPayload>): Promise<void> {
    const limitMs = Math.min(timeoutMsOf(this.#item.envelope) ?? MAX_TASK_MS, MAX_TASK_MS)
    const timer = this.#parts.clock.after(limitMs, () => {
      this.abort(new TaskError('E_TIMEOUT', `The task was not done within ${limitMs} ms.`))
    })
    let answer: TaskAnswer
    try {
      answer = { type: 'result', payload: await orAborted(work, this.#ending.signal) }
    } catch (error) {
      answer = toErrorAnswer(error)
      // A handler that waits for anything should know that nobody waits for it any more.
      this.#ending.abort(error)
    } finally {
      timer.cancel()
      this.#isDecided = true
    }
    await this.#send(answer)
  }

  /** A result that cannot be sent is an error that can. */
  async #send(answer: TaskAnswer): Promise<void> {
    try {
      await this.#submit(answer)
    } catch (error) {
      this.#parts.onFault(error, this.#item)
      if (answer.type === 'error') return
      const why = messageOf(error)
      await this.#send(toErrorAnswer(new TaskError('E_INTERNAL', `The result cannot be sent: ${why}`)))
    }
  }

  #submit(answer: Pick<EnvelopeDraft, 'type' | 'payload'>): Promise<SentEnvelope> {
    const task = this.#item.envelope
    return this.#parts.send(draftAnswer(task, answer, childTrace(task.trace, newSpanId())))
  }

  #context(): TaskContext {
    const task = this.#item.envelope
    return {
      stream: (payload) => this.#stream(payload),
      signal: this.#ending.signal,
      from: task.from,
      corr: task.corr,
      trace: childTrace(task.trace, newSpanId()),
      item: this.#item,
    }
  }

  #stream(payload: TaskPayload): Promise<SentEnvelope> {
    if (this.#isDecided || this.#ending.signal.aborted) {
      return Promise.reject(new Error('The task is over; no part of it can be sent any more.'))
    }
    const sent = this.#submit({ type: 'stream', payload })
    // A handler need not look at each part; the result fails by itself when the way is gone.
    sent.catch(() => {})
    return sent
  }
}
