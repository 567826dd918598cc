/**
 * A task and what comes of it: its parts as they come, and the one envelope that ends it.
 *
 * @see AEE-024, AEE-031, AEE-096, AEE-097
 */
import { AgentdError, UsageError } from '../../core/errors.ts'
import { timeoutMsOf } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import type { Key } from '../../aee/keys/key.ts'
import { isDuration } from '../../aee/envelope/requires.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { MAX_FRAME_OCTETS } from '../../core/limits.ts'
import { orAborted, toError } from '../http/backoff.ts'
import { EnvelopeTimeout, EnvelopeUnheard } from './errors.ts'
import type { SentEnvelope } from '../reply/envelope-results.ts'
import { ItemQueue } from '../stream/item-queue.ts'
import { composeEnvelope, type EnvelopeDraft } from './outgoing-envelope.ts'
import type { ReplyDesk } from './reply-desk.ts'
import type { WaitingTask } from './reply-line.ts'
import type { EnvelopeItem } from '../stream/options.ts'

/** A task; `requires.timeout_ms` bounds how long it is waited for. */
export type TaskDraft = Omit<EnvelopeDraft, 'type'>

/** How a task is sent and waited for. */
export interface RequestOptions {
  /** Gives up with the signal's reason; the task itself cannot be taken back. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long to wait, in milliseconds, at most ten minutes. Default: the task's `requires.timeout_ms`, or one
   * minute. The recipient is told of it in `requires`, unless something else stands there.
   *
   * @throws UsageError, at once, for what is no number of 0 or more
   */
  readonly timeoutMs?: number | undefined
  /** Wait even when nobody gets the task at first; it is retained, and a late listener may still find it. */
  readonly waitForRecipient?: boolean | undefined
  /**
   * Let a result or an error of anybody end the task. Without it only one of the entity that was asked does, and
   * on a channel one of anybody; what others say under the task's id comes as a part.
   */
  readonly acceptDelegates?: boolean | undefined
  /** Signs the task; the key has to be for the sender's entity. */
  readonly sign?: Key | undefined
}

/** What a request is made with. */
export interface RequestParts {
  readonly clock: Clock
  readonly desk: ReplyDesk
  submit(envelope: Envelope): Promise<SentEnvelope>
}

/** The longest a task is waited for, whatever it asks for (AEE-096). */
export const MAX_REQUEST_MS = 10 * 60_000

/** How long it is waited for when nobody says. */
export const DEFAULT_REQUEST_MS = 60_000

/**
 * Parts kept for a consumer that is not there yet, in the largest frames they are as large as. A full stream
 * of them would hold up every other task, so further ones are left out and counted.
 */
const MAX_WAITING_PARTS = 1_024

/**
 * Made by `request()`. Iterating yields the parts and, last, what ends the task. It has one consumer. A part is a
 * `stream`, or a `result` or an `error` of somebody who was not asked: look at its `from`.
 */
export class EnvelopeRequest implements AsyncIterableIterator<EnvelopeItem, undefined>, AsyncDisposable {
  /** The task as it was sent. */
  readonly task: Envelope
  /** How long the task is waited for altogether, in milliseconds. */
  readonly timeoutMs: number
  /** What the daemon said of it. */
  readonly sent: Promise<SentEnvelope>
  /**
   * The result, or the error, that ends the task: of whoever was asked, unless `acceptDelegates` says otherwise.
   *
   * @throws EnvelopeTimeout, EnvelopeUnheard, AgentdError for a refusal such as `recipient-unknown`, or the
   *   signal's reason
   */
  readonly terminal: Promise<EnvelopeItem>
  readonly #parts: RequestParts
  readonly #options: RequestOptions
  readonly #queue: ItemQueue<EnvelopeItem>
  readonly #waiting: WaitingTask
  readonly #timer: Timer
  /** Ends what is waited for before the task is sent. */
  readonly #ending = new AbortController()
  readonly #sent = settleable<SentEnvelope>()
  readonly #terminal = settleable<EnvelopeItem>()
  /** Undefined while the task is open; settles when nothing of it is left. */
  #released: Promise<void> | undefined
  /** True while the consumer has enough. */
  #isFull = false
  #leftOut = 0

  constructor(draft: TaskDraft, options: RequestOptions, parts: RequestParts) {
    requireDuration(options.timeoutMs)
    this.#parts = parts
    this.#options = options
    this.task = composeEnvelope(toTask(draft, options.timeoutMs), parts.clock.nowMs(), options.sign)
    this.#queue = new ItemQueue(MAX_WAITING_PARTS, {
      onFull: () => (this.#isFull = true),
      onDrained: () => (this.#isFull = false),
    })
    this.sent = this.#sent.promise
    this.terminal = this.#terminal.promise
    this.#waiting = {
      task: this.task,
      acceptsDelegates: options.acceptDelegates === true,
      takePart: (item) => this.#takePart(item),
      takeEnd: (item) => this.#takeEnd(item),
      fail: (error) => this.#end(error),
    }
    this.timeoutMs = Math.min(timeoutMsOf(this.task) ?? DEFAULT_REQUEST_MS, MAX_REQUEST_MS)
    this.#timer = parts.clock.after(this.timeoutMs, () =>
      this.#end(new EnvelopeTimeout(this.task, this.timeoutMs)),
    )
    options.signal?.addEventListener('abort', this.#abort)
    if (options.signal?.aborted === true) this.#abort()
    void this.#run()
  }

  /** Parts that nobody fetched in time and that were not kept. */
  get leftOut(): number {
    return this.#leftOut
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** @throws as `terminal` */
  next(): Promise<IteratorResult<EnvelopeItem, undefined>> {
    return this.#queue.next()
  }

  /** Gives up waiting; nothing of it is left when the promise resolves. */
  async return(): Promise<IteratorResult<EnvelopeItem, undefined>> {
    this.#end(new AgentdError('closing', 'The request was given up.'))
    this.#queue.discard()
    await this.#released
    return { done: true, value: undefined }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    try {
      signal.throwIfAborted()
      await orAborted(this.#parts.desk.join(this.#waiting), signal)
      // What was written is written: its answer is told even when the task has come to its end before.
      const sent = await this.#parts.submit(this.task)
      this.#sent.resolve(sent)
      if (this.#isUnheard(sent)) this.#end(new EnvelopeUnheard(this.task, sent.remote?.away))
    } catch (error) {
      this.#sent.reject(toError(error))
      this.#end(toError(error))
    }
  }

  #isUnheard({ recipientCount, queuedCount, remote }: SentEnvelope): boolean {
    // The daemon hears by itself.
    if (this.#options.waitForRecipient === true || this.task.to === SERVICE_ENTITY) return false
    return recipientCount + queuedCount + (remote?.sessions ?? 0) + (remote?.untold ?? []).length === 0
  }

  #takeEnd(item: EnvelopeItem): void {
    this.#queue.push(item)
    this.#terminal.resolve(item)
    this.#end()
  }

  #takePart(item: EnvelopeItem): void {
    if (this.#isFull) this.#leftOut += 1
    else this.#queue.push(item, Math.ceil(item.text.length / MAX_FRAME_OCTETS))
  }

  readonly #abort = (): void => this.#end(toError(this.#options.signal?.reason))

  /** Only the first end counts. */
  #end(error?: Error): void {
    if (this.#released !== undefined) return
    this.#timer.cancel()
    this.#options.signal?.removeEventListener('abort', this.#abort)
    this.#released = this.#parts.desk.leave(this.#waiting)
    this.#queue.end(error)
    if (error === undefined) return
    this.#ending.abort(error)
    this.#sent.reject(error)
    this.#terminal.reject(error)
  }
}

/** A promise and its two ends. */
interface Settleable<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

/** Whoever does not wait for the promise learns of a failure from the iteration. */
function settleable<T>(): Settleable<T> {
  let ends: Pick<Settleable<T>, 'resolve' | 'reject'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject }
  })
  promise.catch(() => {})
  const { resolve, reject } = ends ?? { resolve: () => {}, reject: () => {} }
  return { promise, resolve, reject }
}

/** A wait that is no time would silently become the usual one. */
function requireDuration(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || isDuration(timeoutMs)) return
  throw new UsageError(`timeoutMs must be a number of milliseconds, 0 or more; ${String(timeoutMs)} is none.`)
}

function toTask(draft: TaskDraft, timeoutMs: number | undefined): EnvelopeDraft {
  const requires = timeoutMs === undefined ? draft.requires : { timeout_ms: timeoutMs, ...draft.requires }
  return { ...draft, requires, type: 'task' }
}
