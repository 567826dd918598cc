/**
 * An entity at work: takes the tasks that are sent to it, and answers each of them once.
 *
 * @see AEE-024, AEE-065, AEE-078, AEQ-18, AEQ-19
 */
import { isChannel } from '../../aee/envelope/entity.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { orAborted, toError } from '../http/backoff.ts'
import { EarlierAnswers } from './earlier-answers.ts'
import { TaskError } from '../envelopes/errors.ts'
import type { SentEnvelope, Thread } from '../reply/envelope-results.ts'
import type { EnvelopeDraft } from '../envelopes/outgoing-envelope.ts'
import { withOwnIntents } from './own-intents.ts'
import { SeenMarks } from './seen-marks.ts'
import type { AgentdStream } from '../stream/stream.ts'
import { ENVELOPES_ONLY, type EnvelopeItem, type StreamOptions } from '../stream/options.ts'
import { draftReply, toErrorAnswer } from './task-answer.ts'
import type { ServeOptions, TaskHandler, TaskHandlers } from './task-handler.ts'
import { TaskRun } from './task-run.ts'

/** Whose tasks are done, by what, and how. */
export interface ServiceDefinition {
  readonly entity: string
  readonly handlers: TaskHandlers
  readonly options: ServeOptions
}

/** What a service is made with. */
export interface ServiceParts {
  readonly clock: Clock
  open(options: StreamOptions): AgentdStream
  send(draft: EnvelopeDraft): Promise<SentEnvelope>
  thread(corr: string): Promise<Thread>
  /** Says that envelopes were read; their senders' receipts tell so. */
  seen(eventIds: readonly string[]): Promise<unknown>
  /** Called once, when the service is over. */
  onEnd(service: EntityService): void
}

/** Tasks at work at once when nobody says otherwise. */
const DEFAULT_CONCURRENT = 16

/** How long a task that found no place should wait before it comes again. */
const BUSY_BACKOFF_MS = 1_000

/** How long `close` waits for tasks that are at work. */
export const CLOSE_SERVICE_MS = 5_000

/** Made by `serve()` of a session. */
export class EntityService implements AsyncDisposable {
  /** The entity whose tasks it does. */
  readonly entity: string
  /** The daemon's position when tasks began to be heard; rejects when the service ends before. */
  readonly opened: Promise<string | undefined>
  /**
   * Settles when no more tasks come. Rejects with the daemon's refusal of the stream, and, where no `onFault` was
   * given, with its `signature-required` to an answer: without a key no other answer would go out either.
   *
   * Whoever does not look at it is not ended by it. The service is over all the same, so that whoever asks learns
   * at once that nobody listens.
   */
  readonly ended: Promise<void>
  readonly #parts: ServiceParts
  readonly #options: ServeOptions
  readonly #handlers: ReadonlyMap<string, TaskHandler>
  readonly #stream: AgentdStream
  readonly #seen: SeenMarks
  readonly #earlier: EarlierAnswers
  readonly #running = new Set<TaskRun>()
  #closed: Promise<void> | undefined
  /** Why no answer can ever go out; undefined while they can. */
  #muted: Error | undefined

  /** @throws UsageError for a channel: whoever listens to one answers as somebody else */
  constructor({ entity, handlers, options }: ServiceDefinition, parts: ServiceParts) {
    if (isChannel(entity)) {
      throw new UsageError(`"${entity}" is a channel, for which nobody can answer; serve an entity instead.`)
    }
    this.entity = entity
    this.#parts = parts
    this.#options = options
    this.#handlers = withOwnIntents(handlers, parts.clock)
    this.#seen = new SeenMarks((eventIds) => parts.seen(eventIds))
    this.#earlier = new EarlierAnswers(entity, (corr) => parts.thread(corr))
    this.#stream = parts.open({ ...ENVELOPES_ONLY, entities: [entity], after: options.after })
    this.opened = this.#stream.opened
    this.ended = this.#follow()
    // Looking at the end is optional: a rejection nobody looks at must not end the program.
    this.ended.catch(() => {})
    options.signal?.addEventListener('abort', this.#abort)
    if (options.signal?.aborted === true) this.#abort()
  }

  /** Tasks at work, those included whose time is over and whose handler goes on. */
  get running(): number {
    return this.#running.size
  }

  /** Takes no more tasks, waits for those at work within a bound, and answers the rest with `E_CANCELLED`. */
  close(): Promise<void> {
    this.#closed ??= this.#closeOnce()
    return this.#closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  readonly #abort = (): void => void this.close()

  async #follow(): Promise<void> {
    try {
      for await (const item of this.#stream) {
        if (item.type === 'envelope' && item.envelope.to === this.entity) await this.#take(item)
      }
      if (this.#muted !== undefined) throw this.#muted
    } finally {
      this.#options.signal?.removeEventListener('abort', this.#abort)
      // Tasks may still be at work; then `close` is what ends.
      if (this.#closed === undefined) this.#parts.onEnd(this)
    }
  }

  /** Only what came as an envelope is one; what lies in a payload is data (AEE-078). */
  async #take(item: EnvelopeItem): Promise<void> {
    const { type } = item.envelope
    this.#seen.add(item.eventId)
    if (type === 'event') this.#tell(item)
    if (type !== 'task') return
    try {
      if (!(await this.#wasAnswered(item))) await this.#admit(item)
    } catch (error) {
      this.#onFault(error, item)
    }
  }

  #tell(item: EnvelopeItem): void {
    try {
      this.#options.onEvent?.(item)
    } catch (error) {
      this.#onFault(error, item)
    }
  }

  /**
   * A refusal is sent before the next task is read, so that a flood of them waits in the daemon.
   *
   * @throws what sending the refusal throws
   */
  async #admit(item: EnvelopeItem): Promise<void> {
    const { intent } = item.envelope
    if (this.#closed !== undefined) return this.#refuse(item, this.#goneAway())
    const handler = this.#handlers.get(intent)
    if (handler === undefined) {
      const message = `"${this.entity}" does not do ${intent}; aee.capability.list tells what it does.`
      return this.#refuse(item, new TaskError('E_UNSUPPORTED_INTENT', message))
    }
    if (this.#running.size >= (this.#options.maxConcurrent ?? DEFAULT_CONCURRENT)) {
      const again = { retryable: true, backoffMs: BUSY_BACKOFF_MS }
      return this.#refuse(item, new TaskError('E_BUSY', `"${this.entity}" has enough to do just now.`, again))
    }
    const run = new TaskRun(item, handler, {
      clock: this.#parts.clock,
      approve: this.#options.approve,
      send: (draft) => this.#parts.send(draft),
      onFault: (error, faulty) => this.#onFault(error, faulty),
    })
    this.#running.add(run)
    void run.over.then(() => this.#running.delete(run))
    return undefined
  }

  async #refuse({ envelope }: EnvelopeItem, reason: TaskError): Promise<void> {
    await this.#parts.send(draftReply(envelope, toErrorAnswer(reason)))
  }

  #goneAway(): TaskError {
    return new TaskError('E_CANCELLED', `"${this.entity}" has gone away.`, { retryable: true })
  }

  /** Whether an earlier run of this service has come to the end of a task: only of those before this one. */
  async #wasAnswered({ eventId, envelope }: EnvelopeItem): Promise<boolean> {
    if (this.#options.after === undefined) return false
    if (isUpTo(eventId, await this.opened)) return this.#earlier.has(envelope)
    this.#earlier.forget()
    return false
  }

  #onFault(error: unknown, item: EnvelopeItem): void {
    const { onFault } = this.#options
    if (onFault !== undefined) return onFault(toError(error), item)
    if (this.#muted !== undefined || !isMuting(error)) return undefined
    this.#muted = toError(error)
    // Not awaited: the stream may be waiting for the very task this is about.
    void this.#stream.return()
    return undefined
  }

  async #closeOnce(): Promise<void> {
    await this.#stream.return()
    await Promise.allSettled([this.ended])
    const running = [...this.#running]
    if (running.length > 0) await this.#withinBound(Promise.all(running.map(({ over }) => over)))
    for (const run of this.#running) run.abort(this.#goneAway())
    await Promise.all(running.map(({ answered }) => answered))
    this.#parts.onEnd(this)
  }

  async #withinBound(work: Promise<unknown>): Promise<void> {
    const ending = new AbortController()
    const timer = this.#parts.clock.after(CLOSE_SERVICE_MS, () => ending.abort())
    await Promise.allSettled([orAborted(work, ending.signal)])
    timer.cancel()
  }
}

/** Whether no answer of this service can do any better. */
function isMuting(error: unknown): boolean {
  return error instanceof AgentdError && error.code === 'signature-required'
}

/** Whether an event lies at or before a position of the same epoch. */
function isUpTo(eventId: string, position: string | undefined): boolean {
  const event = readEventId(eventId)
  const end = readEventId(position ?? '')
  return event !== undefined && event.epoch === end?.epoch && event.seq <= end.seq
}
